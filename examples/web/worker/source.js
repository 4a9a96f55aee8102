// Where the bytes of a trace come from.  Each source has `size`, `date` (ms) and `read(offset, most)`, which is
// synchronous: C calls it.  A source that still grows calls `grown` when it has more.
'use strict';

const BLOCK = 4 << 20, BLOCKS_AHEAD = 4; // bytes that are read at once

const {port1: nowhere, port2: closed} = new MessageChannel();
closed.close();

class FileSource {
  constructor(file) {
    this.setFile(file);
  }
  setFile(file) {
    this.file = file;
    this.size = file.size;
    this.date = file.lastModified || 0;
    this.isWhole = true;
    this.drop();
  }
  // Frees the block at once, by sending it nowhere: the browser would keep all of them for as long as C runs.
  drop() {
    if (this.block)
      nowhere.postMessage(null, [this.block.buffer]);
    this.block = null;
  }
  fetchBlock(from, to) {
    return new Uint8Array(new FileReaderSync().readAsArrayBuffer(this.file.slice(from, to)));
  }
  has(offset) {
    return this.block && offset >= this.from && offset < this.from + this.block.length;
  }
  read(offset, most) {
    if (offset >= this.size)
      return null;
    if (!this.has(offset)) {
      // Blocks are aligned; a short read elsewhere, such as a digest, takes a short block.
      this.from = most > 4096 ? offset - offset % 4096 : offset;
      const size = most > 4096 ? BLOCK : most;
      this.drop();
      this.block = this.fetchBlock(this.from, Math.min(this.size, this.from + size));
      if (!this.block.length)
        return null;
    }
    const at = offset - this.from;
    return this.block.subarray(at, Math.min(this.block.length, at + most));
  }
  // For what reads all in order, in C that can wait (see module.js): while a block is used, the next ones are on their way.
  readAhead(offset, most) {
    if (this.has(offset) || offset >= this.size || most <= 4096)
      return this.read(offset, most);
    if (!this.ahead || !this.ahead.length || this.ahead[0].from !== offset)
      this.ahead = [];
    while (this.ahead.length < BLOCKS_AHEAD) {
      const from = offset + this.ahead.length * BLOCK;
      const bytes = from < this.size ? this.fetchAhead(from) : Promise.resolve(new Uint8Array(0));
      bytes.catch(() => {}); // what fails says so when it is used
      this.ahead.push({from, bytes});
    }
    return this.ahead.shift().bytes.then(block => {
      this.drop();
      this.from = offset;
      this.block = block;
      return block.subarray(0, Math.min(block.length, most));
    });
  }
  async fetchAhead(from) {
    return new Uint8Array(await this.file.slice(from, from + BLOCK).arrayBuffer());
  }
}

// Bytes that arrive in order, such as those that are decompressed: kept as blobs, which the browser may put on disk.
class StreamSource extends FileSource {
  constructor(stream, grown, failed) {
    super(new Blob([]));
    this.isWhole = false;
    this.ready = this.pump(stream, grown, failed);
  }
  async pump(stream, grown, failed) {
    const reader = stream.getReader();
    let parts = [], size = 0;
    const blobs = [];
    const keep = () => {
      blobs.push(new Blob(parts));
      parts = [];
      size = 0;
      this.file = new Blob(blobs);
      this.size = this.file.size;
      this.drop();
      grown();
    };
    try {
      for (;;) {
        const {done, value} = await reader.read();
        if (done)
          break;
        parts.push(value);
        size += value.length;
        if (size >= BLOCK || (blobs.length < 1 && size >= 1 << 16))
          keep();
      }
    } catch (error) {
      failed('The data end early: ' + error.message);
    }
    keep();
    this.isWhole = true;
    grown();
  }
}

// A server's file, by Range requests.
class RangeSource extends FileSource {
  constructor(url, size, date) {
    super(new Blob([]));
    this.url = url;
    this.size = size;
    this.date = date;
  }
  async sizeNow() {
    const answer = await fetch(this.url, {headers: {Range: 'bytes=0-1'}, credentials: 'omit', cache: 'no-store'});
    const range = /\/(\d+)$/.exec(answer.headers.get('Content-Range') || '');
    return range ? Number(range[1]) : 0;
  }
  async fetchAhead(from) {
    const to = Math.min(this.size, from + BLOCK), headers = {Range: `bytes=${from}-${to - 1}`};
    const answer = await fetch(this.url, {headers, credentials: 'omit'});
    if (answer.status !== 206)
      throw new Error(`the server sent ${answer.status} in place of a part`);
    return new Uint8Array(await answer.arrayBuffer());
  }
  fetchBlock(from, to) {
    const request = new XMLHttpRequest();
    request.open('GET', this.url, false);
    request.responseType = 'arraybuffer';
    request.setRequestHeader('Range', `bytes=${from}-${to - 1}`);
    request.send();
    if (request.status !== 206)
      throw new Error(`the server sent ${request.status} in place of a part`);
    return new Uint8Array(request.response);
  }
}

async function isGzip(blob) {
  const head = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  return head[0] === 0x1f && head[1] === 0x8b;
}

// Makes a source of what the page was given: a file, or an address.
async function openSource(from, grown, failed) {
  if (from.file) {
    if (await isGzip(from.file))
      return new StreamSource(from.file.stream().pipeThrough(new DecompressionStream('gzip')), grown, failed);
    return new FileSource(from.file);
  }
  const probe = await fetch(from.url, {headers: {Range: 'bytes=0-1'}, credentials: 'omit', cache: 'no-store'});
  if (!probe.ok)
    throw new Error(`${from.url}: the server says ${probe.status} ${probe.statusText}`);
  const head = new Uint8Array(probe.status === 206 ? await probe.arrayBuffer() : []);
  const isCompressed = head[0] === 0x1f && head[1] === 0x8b;
  const range = /\/(\d+)$/.exec(probe.headers.get('Content-Range') || '');
  if (range && !isCompressed)
    return new RangeSource(from.url, Number(range[1]), Date.parse(probe.headers.get('Last-Modified') || '') || 0);
  // The server has no parts, or the file is compressed: all of it, in order.
  const all = probe.status === 206 ? await fetch(from.url, {credentials: 'omit', cache: 'no-store'}) : probe;
  const [look, body] = all.body.tee();
  const reader = look.getReader(), {value} = await reader.read();
  reader.cancel();
  const stream = value && value[0] === 0x1f && value[1] === 0x8b ? body.pipeThrough(new DecompressionStream('gzip')) : body;
  return new StreamSource(stream, grown, failed);
}

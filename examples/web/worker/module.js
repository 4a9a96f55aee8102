// The reader: an instance of the WebAssembly module, and what it imports.
'use strict';

class Exit extends Error {}

class Reader {
  // `source` as in source.js; `problem` is called with what went wrong while reading.  With `canWait`, C waits for the
  // bytes where the browser lets it (WebAssembly.Suspending), and run() returns a promise.
  constructor(module, source, problem, canWait) {
    this.source = source;
    this.problem = problem;
    const unsupported = () => 52; // ENOSYS
    const wasi = new Proxy({
      proc_exit: status => {
        throw new Exit(String(status));
      },
      clock_time_get: (clock, precision, to) => {
        new DataView(this.memory.buffer).setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
      },
    }, {get: (known, name) => known[name] || unsupported});
    const page = {
      read: (offset, to, most) => {
        const copy = bytes => {
          if (!bytes)
            return 0;
          new Uint8Array(this.memory.buffer, to, bytes.length).set(bytes);
          return bytes.length;
        };
        const failed = error => {
          this.problem(error);
          return 0;
        };
        try {
          const bytes = this.waits ? this.source.readAhead(offset, most) : this.source.read(offset, most);
          return bytes instanceof Promise ? bytes.then(copy).catch(failed) : copy(bytes);
        } catch (error) {
          return failed(error);
        }
      },
      size: () => this.source.size,
      date: () => this.source.date,
    };
    this.waits = canWait && !!WebAssembly.Suspending;
    if (this.waits)
      page.read = new WebAssembly.Suspending(page.read);
    const imports = {page, wasi_snapshot_preview1: {}};
    for (const {module: from, name} of WebAssembly.Module.imports(module))
      if (from !== 'page')
        imports[from][name] = wasi[name];
    const instance = new WebAssembly.Instance(module, imports);
    this.calls = instance.exports;
    this.memory = instance.exports.memory;
    this.calls._initialize();
  }
  // The bytes that a function has returned, where they are.
  bytesOf(answer) {
    const [at, size] = new Uint32Array(this.memory.buffer, answer, 2);
    return new Uint8Array(this.memory.buffer, at, size);
  }
  textOf(answer) {
    return new TextDecoder().decode(this.bytesOf(answer));
  }
  jsonOf(answer) {
    return JSON.parse(this.textOf(answer));
  }
  wordsOf(answer) {
    const bytes = this.bytesOf(answer);
    return new Uint32Array(bytes.slice().buffer);
  }
  request(words) {
    const at = this.calls.web_room(words.length + 1);
    new Uint32Array(this.memory.buffer, at, words.length).set(words);
  }
  requestBytes(bytes) {
    const at = this.calls.web_room((bytes.length >> 2) + 2);
    new Uint8Array(this.memory.buffer, at, bytes.length + 1).set(bytes);
    new Uint8Array(this.memory.buffer)[at + bytes.length] = 0;
  }
  setIndex(bytes) {
    const at = this.calls.web_index_room(bytes.length);
    new Uint8Array(this.memory.buffer, at, bytes.length).set(bytes);
    this.calls.web_index_ready();
  }
  // Runs a command of the tool; returns its exit status.
  run(words) {
    const text = words.map(word => word + '\0').join('');
    this.requestBytes(new TextEncoder().encode(text));
    const failed = error => {
      if (error instanceof Exit)
        return Number(error.message);
      throw error;
    };
    try {
      if (this.waits)
        return WebAssembly.promising(this.calls.web_command)(words.length).catch(failed);
      return this.calls.web_command(words.length);
    } catch (error) {
      return failed(error);
    }
  }
  written(which) {
    return this.textOf(this.calls.web_written(which));
  }
}

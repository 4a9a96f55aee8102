// The worker: reads one trace, and tells the page what is drawn.
'use strict';

let module, reader, source, view = null, search = null;
let isScheduled = false, hasNewIndex = false, isLive = false, hasFailed = false;
const early = []; // messages that came before the trace was open
const known = {values: 0, nodes: 0, bands: 0};
const sent = {status: 0, picture: 0, wasLoading: false, bytes: -1, between: 0};
const LIVE_MS = 1000;
const PICTURE_COST = 5; // while reading, pictures take at most a sixth of the time
const SLICE = 0.012, STATUS_MS = 100, PICTURE_MS = 150; // seconds that reading may take; between messages
const channel = new MessageChannel();
channel.port1.onmessage = () => {
  isScheduled = false;
  guard(step);
};

function schedule() {
  if (isScheduled || !reader || hasFailed)
    return;
  isScheduled = true;
  channel.port2.postMessage(0);
}

function fail(text) {
  hasFailed = true;
  postMessage({type: 'failed', text});
}

function guard(work) {
  try {
    work();
  } catch (error) {
    const said = error instanceof Exit && reader ? reader.written(1).trim() : '';
    fail(said.replace(/^paje: /, '').replace(/TRACE/g, 'the trace') || 'The reader has failed: ' + error.message);
  }
}

function sendModel() {
  const model = reader.jsonOf(reader.calls.web_model(known.values, known.nodes, known.bands));
  if (!model.values.length && !model.nodes.length && !model.bands.length && !model.types.length)
    return;
  postMessage({type: 'model', first: {...known}, ...model});
  for (const what of ['values', 'nodes', 'bands'])
    known[what] += model[what].length;
}

function sendStatus() {
  sent.status = performance.now();
  const status = reader.jsonOf(reader.calls.web_status());
  sendModel();
  postMessage({type: 'status', ...status, size: source.size, isWhole: source.isWhole,
               memory: reader.memory.buffer.byteLength});
  return status;
}

function sendPicture() {
  const {from, to, columns, rows, colors, paper, links, id} = view;
  const began = performance.now();
  sendModel();
  reader.request(rows);
  const words = reader.wordsOf(reader.calls.web_picture(from, to, columns, colors, paper, rows.length / 2));
  const arrows = reader.wordsOf(reader.calls.web_links(from, to, columns, links, paper));
  const status = reader.jsonOf(reader.calls.web_status());
  sent.wasLoading = !!status.loading;
  sent.bytes = status.bytes;
  postMessage({type: 'picture', id, from, to, columns, keys: view.keys, words, arrows, isLoading: !!status.loading},
              [words.buffer, arrows.buffer]);
  sent.picture = performance.now();
  sent.between = Math.max(PICTURE_MS, PICTURE_COST * (sent.picture - began));
}

// What is on the screen is read again if it is not known exactly enough.
function askPart() {
  if (view && sent.hasRead)
    reader.calls.web_ask(view.from, view.to, view.columns);
}

function finish() {
  reader.calls.web_finish();
  if (!sent.hasFinished)
    known.values = 0; // colours are final now
  sent.hasFinished = true;
}

// Reads for a while, then sends what has changed.
function step() {
  askPart();
  const more = reader.calls.web_read(SLICE);
  sent.hasRead = true;
  const now = performance.now();
  if (search) {
    const found = reader.jsonOf(reader.calls.web_found());
    if (!found.searching) {
      postMessage({type: 'found', id: search.id, ...found});
      search = null;
    }
  }
  let status = null;
  if (hasNewIndex && reader.calls.web_use_index())
    hasNewIndex = false;
  if (!more && source.isWhole && !isLive)
    finish();
  if (now - sent.status > STATUS_MS || !more)
    status = sendStatus();
  if (view) {
    const loading = status ? !!status.loading : reader.jsonOf(reader.calls.web_status()).loading;
    const isDone = sent.wasLoading && !loading;
    if (isDone || (!more && sent.bytes !== -2) || (more && !loading && now - sent.picture > sent.between))
      sendPicture();
    if (!more)
      sent.bytes = -2; // the last picture has been sent
  }
  if (more)
    schedule();
}

function grown() {
  if (reader)
    schedule();
}

function changed(error) {
  fail('The file can no longer be read: it was changed or removed since it was opened.  Open it again.  ' +
       `(${error.message})`);
}

async function load(message) {
  module = message.module;
  source = await openSource(message.from, grown, text => postMessage({type: 'warning', text}));
}

async function open(message) {
  await load(message);
  isLive = !!message.live;
  const opened = new Reader(module, source, changed);
  if (message.index)
    opened.setIndex(new Uint8Array(message.index));
  reader = opened;
  guard(() => {
    reader.calls.web_open(message.memory);
    postMessage({type: 'opened', isRandom: source.isWhole, size: source.size});
    if (isLive && source.sizeNow)
      setInterval(followAddress, LIVE_MS);
    for (const data of early.splice(0))
      actions[data.type](data);
    schedule();
  });
}

// Reads on where a server's file has grown.
async function followAddress() {
  const size = await source.sizeNow().catch(() => 0);
  if (size <= source.size)
    return;
  source.size = size;
  source.drop();
  schedule();
}

// Makes the index as `paje index` does, in a worker of its own.
async function makeIndex(message) {
  await load(message);
  const began = performance.now();
  let told = began;
  for (const name of ['read', 'readAhead']) {
    const read = source[name].bind(source);
    source[name] = (offset, most) => {
      if (performance.now() - told > STATUS_MS) {
        told = performance.now();
        postMessage({type: 'indexProgress', bytes: offset});
      }
      return read(offset, most);
    };
  }
  const maker = new Reader(module, source, error => fail(error.message), true);
  if (await maker.run(['index', '--budget=32M', 'TRACE']) > 1)
    throw new Error(maker.written(1));
  const bytes = maker.bytesOf(maker.calls.web_written(2)).slice();
  postMessage({type: 'index', bytes, seconds: (performance.now() - began) / 1000}, [bytes.buffer]);
}

// What runs through the trace once does so in an instance of its own, with a copy of the index.
function instance() {
  const other = new Reader(module, source, changed);
  const index = reader.bytesOf(reader.calls.web_index());
  if (index.length)
    other.setIndex(index);
  return other;
}

function runCommand({id, words}) {
  const other = instance(), status = other.run(words);
  postMessage({type: 'result', id, status, text: other.written(0), errors: other.written(1)});
}

const actions = {
  useIndex: ({bytes}) => {
    reader.setIndex(bytes);
    hasNewIndex = true;
    schedule();
  },
  view: message => {
    view = message;
    askPart();
    sendPicture();
    schedule();
  },
  mark: ({bytes}) => {
    reader.requestBytes(bytes);
    reader.calls.web_mark(bytes.length);
  },
  hits: ({id, from, to, columns}) => {
    const words = reader.wordsOf(reader.calls.web_hits(from, to, columns));
    postMessage({type: 'hits', id, from, to, words}, [words.buffer]);
  },
  overview: ({columns, colors, paper}) => {
    const began = performance.now(), status = reader.jsonOf(reader.calls.web_status());
    reader.request(new Uint32Array([2, 0]));
    const words = reader.wordsOf(reader.calls.web_picture(status.first, status.last, columns, colors, paper, 1));
    postMessage({type: 'overview', from: status.first, to: status.last, columns, words, cost: performance.now() - began},
                [words.buffer]);
  },
  find: ({id, from, back, text, band}) => {
    reader.requestBytes(new TextEncoder().encode(text));
    reader.calls.web_find(from, back ? 1 : 0, band);
    search = {id};
    schedule();
  },
  command: runCommand,
  fields: ({id, time}) => {
    const other = instance();
    postMessage({type: 'result', id, fields: other.jsonOf(other.calls.web_fields(time))});
  },
  file: ({file}) => {
    source.setFile(file);
    schedule();
  },
};

onmessage = ({data}) => {
  if (data.type === 'open')
    open(data).catch(error => fail(error.message));
  else if (data.type === 'makeIndex')
    makeIndex(data).catch(error => fail(error.message));
  else if (!hasFailed && reader)
    guard(() => actions[data.type](data));
  else if (!hasFailed)
    early.push(data);
};

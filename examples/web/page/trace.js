// A trace that is open: its worker, and what the worker has told.
'use strict';

const VARIABLE = 4, EVENT = 3, STATE = 2, LINK = 5; // kinds, as pajesim.h has them

// The depth of an item that is a state, and whether it is columns of states that are narrower; see reader/web.h.
const depthOf = (words, at) => words[at + 4] & 0x7fffffff;
const isOfColumns = (words, at) => words[at + 4] >>> 31 === 1;
const LEAST_INDEXED = 8 << 20; // bytes of a trace from which on another worker makes the index
// The reader divides its memory into shares of which about this part is used.
const MEMORY_SHARES = 2;

class Trace {
  constructor(from, name) {
    this.name = name;
    this.from = from;
    this.shift = 0; // is added to its times
    this.status = {first: 0, last: 0, bytes: 0, size: 0, seconds: 1};
    this.types = [];
    this.values = [];
    this.nodes = [];
    this.bands = [];
    this.closed = new Set();
    this.pictures = [];
    this.arrows = [];
    this.calls = new Map();
    this.asked = this.called = 0;
    this.isWaiting = false;
    this.failure = '';
    this.early = []; // messages for the worker before there is one
    unpacked.module.then(module => this.begin(module), error => this.on_failed(
      {text: 'This browser cannot run the reader, which needs WebAssembly with SIMD128; `make web SIMD=0` ' +
             `builds a page that does without.  (${error.message})`}));
  }
  begin(module) {
    if (!this.early)
      return; // it was closed
    this.module = module;
    this.worker = new Worker(unpacked.workerUrl, {name: this.name});
    this.worker.onmessage = ({data}) => this['on_' + data.type](data);
    this.worker.onerror = event => this.on_failed({text: event.message});
    this.post({type: 'open', from: this.from, module, index: this.from.index,
               memory: Number(byId('memory').value) * 1e6 * MEMORY_SHARES, live: this.from.live});
    for (const [message, transfer] of this.early.splice(0))
      this.post(message, transfer);
  }
  post(message, transfer = []) {
    if (this.worker)
      this.worker.postMessage(message, transfer);
    else if (this.early)
      this.early.push([message, transfer]);
  }
  // Another worker makes the index, faster than this one, which also keeps what is drawn.
  makeIndex() {
    this.indexer = new Worker(unpacked.workerUrl, {name: this.name + ' index'});
    this.indexer.onmessage = ({data}) => {
      if (data.type === 'indexProgress') {
        this.indexedBytes = data.bytes;
        return;
      }
      this.indexer.terminate();
      this.indexer = null;
      if (data.type !== 'index')
        return; // the trace itself tells what is wrong with it
      this.indexSeconds = data.seconds;
      this.post({type: 'useIndex', bytes: data.bytes}, [data.bytes.buffer]);
    };
    this.indexer.postMessage({type: 'makeIndex', from: this.from, module: this.module});
  }
  close() {
    for (const worker of [this.worker, this.indexer])
      if (worker)
        worker.terminate();
    this.worker = this.indexer = this.early = null;
  }

  // ---- what the worker says

  on_opened({isRandom, size}) {
    if (isRandom && size > LEAST_INDEXED && !this.from.index)
      this.makeIndex();
  }
  on_status(data) {
    this.status = data;
    statusChanged(this);
  }
  on_failed({text}) {
    this.failure = text;
    this.hasFailed = true; // its worker does not answer any more
    this.isWaiting = false;
    traceFailed(this, text);
  }
  on_warning({text}) {
    this.failure = text;
    note(`${this.name}: ${text}`, true);
  }
  on_model({first, types, values, nodes, bands}) {
    this.types = types.map(([name, kind, color, least, most]) => ({name, kind, color, least, most}));
    values.forEach(([name, type, color], i) => this.values[first.values + i] = {name, type, color});
    nodes.forEach(([name, parent, type, start], i) => {
      const node = {name, parent, type, start, children: [], named: null, bands: [], twin: 0, index: first.nodes + i};
      this.nodes[node.index] = node;
      if (node.index) {
        const above = this.nodes[parent], named = above.named = above.named || new Map();
        above.children.push(node.index);
        if (!named.has(name))
          named.set(name, []);
        node.twin = named.get(name).push(node.index) - 1; // so many before it have the same path
      }
      if (this.foldsNew && parent && this.nodes[parent].children.length === 1)
        this.closed.add(parent);
    });
    bands.forEach(([node, kind, type], i) => {
      const band = {node, kind, type, index: first.bands + i, depths: 1};
      this.bands[band.index] = band;
      this.nodes[node].bands.push(band.index);
      this.nodes[node].isSorted = false;
    });
    if (nodes.length || bands.length)
      rowsGrew();
    if (values.length)
      legendChanged();
  }
  on_picture(data) {
    this.isWaiting = false;
    const picture = {from: data.from, to: data.to, columns: data.columns, rows: new Map(), isLoading: data.isLoading,
                     isExact: data.words[0] === 1, far: new Map(), id: data.id, words: data.words, arrived: performance.now()};
    picture.floats = new Float32Array(data.words.buffer);
    let at = 1, isHigher = false;
    for (const key of data.keys) {
      const [items, kind, depths, isSum] = data.words.subarray(at, at + 4);
      picture.rows.set(key, {at: at + 4, items, kind, depths, isSum});
      at += 4 + 5 * items;
      const band = key >= 0 ? this.bands[key] : null;
      if (band && depths > band.depths) {
        band.depths = depths;
        isHigher = true;
      }
    }
    const times = new DataView(data.words.buffer, data.words.byteOffset);
    for (let left = data.words[at++]; left > 0; left--, at += 5)
      picture.far.set(data.words[at], [times.getFloat64(4 * at + 4, true), times.getFloat64(4 * at + 12, true)]);
    this.pictures = [picture, ...this.pictures.filter(old => old.id !== data.id)].slice(0, 3);
    this.readArrows(data.arrows);
    if (isHigher && app.isNested)
      rowsAreHigher();
    if (this.askedAt && data.id === this.asked) {
      app.times.push(performance.now() - this.askedAt);
      this.askedAt = 0;
    }
    draw();
    if (this.next)
      this.askView(this.next);
  }
  readArrows(words) {
    const times = new DataView(words.buffer);
    this.arrowCount = words[0];
    this.arrows = [];
    for (let at = 2; at + 8 <= words.length; at += 8)
      this.arrows.push({start: times.getFloat64(4 * at, true), end: times.getFloat64(4 * at + 8, true),
                        from: words[at + 4], to: words[at + 5], value: words[at + 6], color: words[at + 7]});
  }
  on_overview(data) {
    this.whole = {...data, floats: new Float32Array(data.words.buffer)};
    drawOverview();
  }
  on_hits(data) {
    this.hitCounts = data;
    drawOverview();
  }
  on_found(data) {
    takeFound(this, data);
  }
  on_result({id, ...rest}) {
    const done = this.calls.get(id);
    this.calls.delete(id);
    if (done)
      done(rest);
  }

  // ---- what the page asks for

  // Runs a command of the tool on the trace.
  run(...words) {
    return this.call({type: 'command', words});
  }
  call(message) {
    return new Promise(done => {
      const id = ++this.called;
      this.calls.set(id, done);
      this.post({...message, id});
    });
  }
  // Asks for rows of a range of time; while the worker is busy only the last request is kept.
  askView(request) {
    if (this.isWaiting) {
      this.next = request;
      return;
    }
    this.next = null;
    this.isWaiting = true;
    this.asked++;
    this.askedAt = request.since;
    this.post({type: 'view', id: this.asked, ...request});
  }
  pathOf(index) {
    const path = [];
    for (let node = this.nodes[index]; node && node.index; node = this.nodes[node.parent])
      path.unshift(node.name);
    return path.join(' / ');
  }
  // A path that no other container has.
  keyOf(index) {
    const path = [];
    for (let node = this.nodes[index]; node && node.index; node = this.nodes[node.parent])
      path.unshift(node.twin ? `${node.name}\n${node.twin + 1}` : node.name);
    return path.join(' / ');
  }
}

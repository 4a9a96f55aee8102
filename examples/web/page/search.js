// Search: names of containers are found in the page, values in the whole trace by the worker.  Links are followed here.
'use strict';

function searchChanged() {
  app.search = byId('search').value;
  const matches = app.search ? matcher(app.search) : null;
  let values = 0, containers = 0;
  for (const trace of app.traces) {
    let marks = new Uint8Array(0);
    if (matches) {
      marks = Uint8Array.from(trace.values, value => value && matches(value.name) ? 1 : 0);
      values += marks.reduce((sum, one) => sum + one, 0);
      trace.foundNodes = trace.nodes.filter(node => node.index && matches(node.name));
      containers += trace.foundNodes.length;
      if (!marks.includes(1))
        marks = new Uint8Array(0); // containers only: nothing fades
    }
    trace.marked = app.search;
    trace.hitCounts = null;
    trace.post({type: 'mark', bytes: marks});
    if (marks.length)
      askHits(trace);
  }
  const plural = (number, name) => number ? `${count(number)} ${name}${number > 1 ? 's' : ''}` : '';
  const found = [plural(values, 'value'), plural(containers, 'container')].filter(Boolean).join(', ');
  byId('found').textContent = app.search ? found || 'none' : '';
  app.foundAt = -1;
  askOverview();
  viewChanged();
  draw();
}

function askHits(trace) {
  const {first, last} = trace.status;
  if (last > first)
    trace.post({type: 'hits', from: first, to: last + (last - first) * 1e-9, columns: Math.round(plotWidth())});
}

// The next or the previous match: of values in time, else of containers in the tree.
function findNext(back) {
  if (!app.search)
    return byId('search').focus();
  const matches = matcher(app.search), time = app.cursor ? app.cursor.time : app.view.from;
  const traces = app.traces.filter(trace => !trace.hasFailed &&
                                             trace.values.some(value => value && matches(value.name)));
  if (traces.length) {
    note('searching…');
    return find(traces, time, back, app.search.replace(/[*?].*/, ''), 0xffffffff);
  }
  const all = app.traces.flatMap(trace => (trace.foundNodes || []).map(node => ({trace, node})));
  if (!all.length)
    return speak('no match');
  app.foundAt = (app.foundAt + (back ? -1 : 1) + all.length) % all.length;
  const {trace, node} = all[app.foundAt];
  reveal(trace, node.index);
  byId('found').textContent = `${app.foundAt + 1} of ${all.length}`;
  return setCursor(time, rowOfNode(trace, node.index));
}

let finds = {id: 0}; // the last search: how many traces have not answered yet, and the nearest match

// Asks the workers of some traces for the next value with that text, or change of a band.
function find(traces, time, back, text, band) {
  finds = {id: finds.id + 1, left: traces.length, back, best: null};
  for (const trace of traces)
    trace.post({type: 'find', id: finds.id, from: time - trace.shift, back, text, band});
}

// What a worker has found, or not; the nearest match of all is shown.
function takeFound(trace, found) {
  const at = found.time + trace.shift, {best, back} = finds;
  if (found.id !== finds.id)
    return;
  if (found.found && (!best || (back ? at > best.at : at < best.at)))
    finds.best = {trace, found, at};
  if (--finds.left === 0)
    showFound();
}

function showFound() {
  note('');
  if (!finds.best) {
    note(app.traces.every(one => one.status.atEnd) ? 'No other match.' : 'No match as far as the trace was read.');
    return speak('no other match');
  }
  const {trace, found} = finds.best;
  reveal(trace, found.node);
  const row = app.rows.find(one => one.trace === trace && one.band && one.band.index === found.band) ||
    rowOfNode(trace, found.node);
  setCursor(found.time + trace.shift, row);
  return speak(`found at ${instant(app.cursor.time)} in ${trace.pathOf(found.node)}`);
}

// ---- links

// Goes to where a link begins.
function followLink({trace, link}) {
  reveal(trace, link.from);
  setCursor(link.start + trace.shift, rowOfNode(trace, link.from));
  speak(`sender: ${trace.pathOf(link.from)}`);
}

// Whether a node is that of a row, or below it.
function isWithin(row, index) {
  for (let at = index; at; at = row.trace.nodes[at].parent)
    if (at === row.node.index)
      return true;
  return false;
}

// From the row of the cursor to the receiver of the message that it sends next, and the state that waited for it.
async function followToWaiter() {
  const row = cursorRow();
  if (!row)
    return note('Click a row first.');
  const {trace} = row, time = app.cursor.time - trace.shift;
  const sent = trace.arrows.filter(link => isWithin(row, link.from)).sort((a, b) => a.start - b.start);
  const link = sent.find(one => one.start >= time - 1e-12 * Math.abs(time)) || sent.pop();
  if (!link)
    return note('No message from this row on the screen.');
  reveal(trace, link.to);
  const before = link.end - (link.end - link.start) * 1e-6;
  const waiting = isReady(trace) ? await waitingState(trace, link, before) : null;
  setCursor(before + trace.shift, waiting && waiting.row || rowOfNode(trace, link.to));
  return speak(`receiver: ${trace.pathOf(link.to)}` + (waiting ? `, in ${waiting.name} for ${duration(link.end - waiting.start)}` : ''));
}

// The state of the receiver, or of a container in it, that ends nearest to where the message arrives.
async function waitingState(trace, link, time) {
  const far = state => Math.abs(state.end - link.end);
  const {text} = await trace.run('at', '--', 'TRACE', plain(time)), states = [];
  for (const {kind, node, text: line} of parseAt(trace, text)) {
    const found = kind === 'state' && /: (.*), ([-+.\de]+) to ([-+.\de]+)$/s.exec(line);
    if (found && node >= 0 && isWithin({trace, node: trace.nodes[link.to]}, node))
      states.push({node, name: found[1], start: Number(found[2]), end: Number(found[3])});
  }
  const best = states.sort((a, b) => far(a) - far(b))[0];
  return best && {...best, row: app.rows.find(row => row.trace === trace && row.band && row.band.kind === STATE &&
                                                   row.node.index === best.node)};
}

// From the row of the cursor to the sender of the message that arrived last, or next if none has.
function followToSender() {
  const row = cursorRow();
  if (!row)
    return note('Click a row first.');
  const {trace} = row, time = app.cursor.time - trace.shift;
  const item = itemAt({x: xOf(app.cursor.time), y: screenY(row) + row.height - 2});
  const until = item && item.kind === STATE && !item.isSummedUp ? item.to - trace.shift : time;
  const arrivals = trace.arrows.filter(link => isWithin(row, link.to)).sort((a, b) => a.end - b.end);
  const before = arrivals.filter(link => link.end <= until + 1e-12 * Math.abs(until)).pop();
  const link = before || arrivals[0];
  return link ? followLink({trace, link}) : note('No message to this row on the screen.');
}

// The rows of the diagram: the tree of containers, with what is collapsed, filtered, sorted and pinned.
'use strict';

const HEIGHTS = {group: 18, state: 20, nested: 16, variable: 34, event: 18};
const MANY_NODES = 3000; // beyond, containers are collapsed at first
const LIST_COST = 10; // while containers arrive, listing the rows takes at most a tenth of the time
let isStale = false, listedAt = 0, listMs = 0, growTimer = 0;

function rowsChanged() {
  if (!isStale)
    requestAnimationFrame(() => {
      isStale = false;
      listRows();
      draw();
    });
  isStale = true;
}

// The trace has told of other containers.
function rowsGrew() {
  if (!growTimer)
    growTimer = setTimeout(() => {
      growTimer = 0;
      rowsChanged();
    }, Math.max(0, listedAt + LIST_COST * listMs - performance.now()));
}

const MOST_SCREENS = 3; // of rows, beyond which states are not drawn below each other unless one asks for it

// The states of some rows turned out to be nested.
function rowsAreHigher() {
  rowsChanged();
  if (app.isNestedAsked)
    return;
  let height = 0;
  for (const trace of app.traces)
    for (const band of trace.bands)
      height += heightOf(band);
  if (height > MOST_SCREENS * plotHeight()) {
    app.isNested = false;
    byId('nested').setAttribute('aria-pressed', 'false');
  }
}

const collator = new Intl.Collator('en', {numeric: true});

const BY_NAME = 1, BY_START = 2, BY_NAME_DOWN = 3; // orders; 0 is that of creation

// Children in the order that was chosen.  In that of creation, names that differ in numbers alone come in the order of
// these.
function childrenOf(trace, node) {
  if (node.sortedCount === node.children.length && node.sortedBy === app.order)
    return node.sorted;
  const children = node.children.map(index => trace.nodes[index]);
  const shapes = app.order ? null : new Set(children.map(child => child.type + child.name.replace(/\d+/g, '#')));
  if (app.order === BY_START)
    children.sort((a, b) => a.start - b.start);
  else if (app.order || shapes.size === 1)
    children.sort((a, b) => collator.compare(a.name, b.name) * (app.order === BY_NAME_DOWN ? -1 : 1));
  node.sorted = children;
  node.sortedCount = children.length;
  node.sortedBy = app.order;
  return children;
}

function bandsOf(node, trace) {
  if (!node.isSorted) {
    const place = {[STATE]: 0, [VARIABLE]: 1, [EVENT]: 2};
    node.bands.sort((a, b) => trace.bands[a].kind === trace.bands[b].kind ? a - b
      : place[trace.bands[a].kind] - place[trace.bands[b].kind]);
    node.isSorted = true;
  }
  return node.bands;
}

function heightOf(band) {
  const base = band.kind === VARIABLE ? HEIGHTS.variable : band.kind === EVENT ? HEIGHTS.event : HEIGHTS.state;
  const nested = band.kind === STATE && app.isNested ? Math.min(band.depths, 8) - 1 : 0;
  return Math.max(3, Math.round((base + nested * HEIGHTS.nested) * app.scale));
}

// Which nodes match the filter, and those that lead to them and are in them; null: all.
function chosenNodes(trace) {
  if (!app.filter)
    return null;
  const matches = matcher(app.filter), chosen = new Uint8Array(trace.nodes.length);
  for (const node of trace.nodes) {
    if (chosen[node.parent] === 2 || (node.index && matches(node.name)))
      chosen[node.index] = 2;
    else
      continue;
    for (let up = node.parent; !chosen[up]; up = trace.nodes[up].parent)
      chosen[up] = 1;
  }
  return chosen;
}

function addNode(trace, node, level, chosen, rows) {
  const isClosed = trace.closed.has(node.index), hasChildren = node.children.length > 0;
  const common = {trace, node, level, hasChildren, isClosed};
  const matched = bandsOf(node, trace);
  const isBelow = isClosed && hasChildren;
  if (isBelow || (!matched.length && (node.index || !hasChildren)))
    rows.push({...common, key: -1 - node.index, mode: isBelow ? 2 : -1, place: node.index, band: null, isHead: true,
               height: Math.max(3, Math.round((isBelow ? HEIGHTS.state : HEIGHTS.group) * app.scale))});
  if (!isBelow)
    matched.forEach((index, i) => {
      const band = trace.bands[index];
      rows.push({...common, key: index, mode: app.isNested ? 0 : 1, place: index, band, isHead: i === 0,
                 height: heightOf(band)});
    });
}

function listRows() {
  const rows = [], began = performance.now();
  for (const trace of app.traces) {
    if (!trace.nodes.length)
      continue;
    if (!trace.wasFolded && trace.nodes.length > MANY_NODES)
      foldMany(trace);
    const chosen = chosenNodes(trace);
    if (app.traces.length > 1)
      rows.push({trace, node: trace.nodes[0], level: 0, isTitle: true, key: -1, mode: -1, place: 0, band: null,
                 isHead: true, height: 22});
    const stack = [[trace.nodes[0], app.traces.length > 1 ? 1 : 0]];
    while (stack.length) {
      const [node, level] = stack.pop();
      if (chosen && !chosen[node.index])
        continue;
      if (node.index || node.bands.length)
        addNode(trace, node, level, chosen, rows);
      if (trace.closed.has(node.index))
        continue;
      const children = childrenOf(trace, node);
      for (let i = children.length - 1; i >= 0; i--)
        stack.push([children[i], node.index ? level + 1 : level]);
    }
  }
  const nameOf = row => rowName(row);
  const isPinned = row => app.pinned.has(nameOf(row));
  const fixed = app.pinned.size ? rows.filter(isPinned) : [];
  app.rows = fixed.length ? [...fixed.map(row => ({...row, isPinned: true})), ...rows.filter(row => !isPinned(row))]
    : rows;
  let y = 0;
  app.fixedHeight = 0;
  for (const row of app.rows) {
    row.y = y;
    y += row.height;
    if (row.isPinned)
      app.fixedHeight = y;
  }
  app.height = y;
  app.top = Math.max(0, Math.min(app.top, app.height - plotHeight()));
  byId('tall').style.height = app.height + 'px';
  listedAt = performance.now();
  listMs = listedAt - began;
}

// The name of a row that stays, whatever else there is.
function rowName(row) {
  return `${app.traces.indexOf(row.trace)}:${row.trace.keyOf(row.node.index)}` +
    (row.band ? `:${row.band.kind}:${row.trace.types[row.band.type].name}` : '');
}

let named = {rows: null, name: null, row: null}; // what was looked up last

// The row of a name; null: there is none.
function rowNamed(name) {
  if (named.rows !== app.rows || named.name !== name)
    named = {rows: app.rows, name, row: name ? app.rows.find(row => rowName(row) === name) || null : null};
  return named.row;
}

// Collapses containers with others in them, also those that come later.
function foldMany(trace) {
  trace.wasFolded = trace.foldsNew = true;
  for (const node of trace.nodes)
    if (node.index && node.children.length)
      trace.closed.add(node.index);
}

function toggleNode(row, all) {
  const {trace, node} = row;
  const close = !trace.closed.has(node.index);
  const levelOf = index => {
    let level = 0;
    for (let at = index; at; at = trace.nodes[at].parent)
      level++;
    return level;
  };
  const level = all ? levelOf(node.index) : 0;
  for (const one of all ? trace.nodes.filter(other => other.children.length && levelOf(other.index) === level) : [node])
    if (close)
      trace.closed.add(one.index);
    else
      trace.closed.delete(one.index);
  trace.wasFolded = true;
  viewChanged();
  rowsChanged();
}

// Opens what is around a container.
function reveal(trace, index) {
  for (let at = trace.nodes[index].parent; at; at = trace.nodes[at].parent)
    trace.closed.delete(at);
  listRows();
}

// The row at a height of the plot; null: none.
function rowAt(y) {
  const at = y < app.fixedHeight ? y : y + app.top;
  let low = 0, high = app.rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (app.rows[middle].y + app.rows[middle].height <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return app.rows[low] || null;
}

function screenY(row) {
  return row.isPinned ? row.y : row.y - app.top;
}

// Rows on the screen: the pinned ones, then the others.
function visibleRows() {
  const seen = [], bottom = plotHeight();
  let i = 0;
  while (i < app.rows.length && app.rows[i].isPinned)
    seen.push(app.rows[i++]);
  const first = rowAt(app.fixedHeight);
  for (i = Math.max(i, first ? app.rows.indexOf(first) : app.rows.length); i < app.rows.length; i++) {
    if (screenY(app.rows[i]) >= bottom)
      break;
    seen.push(app.rows[i]);
  }
  return seen;
}

// The row of a node, or of the nearest collapsed one around it.
function rowOfNode(trace, index) {
  if (!trace.rowOfNode || trace.rowOfNode.of !== app.rows) {
    trace.rowOfNode = new Map();
    trace.rowOfNode.of = app.rows;
    for (const row of app.rows)
      if (row.trace === trace && !row.isTitle && !trace.rowOfNode.has(row.node.index))
        trace.rowOfNode.set(row.node.index, row);
  }
  for (let at = index; ; at = trace.nodes[at].parent) {
    const row = trace.rowOfNode.get(at);
    if (row || !at || !trace.nodes[at])
      return row || null;
  }
}

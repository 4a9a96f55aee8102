// The view in the page's address, so that it can be sent; and `?trace=`.
'use strict';

let addressTimer = 0;

function viewChanged() {
  if (!addressTimer)
    addressTimer = setTimeout(writeAddress, 300);
}

function viewState() {
  const closed = app.traces.map(trace => [...trace.closed].filter(index => trace.nodes[index]).slice(0, 200)
    .map(index => trace.keyOf(index)));
  return {
    from: app.view.from, to: app.view.to, top: Math.round(app.top), scale: app.scale, colors: app.colors, order: app.order,
    nested: app.isNested, links: app.hasLinks, filter: app.filter, search: app.search, theme: document.documentElement.dataset.theme,
    cursor: app.cursor, selection: app.selection, marks: app.marks, pinned: [...app.pinned], closed, starts: app.alignStarts,
  };
}

function writeAddress() {
  addressTimer = 0;
  if (!app.traces.length || !app.hasView)
    return;
  const address = new URLSearchParams();
  const state = viewState();
  for (const [name, value] of Object.entries(state))
    if (value !== null && value !== '' && value !== false && !(Array.isArray(value) && !value.flat().length))
      address.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  try {
    history.replaceState(null, '', '#' + address);
  } catch {
    // Some browsers limit how often, or do not allow it for files.
  }
}

function parse(text, otherwise) {
  try {
    return JSON.parse(text) ?? otherwise;
  } catch {
    return otherwise;
  }
}

// Takes the view of an address; what is missing or no such thing keeps its default.
function readAddress(text) {
  const address = new URLSearchParams(text), numberOf = (name, otherwise) => {
    const value = Number(address.get(name));
    return address.has(name) && isFinite(value) ? value : otherwise;
  };
  const isTime = value => value && isFinite(value.from) && isFinite(value.to);
  const wanted = {from: numberOf('from', NaN), to: numberOf('to', NaN), top: numberOf('top', 0),
                  closed: parse(address.get('closed'), null)};
  app.scale = Math.max(0.15, Math.min(4, numberOf('scale', 1)));
  app.colors = Math.max(0, Math.min(2, numberOf('colors', 0) | 0));
  app.order = Math.max(0, Math.min(3, numberOf('order', 0) | 0));
  app.isNested = !address.has('from') || address.get('nested') === 'true';
  app.isNestedAsked = address.has('from');
  app.hasLinks = !address.has('from') || address.get('links') === 'true';
  app.alignStarts = false;
  app.filter = address.get('filter') || '';
  app.search = address.get('search') || '';
  const cursor = parse(address.get('cursor'), null), selection = parse(address.get('selection'), null);
  app.cursor = cursor && isFinite(cursor.time) ? {time: cursor.time, row: cursor.row ? String(cursor.row) : null} : null;
  app.selection = isTime(selection) ? selection : null;
  const marks = parse(address.get('marks'), []);
  app.marks = Array.isArray(marks) ? marks.filter(mark => mark && isFinite(mark.time) && isTime(mark))
    .map(mark => ({time: mark.time, from: mark.from, to: mark.to, name: String(mark.name), row: mark.row})) : [];
  const pinned = parse(address.get('pinned'), []);
  app.pinned = new Set(Array.isArray(pinned) ? pinned.map(String) : []);
  if (['light', 'dark'].includes(address.get('theme')))
    document.documentElement.dataset.theme = address.get('theme');
  if (wanted.to > wanted.from) {
    app.view = {from: wanted.from, to: wanted.to};
    app.hasView = true;
  }
  app.wanted = wanted;
}

// Collapses what the address says, once the containers are known.
function applyWanted(trace) {
  const closed = app.wanted && app.wanted.closed ? app.wanted.closed[app.traces.indexOf(trace)] : null;
  if (!Array.isArray(closed))
    return;
  const paths = new Set(closed);
  for (const node of trace.nodes)
    if (node.children.length && paths.has(trace.keyOf(node.index)))
      trace.closed.add(node.index);
  trace.wasFolded = true;
}

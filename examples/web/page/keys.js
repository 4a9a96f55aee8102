// What keys do; each can be seen in the help.
'use strict';

const KEYS = [
  ['W S', 'zoom in, out'], ['A D', 'move left, right'], ['← →', 'cursor to the change before, after'],
  ['↑ ↓', 'row above, below'], ['Enter', 'collapse or expand'], ['Shift Enter', 'all of that level'],
  ['Z', 'zoom to what the cursor is on'], ['0', 'all of the time'], ['Page ↑ ↓', 'scroll rows'],
  ['+ −', 'higher, lower rows'], ['/', 'search'], ['. ,', 'next, previous match'], ['F', 'filter rows'],
  ['V', 'order of rows'],
  ['G', 'from a row to the sender of its message'], ['K', 'from a row to the state that waited for its message'], ['X', 'pin the row'], ['N', 'nested states'], ['L', 'links'],
  ['C', 'colours: value, type, duration'], ['M', 'measure from the cursor'], ['R', 'selection from the cursor'],
  ['B', 'bookmark'], ['J', 'begin of traces on one instant'], ['P', 'panel'], ['T', 'light or dark'],
  ['O', 'open traces'], ['E', 'export what is seen'], ['Esc', 'no selection, no search'], ['?', 'this help'],
];
const MOUSE = [['wheel', 'zoom at the pointer'], ['drag', 'move'], ['Shift drag', 'select a range'],
  ['Alt drag', 'measure'], ['Shift wheel', 'height of rows'], ['click', 'details of an instant'],
  ['double click', 'zoom to a state'], ['pinch', 'zoom']];

function showHelp() {
  const list = entries => {
    const parts = entries.flatMap(([keys, does]) => [
      make('dt', {}, ...keys.split(' ').flatMap(key => [make('kbd', {textContent: key}), ' '])), make('dd', {textContent: does})]);
    return make('dl', {}, ...parts);
  };
  const close = make('button', {textContent: 'Close', onclick: () => byId('keys').close()});
  byId('keys').replaceChildren(make('h2', {textContent: 'Mouse'}), list(MOUSE), make('h2', {textContent: 'Keys'}),
                               list(KEYS), make('div', {className: 'tools'}, close));
  byId('keys').showModal();
}

function moveRow(by) {
  const rows = app.rows;
  if (!rows.length)
    return;
  const now = cursorRow(), at = now ? rows.indexOf(now) + by : 0;
  const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
  setCursor(app.cursor ? app.cursor.time : (app.view.from + app.view.to) / 2, row);
  const {name, kind} = labelOf({...row, isHead: true});
  speak(`${name} ${kind}, level ${row.level + 1}${row.hasChildren ? row.isClosed ? ', collapsed' : ', expanded' : ''}`);
}

// To the next change of the row that the cursor is on, in all of the trace.
function moveToChange(back) {
  const row = cursorRow();
  if (!row || !row.band)
    return pan(back ? -0.1 : 0.1);
  return find([row.trace], app.cursor.time, back, '', row.band.index);
}

function zoomToCursor() {
  const row = cursorRow();
  if (!row)
    return zoom(0.5);
  const item = itemAt({x: xOf(app.cursor.time), y: screenY(row) + row.height - 2});
  if (!item || item.kind === undefined || !(item.to > item.from))
    return zoom(0.5, app.cursor.time);
  const span = item.to - item.from;
  return setView(item.from - span * 0.1, item.to + span * 0.1);
}

function cycleColors() {
  app.colors = (app.colors + 1) % 3;
  byId('colors').value = app.colors;
  optionsChanged();
}

function cycleOrder() {
  app.order = (app.order + 1) % 4;
  byId('order').value = app.order;
  optionsChanged();
}

function toggle(name, button) {
  app.isNestedAsked = app.isNestedAsked || name === 'isNested';
  app[name] = !app[name];
  byId(button).setAttribute('aria-pressed', String(app[name]));
  optionsChanged();
}

function optionsChanged() {
  listRows();
  viewChanged();
  askOverview();
  draw();
}

function escape_() {
  app.selection = app.measure = null;
  if (app.search) {
    byId('search').value = '';
    searchChanged();
  }
  showProfile();
  viewChanged();
  draw();
}

// Moves begin and end of a range with the cursor, without a mouse.
function rangeFromCursor(name) {
  const time = app.cursor ? app.cursor.time : (app.view.from + app.view.to) / 2;
  const open = app[name] && app[name].isOpen;
  if (!open) {
    app[name] = {from: time, to: time, isOpen: true};
    speak((name === 'measure' ? 'measuring' : 'selecting') + ' from here; the same key at the other end');
    return draw();
  }
  const {from} = app[name];
  app[name] = {from: Math.min(from, time), to: Math.max(from, time)};
  if (name === 'selection')
    return select(app.selection.from, app.selection.to);
  speak('measured: ' + duration(app.measure.to - app.measure.from));
  return draw();
}

const ACTIONS = {
  w: () => zoom(1 / 1.4, app.cursor ? app.cursor.time : undefined), s: () => zoom(1.4, app.cursor ? app.cursor.time : undefined),
  a: () => pan(-0.15), d: () => pan(0.15),
  ArrowUp: () => moveRow(-1), ArrowDown: () => moveRow(1),
  ArrowLeft: () => moveToChange(true), ArrowRight: () => moveToChange(false),
  PageUp: () => scrollBy(-plotHeight() * 0.8), PageDown: () => scrollBy(plotHeight() * 0.8),
  Home: () => scrollBy(-1e9), End: () => scrollBy(1e9),
  Enter: event => cursorRow() && cursorRow().hasChildren && toggleNode(cursorRow(), event.shiftKey),
  z: zoomToCursor, 0: showAll, '+': () => setScale(app.scale * 1.2), '=': () => setScale(app.scale * 1.2),
  '-': () => setScale(app.scale / 1.2), '/': () => byId('search').focus(), f: () => byId('filter').focus(),
  '.': () => findNext(false), ',': () => findNext(true), g: followToSender, x: () => togglePin(cursorRow()),
  n: () => toggle('isNested', 'nested'), l: () => toggle('hasLinks', 'links'), c: cycleColors, v: cycleOrder, k: followToWaiter,
  m: () => rangeFromCursor('measure'), r: () => rangeFromCursor('selection'), b: addMark, j: alignStarts,
  p: togglePanel, t: toggleTheme, o: pickFiles, e: showExport, Escape: escape_, '?': showHelp,
};

function pressKey(event) {
  const isTyping = event.target.closest('input, select, textarea, dialog');
  if (event.ctrlKey || event.metaKey || event.altKey)
    return;
  if (isTyping) {
    if (event.key === 'Escape')
      byId('plot').focus();
    return;
  }
  if (event.target.closest('button') && (event.key === 'Enter' || event.key === ' '))
    return;
  const action = ACTIONS[event.key] || ACTIONS[event.key.toLowerCase()];
  if (!action || event.key.length > 1 && !ACTIONS[event.key])
    return;
  event.preventDefault();
  action(event);
}

function togglePin(row) {
  if (!row)
    return;
  const name = rowName(row);
  if (!app.pinned.delete(name))
    app.pinned.add(name);
  listRows();
  viewChanged();
  draw();
}

function togglePanel() {
  byId('panel').hidden = !byId('panel').hidden;
  byId('side').setAttribute('aria-pressed', String(!byId('panel').hidden));
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  measure();
  drawnLabels = '';
  askOverview();
  draw();
}

function toggleTheme() {
  setTheme(isDark() ? 'light' : 'dark');
  viewChanged();
}

// Moves all traces so that they begin at the instant of the first one, or back.
function alignStarts() {
  app.alignStarts = !app.alignStarts;
  const first = app.traces[0];
  for (const trace of app.traces)
    trace.shift = app.alignStarts ? first.status.first - trace.status.first : 0;
  for (const trace of app.traces)
    trace.lastRequest = null;
  viewChanged();
  askOverview();
  draw();
}

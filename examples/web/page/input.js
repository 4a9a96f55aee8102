// What the mouse, fingers and the wheel do.
'use strict';

const LEAST_SPAN = 1e-15; // of the view, as a share of its distance from 0

// Sets the range of time on the screen.
function setView(from, to, isQuiet) {
  const least = Math.max(LEAST_SPAN * 64 * Math.max(Math.abs(from), Math.abs(to)), 1e-300);
  if (!(to - from > least))
    return;
  app.view = {from, to};
  app.hasView = app.hasView || !isQuiet;
  app.since = app.since || performance.now();
  if (!isQuiet)
    viewChanged();
  draw();
}

function zoom(factor, time = (app.view.from + app.view.to) / 2) {
  const {from, to} = app.view, range = overviewRange();
  if (range && factor > 1 && (to - from) * factor > 3 * (range.to - range.from))
    return;
  setView(time - (time - from) * factor, time + (to - time) * factor);
}

function pan(share) {
  const span = (app.view.to - app.view.from) * share, range = overviewRange();
  if (range && ((share < 0 && app.view.to + span < range.from) || (share > 0 && app.view.from + span > range.to)))
    return;
  setView(app.view.from + span, app.view.to + span);
}

function scrollBy(pixelsDown) {
  app.top = Math.max(0, Math.min(app.height - plotHeight(), app.top + pixelsDown));
  byId('scroll').scrollTop = app.top;
  draw();
}

function showAll() {
  const range = overviewRange();
  if (!range)
    return;
  const span = range.to - range.from;
  setView(range.from - span * 0.005, range.to + span * 0.005);
}

function setScale(scale) {
  const row = rowAt(plotHeight() / 2), at = row ? (app.top + plotHeight() / 2 - row.y) / row.height : 0;
  app.scale = Math.max(0.15, Math.min(4, scale));
  listRows();
  const now = row && app.rows.find(one => one.key === row.key && one.trace === row.trace);
  if (now)
    app.top = Math.max(0, now.y + at * now.height - plotHeight() / 2);
  app.top = Math.max(0, Math.min(app.top, app.height - plotHeight()));
  draw();
}

// Brings a row onto the screen.
function showRow(row) {
  if (row.isPinned)
    return;
  if (screenY(row) < app.fixedHeight)
    app.top = row.y - app.fixedHeight;
  else if (screenY(row) + row.height > plotHeight())
    app.top = row.y + row.height - plotHeight();
  byId('scroll').scrollTop = app.top;
}

// Puts the cursor on a row at an instant.
function setCursor(time, row) {
  app.cursor = {time, row: row ? rowName(row) : null};
  if (time < app.view.from || time > app.view.to) {
    const half = (app.view.to - app.view.from) / 2;
    setView(time - half, time + half);
  }
  if (row)
    showRow(row);
  showDetails();
  viewChanged();
  draw();
}

function cursorRow() {
  return app.cursor ? rowNamed(app.cursor.row) : null;
}

// ---- gestures

const fingers = new Map();
let drag = null, glide = null;

function pointOf(event) {
  const box = byId('plot').getBoundingClientRect();
  return {x: event.clientX - box.left, y: event.clientY - box.top};
}

function beginGesture(event) {
  const at = pointOf(event);
  if (event.button > 0 || event.target.closest('#labels, #scroll, #splitter, #drop'))
    return;
  byId('plot').focus({preventScroll: true});
  byId('plot').setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, at);
  if (fingers.size === 2) {
    drag = {kind: 'pinch'};
    return;
  }
  drag = {...at, view: app.view, top: app.top, moved: false,
          kind: event.shiftKey ? 'select' : event.altKey ? 'measure' : 'pan'};
  if (drag.kind !== 'pan')
    drag.time = timeAt(at.x);
}

function pinch(before, event) {
  const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
  if (!others.length)
    return;
  const now = fingers.get(event.pointerId), other = others[0];
  const was = Math.max(10, Math.abs(before.x - other.x)), is = Math.max(10, Math.abs(now.x - other.x));
  zoom(was / is, timeAt((now.x + other.x) / 2));
  const moved = (now.x - before.x) / 2 / plotWidth();
  pan(-moved);
}

function continueGesture(event) {
  const at = pointOf(event);
  if (fingers.has(event.pointerId)) {
    const before = fingers.get(event.pointerId);
    fingers.set(event.pointerId, at);
    if (drag && drag.kind === 'pinch')
      return pinch(before, event);
  }
  if (drag && fingers.has(event.pointerId)) {
    drag.moved = drag.moved || Math.hypot(at.x - drag.x, at.y - drag.y) > 3;
    if (!drag.moved)
      return undefined;
    hideTip();
    if (drag.kind === 'pan') {
      const span = drag.view.to - drag.view.from, by = (drag.x - at.x) / plotWidth() * span;
      app.top = Math.max(0, Math.min(app.height - plotHeight(), drag.top + drag.y - at.y));
      byId('scroll').scrollTop = app.top;
      setView(drag.view.from + by, drag.view.to + by);
    } else {
      app[drag.kind === 'select' ? 'selection' : 'measure'] = {from: drag.time, to: timeAt(at.x)};
      drawOverlay();
    }
    return undefined;
  }
  hover(at, event);
  return undefined;
}

function endGesture(event) {
  if (!fingers.delete(event.pointerId) || !drag)
    return;
  const at = pointOf(event), {kind, moved} = drag;
  drag = null;
  if (kind === 'select' && moved) {
    const {from, to} = app.selection;
    select(Math.min(from, to), Math.max(from, to));
  } else if (kind === 'measure' && moved) {
    speak('measured: ' + duration(Math.abs(app.measure.to - app.measure.from)));
  } else if (!moved && kind === 'pan' && at.x > app.gutter) {
    const link = linkAt(at);
    if (link)
      followLink(link);
    else
      setCursor(timeAt(at.x), rowAt(at.y));
  } else if (!moved && kind !== 'pinch') {
    app.selection = kind === 'select' ? null : app.selection;
    app.measure = null;
    draw();
  }
}

function turnWheel(event) {
  if (!app.traces.length || event.target.closest('#drop'))
    return;
  event.preventDefault();
  const size = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? plotHeight() : 1;
  const down = event.deltaY * size, right = event.deltaX * size, at = pointOf(event);
  if (event.shiftKey && !event.ctrlKey && down)
    setScale(app.scale * 1.15 ** (-down / 100));
  else if (Math.abs(right) > Math.abs(down))
    pan(right / plotWidth());
  else if (at.x < app.gutter || event.altKey)
    scrollBy(down);
  else
    zoom(1.2 ** (Math.max(-300, Math.min(300, down)) / 100), timeAt(at.x));
}

// ---- the pointer over the diagram

// The item of a picture below a point: its value, where it begins and ends; null: none.
function itemAt(at) {
  const row = rowAt(at.y), picture = row && row.mode >= 0 ? pictureOf(row) : null;
  const data = picture && picture.rows.get(row.key);
  if (!data)
    return row ? {row} : null;
  const {words, floats} = picture, {first, column} = placeOf(picture, row, plotWidth());
  const depths = data.isSum || data.depths < 2 ? 1 : Math.min(8, data.depths), lane = HEIGHTS.nested * app.scale;
  const down = at.y - screenY(row);
  const depth = depths > 1 ? Math.max(0, depths - 1 - Math.floor((row.height - down) / lane)) : 0;
  let best = null;
  for (let i = 0, k = data.at; i < data.items; i++, k += 5) {
    const from = first + floats[k] * column, to = first + floats[k + 1] * column, x = at.x - app.gutter;
    if (x < from - (data.kind === EVENT ? 3 : 0.5) || x > to + (data.kind === EVENT ? 3 : 0.5) ||
        (data.kind === STATE && depths > 1 && depthOf(words, k) !== depth))
      continue;
    const isNarrow = data.kind === STATE ? isOfColumns(words, k) : data.kind === VARIABLE && floats[k + 1] - floats[k] <= 1;
    best = {row, kind: data.kind, isSum: data.isSum, value: words[k + 3], color: words[k + 2], count: words[k + 4],
            isSummedUp: data.isSum || words[k + 3] === 0xffffffff || isNarrow,
            least: floats[k + 2], most: floats[k + 3], mean: floats[k + 4], depth,
            ...timesOf(picture, row, k)};
  }
  return best || {row};
}

// When an item begins and ends: those that reach far beyond the picture have their times beside it.
function timesOf(picture, row, at) {
  const times = picture.far.get(at);
  if (times)
    return {from: times[0] + row.trace.shift, to: times[1] + row.trace.shift};
  return {from: timeOfColumn(picture, row, picture.floats[at]), to: timeOfColumn(picture, row, picture.floats[at + 1])};
}

function timeOfColumn(picture, row, column) {
  return picture.from + column * (picture.to - picture.from) / picture.columns + row.trace.shift;
}

function linkAt(at) {
  let best = null, least = 5;
  for (const trace of app.hasLinks ? app.traces : [])
    for (const it of trace.shownLinks || []) {
      const dx = it.x2 - it.x1, dy = it.y2 - it.y1, size = dx * dx + dy * dy || 1;
      const share = Math.max(0, Math.min(1, ((at.x - it.x1) * dx + (at.y - it.y1) * dy) / size));
      const far = Math.hypot(it.x1 + share * dx - at.x, it.y1 + share * dy - at.y);
      if (far < least && at.x > app.gutter) {
        least = far;
        best = {...it, trace};
      }
    }
  return best && (app.traces[0].shownLinks || []).length > 300 ? (least < 2 ? best : null) : best;
}

function hideTip() {
  byId('tip').hidden = true;
}

function hover(at, event) {
  const isOver = at.x > app.gutter && at.x < app.gutter + plotWidth() && event.target.closest('#plot') &&
    !event.target.closest('#labels, #drop');
  app.hover = isOver ? at : null;
  app.hoverLink = isOver ? linkAt(at) : null;
  drawOverlay();
  const lines = isOver ? tipOf(at) : null;
  if (!lines)
    return hideTip();
  const tip = byId('tip');
  tip.replaceChildren(...lines);
  tip.hidden = false;
  tip.style.left = Math.max(4, Math.min(at.x + 14, byId('plot').clientWidth - tip.offsetWidth - 20)) + 'px';
  tip.style.top = Math.max(2, at.y + 18 + tip.offsetHeight > plotHeight() ? at.y - tip.offsetHeight - 10 : at.y + 18) + 'px';
  return undefined;
}

function tipOf(at) {
  const dim = text => make('i', {textContent: text}), strong = text => make('b', {textContent: text});
  if (app.hoverLink) {
    const {trace, link} = app.hoverLink, value = trace.values[link.value];
    return [strong(value ? `${trace.types[value.type].name}: ${value.name}` : 'link'), '\n' +
            `${trace.pathOf(link.from)} → ${trace.pathOf(link.to)}\n`,
            dim(`${instant(link.start + trace.shift)} to ${instant(link.end + trace.shift)}: ` +
                `${duration(link.end - link.start)}; click: to its sender`)];
  }
  const item = itemAt(at);
  if (!item)
    return null;
  const {row} = item, lines = [dim(row.trace.pathOf(row.node.index) || row.trace.name)];
  if (item.kind === undefined)
    return [...lines, dim('\n' + instant(timeAt(at.x)))];
  const type = row.band ? row.trace.types[row.band.type].name : 'states inside';
  if (item.kind === VARIABLE) {
    const isOne = item.least === item.most;
    lines.push('\n', strong(`${type}: ${number(item.mean)}`));
    if (!isOne)
      lines.push(` (${number(item.least)} to ${number(item.most)})`);
    if (item.isSummedUp)
      lines.push(' ', dim('summed up: zoom in'));
  } else if (item.value === 0xffffffff || item.isSum) {
    lines.push('\n', strong(item.kind === EVENT ? `${count(item.count)} events` : type), ' ', dim('summed up: zoom in'));
  } else {
    const value = row.trace.values[item.value];
    lines.push('\n', make('span', {className: 'swatch'}), strong(value ? value.name : '?'),
               dim(` ${value && item.kind === EVENT ? row.trace.types[value.type].name : type}`));
    lines[2].style.background = cssColor(item.color);
    if (item.kind === EVENT ? item.count > 1 : item.isSummedUp)
      lines.push(' ', dim((item.kind === EVENT ? `${count(item.count)} events, ` : '') + 'summed up: zoom in'));
  }
  if (item.kind === EVENT)
    lines.push('\n', dim(instant(item.from)));
  else
    lines.push('\n', dim(`${instant(item.from)} to ${instant(item.to)}: ${duration(item.to - item.from)}`));
  return lines;
}

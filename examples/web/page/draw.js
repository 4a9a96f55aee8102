// Draws the diagram: pixels of rows, then names in states, links, and what lies over them.
'use strict';

let isDrawing = false;
const LEAST_NAME = 26, MOST_NAMES = 1500, MARGIN = 0.5, MOST_LINKS = 1000; // pixels; names; of the view on each side

// Sizes of elements and colours of the theme, which are slow to ask for in each picture.
const sizes = new Map(), theme = {};

function measure() {
  for (const name of ['plot', 'canvas', 'overlay', 'axis', 'overview'])
    sizes.set(name, {width: byId(name).clientWidth, height: byId(name).clientHeight});
  const style = getComputedStyle(document.documentElement);
  for (const name of ['focus', 'mark', 'dim', 'line', 'shade'])
    theme[name] = style.getPropertyValue('--' + name);
}

const plotWidth = () => Math.max(50, sizes.get('plot').width - app.gutter - 12);
const plotHeight = () => sizes.get('plot').height;
const timeAt = x => app.view.from + (x - app.gutter) / plotWidth() * (app.view.to - app.view.from);
const xOf = time => app.gutter + (time - app.view.from) / (app.view.to - app.view.from) * plotWidth();

function draw() {
  if (!isDrawing)
    requestAnimationFrame(drawNow);
  isDrawing = true;
}

// Sets the size of a canvas in pixels of the screen; returns its context, which draws in CSS pixels.
function contextOf(canvas, ratio) {
  const size = sizes.get(canvas.id), width = Math.round(size.width * ratio), height = Math.round(size.height * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d', {willReadFrequently: canvas.id === 'canvas'});
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// The newest picture that has a row, and covers more of the view than others.
function pictureOf(row) {
  const from = app.view.from - row.trace.shift, to = app.view.to - row.trace.shift;
  let best = null, most = -1;
  for (const picture of row.trace.pictures) {
    if (!picture.rows.has(row.key))
      continue;
    const covered = Math.min(to, picture.to) - Math.max(from, picture.from);
    if (covered > most * 1.001 || (!best && covered >= 0)) {
      best = picture;
      most = covered;
    }
  }
  return best;
}

function drawNow() {
  isDrawing = false;
  const ratio = devicePixelRatio || 1, canvas = byId('canvas'), context = contextOf(canvas, ratio);
  const left = Math.round(app.gutter * ratio), width = Math.round(plotWidth() * ratio), height = canvas.height;
  if (width < 1 || height < 1)
    return;
  beginImage(width, height, context);
  const rows = visibleRows();
  const scrolled = rows.filter(row => !row.isPinned), pinned = rows.filter(row => row.isPinned);
  const drawn = [];
  for (const group of [scrolled, pinned]) {
    if (group === pinned && pinned.length)
      pixels.fill(packed(paperColor()), 0, Math.min(pixels.length, Math.round(app.fixedHeight * ratio) * width));
    for (const row of group) {
      const picture = row.mode >= 0 ? pictureOf(row) : null;
      drawRule(row, width, ratio);
      if (picture)
        paintRow(row, picture, width, ratio);
      if (picture)
        drawn.push([row, picture]);
    }
  }
  context.putImageData(image, left, 0);
  context.save();
  context.beginPath();
  context.rect(app.gutter, 0, plotWidth(), plotHeight());
  context.clip();
  drawNames(context, drawn);
  if (app.hasLinks)
    for (const trace of app.traces)
      drawLinks(context, trace);
  context.restore();
  drawAxis();
  drawLabels(rows);
  drawOverlay();
  placeOverviewWindow();
  askPictures(rows);
  app.frames++;
}

function drawRule(row, width, ratio) {
  const y = Math.round((screenY(row) + row.height) * ratio) - 1;
  if (row.height >= 8 && y >= 0 && y < image.height)
    pixels.fill(packed(isDark() ? 0x20262f : 0xeef0f4), y * width, (y + 1) * width);
}

// ---- names within states

const widths = new Map();

function widthOf(context, text) {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > 20000)
      widths.clear();
    width = context.measureText(text).width;
    widths.set(text, width);
  }
  return width;
}

function fit(context, text, room) {
  if (widthOf(context, text) <= room)
    return text;
  const keep = Math.floor(text.length * room / widthOf(context, text)) - 1;
  return keep > 1 ? text.slice(0, keep) + '…' : '';
}

function inkOn(color) {
  return 299 * (color >> 16 & 255) + 587 * (color >> 8 & 255) + 114 * (color & 255) > 140000 ? '#16202e' : '#ffffff';
}

// States over each other: which item is seen at each pixel.
function seenItems(row, picture, data) {
  const {floats, words} = picture, {first, column} = placeOf(picture, row, plotWidth());
  const seen = new Int32Array(Math.ceil(plotWidth())).fill(-1);
  for (let i = 0, at = data.at; i < data.items; i++, at += 5) {
    const from = Math.round(first + floats[at] * column), to = Math.round(first + floats[at + 1] * column);
    seen.fill(words[at + 3] === 0xffffffff ? -1 : at, Math.max(0, from), Math.max(0, to, from + 1));
  }
  return seen;
}

function drawNames(context, drawn) {
  context.font = '11px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  context.textBaseline = 'middle';
  let names = 0;
  const put = (row, words, at, from, to, y) => {
    const value = row.trace.values[words[at + 3]];
    const name = value && to - from >= LEAST_NAME && names < MOST_NAMES ? fit(context, value.name, to - from - 8) : '';
    if (!name || (!row.isPinned && y < app.fixedHeight + 5))
      return;
    context.fillStyle = inkOn(words[at + 2]);
    context.fillText(name, app.gutter + from + 4, y);
    names++;
  };
  for (const [row, picture] of drawn) {
    const data = picture.rows.get(row.key), {words, floats} = picture, lane = HEIGHTS.nested * app.scale;
    if (data.kind !== STATE || data.isSum || !row.band || row.height < 13)
      continue;
    const depths = data.depths < 2 ? 1 : Math.min(8, data.depths);
    if (depths === 1) {
      const seen = seenItems(row, picture, data);
      for (let x = 0, from = 0; x <= seen.length; x++)
        if (x === seen.length || seen[x] !== seen[from]) {
          if (seen[from] >= 0)
            put(row, words, seen[from], from, x, screenY(row) + row.height / 2);
          from = x;
        }
      continue;
    }
    if (lane < 12)
      continue;
    const {first, column} = placeOf(picture, row, plotWidth());
    for (let i = 0, at = data.at; i < data.items; i++, at += 5) {
      const depth = depthOf(words, at), outer = row.height - (depths - 1) * lane;
      const y = screenY(row) + (depth ? outer + (depth - 0.5) * lane : outer / 2);
      put(row, words, at, Math.max(0, first + floats[at] * column),
          Math.min(plotWidth(), first + floats[at + 1] * column), y);
    }
  }
}

// ---- links

function placeOfLink(trace, link) {
  const from = rowOfNode(trace, link.from), to = rowOfNode(trace, link.to);
  if (!from || !to)
    return null;
  const middle = row => screenY(row) + Math.min(row.height, HEIGHTS.state * app.scale) / 2;
  return {x1: xOf(link.start + trace.shift), y1: middle(from), x2: xOf(link.end + trace.shift), y2: middle(to)};
}

function drawLinks(context, trace) {
  const shown = [];
  const height = plotHeight(), right = app.gutter + plotWidth();
  for (const link of trace.arrows) {
    const place = placeOfLink(trace, link);
    if (!place || Math.max(place.y1, place.y2) < app.fixedHeight || Math.min(place.y1, place.y2) > height ||
        place.x2 < app.gutter || place.x1 > right || (place.y1 === place.y2 && place.x2 - place.x1 < 2))
      continue;
    shown.push({link, ...place});
  }
  trace.shownLinks = shown;
  context.lineWidth = 1;
  context.globalAlpha = Math.max(0.07, Math.min(0.85, 50 / (shown.length + 1)));
  const colors = new Map();
  for (const it of shown) {
    if (!colors.has(it.link.color))
      colors.set(it.link.color, []);
    colors.get(it.link.color).push(it);
  }
  for (const [color, list] of colors) {
    context.strokeStyle = context.fillStyle = cssColor(isDark() ? mix(color, 0xffffff, 190) : mix(color, 0, 200));
    context.beginPath();
    for (const {x1, y1, x2, y2} of list) {
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
    }
    context.stroke();
    if (shown.length < 400) {
      context.beginPath();
      for (const it of list)
        addHead(context, it);
      context.fill();
    }
  }
  context.globalAlpha = 1;
}

function addHead(context, {x1, y1, x2, y2}) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 8)
    return;
  const dx = (x2 - x1) / length, dy = (y2 - y1) / length;
  context.moveTo(x2, y2);
  context.lineTo(x2 - 7 * dx - 3 * dy, y2 - 7 * dy + 3 * dx);
  context.lineTo(x2 - 7 * dx + 3 * dy, y2 - 7 * dy - 3 * dx);
}

// ---- what is asked of the workers

// Whether what was asked for last has the view, as exactly, and some of what is beside it.
function isAsked(trace, what, span) {
  const {from, to, shown, text} = trace.lastRequest || {};
  const start = app.view.from - trace.shift, end = app.view.to - trace.shift, beside = MARGIN / 5 * span;
  return text === what && Math.abs(shown - span) < 1e-9 * span && start - beside >= from && end + beside <= to;
}

function askPictures(rows) {
  const span = app.view.to - app.view.from, ratio = devicePixelRatio || 1;
  for (const trace of app.traces) {
    const mine = rows.filter(row => row.trace === trace && row.mode >= 0);
    if (trace.failure && !trace.nodes.length)
      continue;
    const from = app.view.from - MARGIN * span - trace.shift, to = app.view.to + MARGIN * span - trace.shift;
    const words = new Uint32Array(2 * mine.length);
    mine.forEach((row, i) => words.set([row.mode, row.place], 2 * i));
    const keys = mine.map(row => row.key);
    const request = {from, to, columns: Math.round(plotWidth() * ratio * (1 + 2 * MARGIN)), rows: words, keys,
                     colors: app.colors, paper: paperColor(), links: app.hasLinks ? MOST_LINKS : 0, since: app.since};
    const text = [request.columns, app.colors, request.paper, request.links, trace.marked, words.join()].join();
    if (isAsked(trace, text, span))
      continue;
    trace.lastRequest = {from, to, shown: span, text};
    trace.askView(request);
  }
  app.since = 0;
}

// ---- over the diagram: cursor, selection, measured range

let hasOverlay = false;

function drawOverlay() {
  const isNeeded = app.selection || app.measure || app.cursor || app.hover || app.marks.length || app.hoverLink;
  if (!isNeeded && !hasOverlay)
    return;
  hasOverlay = !!isNeeded;
  const context = contextOf(byId('overlay'), devicePixelRatio || 1), height = plotHeight();
  const {focus, mark} = theme;
  context.clearRect(0, 0, app.gutter + plotWidth() + 20, height);
  context.save();
  context.beginPath();
  context.rect(app.gutter, 0, plotWidth(), height);
  context.clip();
  const band = ({from, to}, color, text) => {
    const left = xOf(Math.min(from, to)), right = xOf(Math.max(from, to));
    context.fillStyle = color;
    context.globalAlpha = 0.14;
    context.fillRect(left, 0, right - left, height);
    context.globalAlpha = 1;
    context.fillRect(left, 0, 1, height);
    context.fillRect(right, 0, 1, height);
    if (text)
      tag(context, text, Math.max(app.gutter, left) / 2 + Math.min(app.gutter + plotWidth(), right) / 2, 10, color);
  };
  if (app.selection)
    band(app.selection, focus, duration(Math.abs(app.selection.to - app.selection.from)));
  if (app.measure)
    band(app.measure, mark, '↔ ' + duration(Math.abs(app.measure.to - app.measure.from)));
  if (app.cursor) {
    context.fillStyle = focus;
    context.fillRect(Math.round(xOf(app.cursor.time)), 0, 1, height);
    const row = rowNamed(app.cursor.row);
    if (row) {
      context.strokeStyle = focus;
      context.strokeRect(app.gutter + 0.5, screenY(row) + 0.5, plotWidth() - 1, row.height - 1);
    }
  }
  if (app.hover) {
    context.fillStyle = focus;
    context.globalAlpha = 0.5;
    context.fillRect(Math.round(app.hover.x), 0, 1, height);
    context.globalAlpha = 1;
  }
  for (const one of app.marks) {
    context.fillStyle = mark;
    context.fillRect(xOf(one.time), 0, 1, height);
  }
  if (app.hoverLink) {
    context.strokeStyle = mark;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(app.hoverLink.x1, app.hoverLink.y1);
    context.lineTo(app.hoverLink.x2, app.hoverLink.y2);
    context.stroke();
  }
  context.restore();
}

function tag(context, text, x, y, color) {
  context.font = '600 11px system-ui, "DejaVu Sans", sans-serif';
  const width = context.measureText(text).width + 12;
  context.fillStyle = color;
  context.beginPath();
  context.roundRect(x - width / 2, y - 9, width, 18, 4);
  context.fill();
  context.fillStyle = isDark() ? '#14181f' : '#ffffff';
  context.textBaseline = 'middle';
  context.fillText(text, x - width / 2 + 6, y + 0.5);
}

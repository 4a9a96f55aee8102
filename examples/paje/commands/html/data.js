'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const element = id => document.getElementById(id);
const canvas = element('canvas'), pen = canvas.getContext('2d'), tip = element('tip');
const EVENT = 'event', STATE = 'state', VARIABLE = 'variable', LINK = 'link';
const CONSTANTS = 'constants'; /* a row with the values of constant variables, as text */
const THIN = 6, WIDE = 1.5, AXIS = 22, INSET = 5, INDENT = 12, LINE = 15;
const NAME_HEIGHT = 11, LEAST_ROW = 2; /* rows are lower than a name only at scales below LOW_SCALE */
const LOW_SCALE = 0.4, MOST_SCALE = 4, MOST_FILLING = 2.5;

/* ---- the data: see html.c */

/* Pieces of lanes.  count: entities that begin in the piece; of a bin that may be 0, as they may come from the one
 * before. */
const entityOf = {
  [STATE]: ([start, end, value, time = end - start, count = 1]) => ({start, end, value, time, count}),
  [VARIABLE]: ([start, end, number]) =>
    ({start, end, number, time: end - start, least: number, most: number, count: 1}),
  [EVENT]: ([start, value]) => ({start, end: start, value, count: 1}),
};
const timesOf = at => ({start: at * data.bin, end: (at + 1) * data.bin, isBin: true});
const binOf = {
  [STATE]: ([at, value, time, count]) => ({...timesOf(at), value, time, count}),
  [VARIABLE]: ([at, number, time, least, most, count]) => ({...timesOf(at), number, time, least, most, count}),
  [EVENT]: ([at, value, count]) => ({...timesOf(at), value, count}),
};
const types = data.types.map(([name, kind, color, least, most, of]) => ({name, kind, color, least, most, of}));
const values = data.values.map(([type, name, color, weight]) => ({type, name, color, weight}));
const links = data.links.map(([from, to, type, value, start, end, count, fields]) =>
  ({from, to, type, value, start, end, count, fields}));
const nodes = data.nodes.map(([parent, name, isPrefix, members, start, end, lanes, living = members]) => ({
  parent, name, isPrefix, members, start, end, living,
  lanes: lanes.map(([kind, type, depth, entities, bins, fields = {}]) => ({
    kind, type, depth,
    pieces: [...entities.map((entity, i) => ({...entityOf[kind](entity), fields: fields[i]})), ...bins.map(binOf[kind])]
      .sort((a, b) => a.start - b.start),
  })),
}));

/* Whether a variable of one container has one value from about its beginning on. */
function isConstant(node, {kind, pieces}) {
  const begin = Math.max(node.start, data.first) + (data.last - data.first) / 100;
  return kind === VARIABLE && node.members === 1 && pieces.length > 0 && pieces[0].start <= begin &&
    pieces.every(piece => piece.least === pieces[0].least && piece.most === pieces[0].least);
}

nodes.forEach((node, index) => {
  const parent = nodes[node.parent];
  node.level = index && parent.level + (index && node.parent && !parent.isPrefix ? 1 : 0);
  node.within = index ? parent : null;
  while (node.within && node.within.isPrefix) /* its name is a part of this one's */
    node.within = node.within.within;
  if (node.within && !node.isPrefix)
    node.within.isGroup = node.within !== nodes[0];
});

/* Rows of a node: the lanes of one kind and type, or all constant variables; a group of several begins with one for its
 * name. */
for (const node of nodes) {
  const rows = node.rows = [], constants = node.lanes.filter(lane => isConstant(node, lane));
  for (const lane of node.lanes.filter(one => !constants.includes(one))) {
    const row = rows[rows.length - 1];
    if (row && row.kind === lane.kind && row.type === lane.type)
      row.lanes.push(lane);
    else
      rows.push({node, kind: lane.kind, type: lane.type, lanes: [lane]});
  }
  if (constants.length)
    rows.push({node, kind: CONSTANTS, lanes: constants});
  if (node !== nodes[0] && !node.isPrefix && (node.isGroup ? rows.length !== 1 : !rows.length))
    rows.unshift({node, lanes: []});
  rows.forEach((row, at) => { row.isFirst = at === 0; row.isOnly = rows.length === 1; });
  node.row = rows.find(row => row.kind === STATE) || rows.find(row => row.kind) || rows[0];
  for (const row of rows)
    row.natural = row.kind === EVENT ? (row.isOnly ? NAME_HEIGHT : 10) : row.kind === VARIABLE ? 30 :
      row.kind === STATE ? 18 + INSET * (row.lanes.length - 1) : LINE;
}

/* ---- the view: the range of time, how far it is scrolled down, the scale of rows, what is collapsed */

const view = {first: data.first, last: data.last, top: 0, scale: 1};
let rows = [], labels = []; /* those that are not in a collapsed container */
let left = 150, width = 800, height = 400, query = '', hits = new Set(), drawing = 0;

const x = time => left + (time - view.first) / (view.last - view.first) * width;
const timeAt = px => view.first + (px - left) / width * (view.last - view.first);
const contentHeight = () => rows.length ? rows[rows.length - 1].y + rows[rows.length - 1].height : 0;

/* The outermost collapsed container that a node is in; or the node. */
function shownFor(node) {
  let shown = node;
  for (let at = node.within; at; at = at.within)
    if (at.isCollapsed)
      shown = at;
  return shown;
}

/* Finds the rows that are shown; and, of each collapsed container, the rows of states within. */
function chooseRows() {
  rows = [];
  for (const node of nodes) {
    const shown = shownFor(node);
    node.inner = [];
    if (shown === node)
      rows.push(...node.rows);
    else
      shown.inner.push(...node.rows.filter(row => row.kind === STATE));
  }
}

function toggle(node, isCollapsed = !node.isCollapsed) {
  node.isCollapsed = isCollapsed;
  chooseRows();
  placeRows();
  scroll(0);
}

/* Puts rows one below the other, and finds their labels: neighbours that are too low for a name of each share one. */
function placeRows() {
  const gap = view.scale > 0.6 ? 4 : view.scale > 0.3 ? 1 : 0;
  let y = 4, label = null;
  const end = row => {
    const before = labels[labels.length - 2];
    if (!label || y - label.top >= NAME_HEIGHT)
      return;
    if (before && before.within === label.within && !before.isGroup && !label.isGroup) {
      Object.assign(before, {last: label.last, members: before.members + label.members, bottom: label.bottom});
      labels.pop();
    } else {
      y = label.bottom = label.top + NAME_HEIGHT;
      row.height = y - row.y;
    }
  };
  labels = [];
  rows.forEach((row, i) => {
    const {node} = row, {isGroup, within, members} = node;
    const least = view.scale < LOW_SCALE && !(row.isFirst && isGroup) ? LEAST_ROW : NAME_HEIGHT;
    const isLow = row.isFirst && label && !label.isGroup && !isGroup && label.within === within &&
      y - label.top < NAME_HEIGHT;
    if (row.isFirst && !isLow)
      end(rows[i - 1]);
    row.y = y += i === 0 ? 0 : row.isFirst ? gap : gap / 2;
    row.height = Math.max(least, row.natural * view.scale);
    y += row.height;
    if (isLow)
      Object.assign(label, {last: node, members: label.members + members});
    else if (row.isFirst)
      labels.push(label = {first: node, last: node, members, isGroup, within, row, top: row.y});
    label.bottom = y;
  });
  end(rows[rows.length - 1]);
}

function setView(first, last) {
  const least = Math.max((data.last - data.first) * 1e-9, Math.max(Math.abs(first), Math.abs(last)) * 1e-14);
  const span = Math.min(Math.max(last - first, least), data.last - data.first);
  first = Math.min(Math.max(first, data.first), data.last - span);
  view.first = first;
  view.last = first + span;
  redraw();
}

function zoom(factor, px = left + width / 2) {
  const time = timeAt(px);
  setView(time - (time - view.first) * factor, time + (view.last - time) * factor);
}

function setScale(scale, py = 0) {
  const part = (view.top + py) / Math.max(contentHeight(), 1);
  view.scale = Math.min(Math.max(scale, 0.02), MOST_SCALE);
  placeRows();
  scroll(part * contentHeight() - py - view.top);
}

function scroll(down) {
  view.top = Math.max(0, Math.min(view.top + down, contentHeight() - (height - AXIS)));
  redraw();
}

/* Shows all of the time; and rows scaled to fill the page, but not lower than their names. */
function showAll() {
  const fits = scale => {
    view.scale = scale;
    placeRows();
    return contentHeight() <= height - AXIS - 4;
  };
  let low = LOW_SCALE, high = MOST_FILLING;
  view.top = 0;
  if (fits(low) && !fits(high)) {
    while (high - low > 0.005) {
      const middle = (low + high) / 2;
      if (fits(middle))
        low = middle;
      else
        high = middle;
    }
    fits(low);
  }
  setView(data.first, data.last);
}

/* ---- times as text */

/* Name, seconds, and the least span that is shown in it. */
const units = [['d', 86400, 3 * 86400], ['h', 3600, 3 * 3600], ['s', 1, 1], ['ms', 1e-3, 1e-3],
  ['\u00b5s', 1e-6, 1e-6], ['ns', 1e-9, 0]];

function unitOf(span) {
  const [name, size] = units.find(unit => span * data.seconds >= unit[2]) || units[units.length - 1];
  return {name, size: size / data.seconds};
}

function decimalsOf(step) {
  return Math.min(Math.max(Math.ceil(-Math.log10(step) - 1e-9), 0), 15);
}

/* A time, with enough digits for the view. */
function formatTime(time) {
  const span = view.last - view.first, unit = unitOf(span);
  return +(time / unit.size).toFixed(decimalsOf(span / unit.size / 1e5)) + ' ' + unit.name;
}
function formatLength(length) {
  const unit = unitOf(Math.abs(length));
  return +(length / unit.size).toPrecision(6) + ' ' + unit.name;
}

/* As much of a text as fits. */
function fit(text, room) {
  if (pen.measureText(text).width <= room)
    return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(text.slice(0, middle) + '\u2026').width <= room)
      low = middle;
    else
      high = middle - 1;
  }
  return low ? text.slice(0, low) + '\u2026' : '';
}

/* A text with something of its middle left out, so that it fits. */
function fitEnds(text, room) {
  const cut = size => text.slice(0, Math.ceil(size / 2)) + '\u2026' + text.slice(text.length - (size >> 1));
  let size = text.length;
  if (pen.measureText(text).width <= room)
    return text;
  while (size > 1 && pen.measureText(cut(size)).width > room)
    size--;
  return cut(size);
}

/* The name of a container with those around it. */
function pathOf(node) {
  const names = [];
  for (let at = node; at && at !== nodes[0]; at = at.within)
    names.unshift(at.name);
  return names.join(' / ') || node.name;
}

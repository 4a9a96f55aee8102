'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const element = id => document.getElementById(id);
const canvas = element('canvas'), pen = canvas.getContext('2d'), tip = element('tip');
const EVENT = 'event', STATE = 'state', VARIABLE = 'variable', LINK = 'link';
const THIN = 6, WIDE = 1.5, AXIS = 22, INSET = 5, INDENT = 10, LINE = 15;

/* ---- the data: see html.c */

/* Pieces of lanes.  count is 0 for one entity, else the number of those that begin in the piece. */
const entityOf = {
  [STATE]: ([start, end, value, time = end - start, count = 0]) => ({start, end, value, time, count}),
  [VARIABLE]: ([start, end, number]) =>
    ({start, end, number, time: end - start, least: number, most: number, count: 0}),
  [EVENT]: ([start, value]) => ({start, end: start, value, count: 0}),
};
const binOf = {
  [STATE]: ([at, value, time, count]) =>
    ({start: at * data.bin, end: (at + 1) * data.bin, isBin: true, value, time, count}),
  [VARIABLE]: ([at, number, time, least, most, count]) =>
    ({start: at * data.bin, end: (at + 1) * data.bin, number, time, least, most, count}),
  [EVENT]: ([at, value, count]) => ({start: at * data.bin, end: (at + 1) * data.bin, value, count}),
};
const types = data.types.map(([name, kind, color, least, most, of]) => ({name, kind, color, least, most, of}));
const values = data.values.map(([type, name, color, isUsed]) => ({type, name, color, isUsed}));
const links = data.links.map(([from, to, type, value, start, end, count]) =>
  ({from, to, type, value, start, end, count}));
const nodes = data.nodes.map(([parent, name, isPrefix, members, start, end, lanes]) => ({
  parent, name, isPrefix, members, start, end,
  lanes: lanes.map(([kind, type, depth, entities, bins]) => ({
    kind, type, depth,
    pieces: [...entities.map(entityOf[kind]), ...bins.map(binOf[kind])].sort((a, b) => a.start - b.start),
  })),
}));

/* Rows: the lanes of one kind and type; or only the name of a node. */
const rows = [];
nodes.forEach((node, index) => {
  const parent = nodes[node.parent];
  node.level = index && parent.level + (index && node.parent && !parent.isPrefix ? 1 : 0);
  const first = rows.length;
  for (const lane of node.lanes) {
    const row = rows[rows.length - 1];
    if (rows.length > first && row.kind === lane.kind && row.type === lane.type)
      row.lanes.push(lane);
    else
      rows.push({node, kind: lane.kind, type: lane.type, lanes: [lane], isFirst: rows.length === first});
  }
  if (rows.length === first && index && !node.isPrefix)
    rows.push({node, lanes: [], isFirst: true});
  rows.slice(first).forEach((row, at, all) => { row.isOnly = all.length === 1; });
  node.row = rows.slice(first).find(row => row.kind === STATE) || rows[first];
});
for (const row of rows)
  row.natural = row.kind === EVENT ? 10 : row.kind === VARIABLE ? 30 :
    row.kind === STATE ? 18 + INSET * (row.lanes.length - 1) : LINE;

/* ---- the view: the range of time, how far it is scrolled down, the scale of rows */

const view = {first: data.first, last: data.last, top: 0, scale: 1};
let left = 150, width = 800, height = 400, query = '', hits = new Set(), drawing = 0;

const x = time => left + (time - view.first) / (view.last - view.first) * width;
const timeAt = px => view.first + (px - left) / width * (view.last - view.first);
const contentHeight = () => rows.length ? rows[rows.length - 1].y + rows[rows.length - 1].height : 0;

function placeRows() {
  const gap = view.scale > 0.6 ? 4 : view.scale > 0.3 ? 1 : 0;
  let y = 4;
  for (const row of rows) {
    row.y = y += row.isFirst ? gap : gap / 2;
    row.height = Math.max(2, row.natural * view.scale);
    y += row.height;
  }
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
  view.scale = Math.min(Math.max(scale, 0.02), 4);
  placeRows();
  scroll(part * contentHeight() - py - view.top);
}

function scroll(down) {
  view.top = Math.max(0, Math.min(view.top + down, contentHeight() - (height - AXIS)));
  redraw();
}

/* Shows all of the time; and rows scaled to fit, but not lower than their names. */
function showAll() {
  view.scale = 1;
  view.top = 0;
  placeRows();
  if (contentHeight() > height - AXIS)
    view.scale = Math.max((height - AXIS) / contentHeight(), Math.min(1, 12 * rows.length / contentHeight()));
  placeRows();
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

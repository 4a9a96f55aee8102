// What all parts share: the state of the page, elements, numbers and times as text.
'use strict';

// Everything that changes is here; tests read it.
const app = {
  traces: [],               // see trace.js
  view: {from: 0, to: 1},   // the range of time on the screen
  hasView: false,           // 0: it still follows what is read
  rows: [],                 // see rows.js
  top: 0,                   // pixels that are scrolled away
  scale: 1,                 // of the heights of rows
  gutter: 230,              // width of the labels
  cursor: null,             // {time, row}: what the details are about
  hover: null,              // {x, y}: of the pointer
  selection: null,          // {from, to}
  measure: null,            // {from, to}
  marks: [],                // bookmarks: {name, from, to}
  pinned: new Set(),        // keys of rows
  filter: '', search: '',
  colors: 0, order: 0, isNested: true, hasLinks: true, alignStarts: false,
  frames: 0,                // pictures that were drawn
  times: [],                // ms from a change of the range to its picture, for measuring
};

const byId = name => document.getElementById(name);

// An element with properties and children; texts are texts, never markup.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name.includes('-') || name === 'role')
      element.setAttribute(name, value);
    else
      element[name] = value;
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const UNITS = [[1e-9, 'ns'], [1e-6, 'µs'], [1e-3, 'ms'], [1, 's'], [60, 'min'], [3600, 'h'], [86400, 'd']];

// Seconds in one unit of the traces' times.
function secondsPerUnit() {
  return app.traces.length ? app.traces[0].status.seconds || 1 : 1;
}

// The unit in which spans of that many seconds are shown.
function unitFor(seconds) {
  let unit = UNITS[0];
  for (const next of UNITS)
    if (Math.abs(seconds) >= next[0] * (next[0] < 60 ? 1 : 2))
      unit = next;
  return unit;
}

// A number with so many significant digits and no zeros behind.
function digits(number, count) {
  if (!isFinite(number))
    return '–';
  const text = Math.abs(number) >= 1e15 || (number && Math.abs(number) < 1e-6) ? number.toExponential(count - 1)
    : number.toFixed(Math.min(20, Math.max(0, count - 1 - Math.floor(Math.log10(Math.abs(number) || 1)))));
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text;
}

function duration(span, count = 4) {
  const seconds = span * secondsPerUnit(), [size, name] = unitFor(seconds);
  return digits(seconds / size, count) + ' ' + name;
}

// The unit for instants of a range: seconds, not hours, where the range is short.
function unitOfTimes(wide, span) {
  const most = Math.max(wide, span);
  return unitFor(most >= 60 && span < 300 ? 1 : most);
}

// An instant, with as many digits as tell pixels of the view apart.
function instant(time, span = app.view.to - app.view.from) {
  const seconds = time * secondsPerUnit();
  const [size, name] = unitOfTimes(Math.abs(seconds), span * secondsPerUnit());
  const pixel = span * secondsPerUnit() / 2000 / size;
  const decimals = Math.min(15, Math.max(0, Math.ceil(-Math.log10(pixel || 1e-9))));
  return (seconds / size).toFixed(decimals).replace(/^-(?=[0.]*$)/, '') + ' ' + name;
}

function count(number) {
  return number.toLocaleString('en');
}

function bytes(number) {
  const power = number < 1e3 ? 0 : number < 1e6 ? 1 : number < 1e9 ? 2 : 3;
  return digits(number / 1000 ** power, 3) + ' ' + ['B', 'KB', 'MB', 'GB'][power];
}

function number(value) {
  const size = Math.abs(value);
  for (const [scale, name] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k', 1e3]])
    if (size >= scale)
      return digits(value / (name === 'k' ? 1e3 : scale), 4) + name;
  return digits(value, 5);
}

function cssColor(color) {
  return '#' + (color & 0xffffff).toString(16).padStart(6, '0');
}

function isDark() {
  return document.documentElement.dataset.theme === 'dark';
}

function paperColor() {
  return isDark() ? 0x14181f : 0xffffff;
}

// For readers of the screen.
function speak(text) {
  byId('spoken').textContent = text;
}

function note(text, isBad = false) {
  byId('note').textContent = text;
  byId('note').className = isBad ? 'bad' : '';
}

// A glob such as rank[0-3]*, or a part of a name, as a function of names.
function matcher(text) {
  if (!/[*?[]/.test(text)) {
    const part = text.toLowerCase();
    return name => name.toLowerCase().includes(part);
  }
  const pattern = text.replace(/[.+^${}()|\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.').replace(/\[!/g, '[^');
  try {
    const glob = new RegExp('^' + pattern + '$', 'is');
    return name => glob.test(name);
  } catch {
    return name => name.includes(text);
  }
}

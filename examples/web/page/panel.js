// The panel: what is at the cursor, the profile of the selection, the legend, bookmarks.  What they say is what the
// tool says: `paje at`, `paje profile -s -e`, `paje histogram`, `paje matrix`, run in the worker.
'use strict';

function showTab(name) {
  for (const tab of document.querySelectorAll('nav button')) {
    tab.setAttribute('aria-selected', String(tab.dataset.tab === name));
    byId(tab.dataset.tab).hidden = tab.dataset.tab !== name;
  }
}

const hint = text => make('p', {className: 'hint', textContent: text});

// ---- details

// The nodes of one name in a container, last first, by when they begin; and all of them.
function twinsOf(trace, indices) {
  const byStart = new Map(), all = [...indices].reverse();
  for (const index of all) {
    const {start} = trace.nodes[index];
    if (!byStart.has(start))
      byStart.set(start, []);
    byStart.get(start).push(index);
  }
  return {byStart, all};
}

// The child of a node that a line of `paje at` is about: those of one name are told apart by when they begin, and by
// their order.  A container that was destroyed and created again begins later than its node.  -1: none.
function childOf(trace, parent, line, known, taken) {
  const found = /^(.*), ([^,]*) to [^,]*$/s.exec(line), named = parent >= 0 && trace.nodes[parent].named;
  let at = found && named ? line.indexOf(': ') : -1;
  while (at >= 0 && !named.has(found[1].slice(at + 2)))
    at = line.indexOf(': ', at + 1); // the name of a type may have a colon
  if (at < 0)
    return -1;
  const indices = named.get(found[1].slice(at + 2));
  if (!known.has(indices))
    known.set(indices, twinsOf(trace, indices));
  const {byStart, all} = known.get(indices), same = byStart.get(Number(found[2])) || [];
  for (const list of [same, all])
    while (list.length && taken.has(list[list.length - 1]))
      list.pop();
  const child = (same.length ? same : all).pop() ?? -1;
  taken.add(child);
  return child;
}

// The lines of `paje at` as a list: node of the container, kind, text.  Before time 0 there is no root.
function parseAt(trace, text) {
  const entries = [], nodes = [], known = new Map(), taken = new Set();
  for (const line of text.split('\n')) {
    const indent = line.search(/\S/), depth = indent / 2, rest = line.slice(indent);
    if (indent < 0)
      continue;
    const found = /^(state|variable|link) /.exec(rest);
    if (found) {
      entries.push({node: depth ? nodes[depth - 1] : 0, kind: found[1], text: rest.slice(found[0].length)});
      continue;
    }
    const isRoot = depth === 0 && /^0: 0, [^,]* to [^,]*$/.test(rest);
    nodes.length = depth;
    nodes[depth] = isRoot ? 0 : childOf(trace, depth ? nodes[depth - 1] : 0, rest, known, taken);
    entries.push({node: nodes[depth], kind: 'container', text: rest});
  }
  return entries;
}

// Whether commands find an index, or need none.
function isReady({status, hasIndex, from}) {
  return status.finished || hasIndex || (from.live && status.atEnd);
}

function plain(time) {
  return String(time); // as many digits as tell it apart
}

let detailsWanted = 0;

async function showDetails() {
  const box = byId('details'), row = cursorRow(), time = app.cursor.time;
  const trace = row ? row.trace : app.traces[0], wanted = ++detailsWanted;
  if (!trace)
    return;
  showTab('details');
  const title = make('h2', {textContent: row ? trace.pathOf(row.node.index) || trace.name : trace.name});
  const when = make('p', {className: 'hint', textContent: 'at ' + instant(time, (app.view.to - app.view.from) / 100)});
  box.replaceChildren(title, when);
  if (!isReady(trace)) {
    box.append(hint('The trace is still being read; details come when its index is complete.'));
    trace.detailsWait = true;
    return;
  }
  const at = plain(time - trace.shift), node = row ? row.node.index : 0;
  const {text, errors} = await trace.run('at', '--', 'TRACE', at);
  const {fields} = await trace.call({type: 'fields', time: Number(at)});
  if (wanted !== detailsWanted)
    return;
  const mine = parseAt(trace, text).filter(entry => entry.node === node);
  app.details = {text, time: at, entries: mine};
  for (const [kind, name] of [['container', 'Container'], ['state', 'States, outermost first'], ['variable', 'Variables']]) {
    const list = mine.filter(entry => entry.kind === kind);
    if (list.length && (kind !== 'container' || node))
      box.append(make('h3', {textContent: name}), ...list.map(entry => entryElement(trace, entry)));
  }
  const number = numberOf(trace, node, text, fields), links = linksOf(trace, node && number, Number(at), fields);
  app.details.links = links;
  if (links.length)
    box.append(make('h3', {textContent: `Links in flight (${count(links.length)})`}),
               ...links.slice(0, 50).map(entry => entryElement(trace, entry)));
  if (errors && !text)
    box.append(hint(errors.replace(/^paje: TRACE: /, '')));
  showFields(fields.filter(([, , , , begun, ended, container]) => container === number && (begun || ended)), box);
  const button = (label, action, key) => make('button', {textContent: label, onclick: action, title: key});
  box.append(make('div', {className: 'tools'}, button('To the sender', followToSender, 'G'),
                  button('To the receiver', followToWaiter, 'K'),
                  button('Bookmark', addMark, 'B'), button('Pin', () => togglePin(cursorRow()), 'X')));
}

// The number that a container has in the answer of `fields`: of those of its path, the one in the same place as in the
// lines of `paje at`.  -1: it does not exist then.
function numberOf(trace, node, text, fields) {
  let path = '';
  for (let at = trace.nodes[node]; at && at.index; at = trace.nodes[at.parent])
    path = '/' + at.name.replace(/[\\/]/g, '\\$&') + path;
  const numbers = [...new Set(fields.filter(([where, kind]) => kind !== LINK && where === (path || '/'))
    .map(one => one[6]))].sort((a, b) => a - b);
  if (numbers.length < 2)
    return numbers.length ? numbers[0] : -1;
  const name = trace.pathOf(node);
  const twins = parseAt(trace, text).filter(one => one.kind === 'container' && one.node >= 0 && trace.pathOf(one.node) === name);
  return numbers[twins.findIndex(one => one.node === node)] ?? -1;
}

// The links in flight from or to a container of that number, as entries; of the root all.
function linksOf(trace, number, time, fields) {
  const links = [];
  for (const [, kind, type, value, , , , from, sender, to, receiver, key, start, end] of fields)
    if (kind === LINK && (!number || from === number || to === number) && (end > time || time >= trace.status.last))
      links.push({kind: 'link', text: `${type}: ${value} from ${sender} to ${receiver}, key ${key}, ${start} to ${end}`});
  return links;
}

// User fields of what is there: of the line that began it, and of the one that ended it.
function showFields(mine, box) {
  app.details.fields = mine;
  if (!mine.length)
    return;
  const texts = one => Object.entries(one || {}).map(([name, value]) => `${name}: ${value}`);
  box.append(make('h3', {textContent: 'User fields'}), ...mine.slice(0, 40).map(([, , type, value, begun, ended]) =>
    make('div', {className: 'entry'}, make('span', {textContent: value || type}),
         make('small', {textContent: [...texts(begun), ...texts(ended)].join(', ')}))));
}

// One line of `paje at`: its name, and how long it lasts.
function entryElement(trace, {kind, text}) {
  const found = /^(.*), ([-+.\de]+) to ([-+.\de]+)$/s.exec(text);
  if (!found)
    return make('div', {className: 'entry', textContent: text});
  const [, name, start, end] = found, value = name.slice(name.indexOf(': ') + 2);
  const type = name.slice(0, name.indexOf(' ['));
  const known = kind === 'state' ? trace.values.find(one => one && one.name === value && trace.types[one.type].name === type)
    : null;
  const swatch = known ? make('span', {className: 'swatch'}) : null;
  if (swatch)
    swatch.style.background = cssColor(known.color);
  const span = Number(end) - Number(start);
  return make('div', {className: 'entry', title: `${start} to ${end}`}, swatch, make('span', {textContent: name}),
              make('small', {textContent: duration(span)}));
}

// ---- the selection

function select(from, to) {
  app.selection = {from, to};
  showTab('profile');
  showProfile();
  viewChanged();
  draw();
}

// Lines of CSV as lists of fields.
function parseCsv(text) {
  const lines = [];
  let fields = [], at = 0;
  while (at < text.length) {
    let field = '';
    if (text[at] === '"') {
      for (at++; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at += text[at] === '"' ? 2 : 1)
        field += text[at];
      at++;
    } else {
      const end = text.slice(at).search(/[,\n]/);
      field = end < 0 ? text.slice(at) : text.slice(at, at + end);
      at = end < 0 ? text.length : at + end;
    }
    fields.push(field);
    if (text[at] === '\n' || at >= text.length) {
      lines.push(fields);
      fields = [];
    }
    at++;
  }
  return lines;
}

let profileWanted = 0;

async function showProfile() {
  const box = byId('profile'), wanted = ++profileWanted;
  if (!app.selection) {
    box.replaceChildren(hint('Drag with Shift to select a range of time; or press R at both of its ends.'));
    return;
  }
  const {from, to} = app.selection;
  box.replaceChildren(make('h2', {textContent: duration(to - from)}),
                      hint(`${instant(from, (to - from) / 10)} to ${instant(to, (to - from) / 10)}`));
  const tools = make('div', {className: 'tools'});
  box.append(tools);
  app.profiles = [];
  for (const trace of app.traces) {
    const range = ['-s', plain(from - trace.shift), '-e', plain(to - trace.shift)];
    if (!isReady(trace)) {
      box.append(hint(`${trace.name} is still being read.`));
      trace.detailsWait = true;
      continue;
    }
    const {text} = await trace.run('profile', '--format', 'csv', '--depth', '0', ...range, 'TRACE');
    if (wanted !== profileWanted)
      return;
    app.profiles.push({trace, text, range});
    if (app.traces.length > 1)
      box.append(make('h3', {textContent: trace.name}));
    showProfileTable(box, trace, parseCsv(text));
  }
  const button = (label, action) => tools.append(make('button', {textContent: label, onclick: action}));
  button('Zoom to it', () => setView(from, to));
  button('By container', () => showOutput(box, 'profile', '--own'));
  button('Durations', () => showOutput(box, 'histogram'));
  button('Matrix', () => showOutput(box, 'matrix'));
  button('CSV', saveCsv);
}

function showProfileTable(box, trace, lines) {
  const kinds = {State: ['value', 'time', 'share', 'count'], Variable: ['variable', 'mean', 'max', ''],
                 Link: ['link', 'mean', 'max', 'count'], Event: ['event', '', '', 'count']};
  for (const [kind, heads] of Object.entries(kinds)) {
    const rows = lines.slice(1).filter(line => line[2] === kind);
    if (!rows.length)
      continue;
    const table = make('table', {}, make('tr', {}, ...heads.map(head => make('th', {textContent: head}))));
    for (const [, , , type, , value, many, , exclusive, mean, , max, share] of rows.slice(0, 60)) {
      const cells = kind === 'State' ? [duration(Number(exclusive), 3), digits(100 * Number(share), 3) + ' %', count(Number(many))]
        : kind === 'Variable' ? [number(Number(mean)), number(Number(max)), '']
        : kind === 'Link' ? [duration(Number(mean), 3), duration(Number(max), 3), count(Number(many))]
        : ['', '', count(Number(many))];
      const known = trace.values.find(one => one && one.name === value && trace.types[one.type].name === type);
      const swatch = known ? make('span', {className: 'swatch'}) : null;
      if (swatch)
        swatch.style.background = cssColor(known.color);
      table.append(make('tr', {title: `${type}: ${value}`}, make('td', {}, swatch, value || type),
                        ...cells.map(cell => make('td', {textContent: cell}))));
    }
    box.append(make('h3', {textContent: kind + 's'}), table);
  }
}

async function showOutput(box, command, ...options) {
  for (const {trace, range} of app.profiles) {
    const {text, errors} = await trace.run(command, ...options, ...range, 'TRACE');
    app.output = text;
    box.append(make('h3', {textContent: `paje ${command}`}), make('pre', {textContent: text || errors, tabIndex: 0}));
  }
  box.lastElementChild.scrollIntoView({block: 'nearest'});
}

async function saveCsv() {
  for (const {trace, range} of app.profiles)
    save(`${trace.name}.csv`, (await trace.run('profile', '--format', 'csv', ...range, 'TRACE')).text, 'text/csv');
}

// ---- the legend

let legendTimer = 0;

function legendChanged() {
  if (!legendTimer)
    legendTimer = setTimeout(showLegend, 200);
}

function showLegend() {
  legendTimer = 0;
  const box = byId('legend');
  box.replaceChildren();
  for (const trace of app.traces) {
    if (app.traces.length > 1)
      box.append(make('h2', {textContent: trace.name}));
    trace.types.forEach((type, i) => {
      const values = trace.values.filter((value, at) => value && at && value.type === i);
      if (type.kind === VARIABLE)
        box.append(make('h3', {textContent: type.name}), hint(`${number(type.least)} to ${number(type.most)}`));
      else if (values.length)
        box.append(make('h3', {textContent: type.name}), ...values.slice(0, 100).map(value => legendItem(value)));
    });
  }
  if (!box.children.length)
    box.append(hint('Colours of values, when a trace is open.'));
}

function legendItem(value) {
  const swatch = make('span', {className: 'swatch'});
  swatch.style.background = cssColor(value.color);
  const search = () => {
    byId('search').value = app.search === value.name ? '' : value.name;
    searchChanged();
  };
  return make('button', {className: 'item', onclick: search, title: 'Search it'}, swatch, value.name);
}

// ---- bookmarks

function addMark() {
  const time = app.cursor ? app.cursor.time : (app.view.from + app.view.to) / 2;
  app.marks.push({time, from: app.view.from, to: app.view.to, name: instant(time), row: app.cursor && app.cursor.row});
  showMarks();
  showTab('marks');
  viewChanged();
  draw();
}

function showMarks() {
  const box = byId('marks');
  box.replaceChildren(hint('B sets a bookmark at the cursor.  They are part of the page\u2019s address.'));
  app.marks.forEach((mark, i) => {
    const name = make('input', {value: mark.name, 'aria-label': 'Name of the bookmark',
                                onchange: event => {
                                  mark.name = event.target.value;
                                  viewChanged();
                                }});
    const go = () => {
      setView(mark.from, mark.to);
      setCursor(mark.time, rowNamed(mark.row));
      showTab('marks');
    };
    const drop = () => {
      app.marks.splice(i, 1);
      showMarks();
      viewChanged();
      draw();
    };
    box.append(make('div', {className: 'entry'}, name, make('button', {textContent: 'Go', onclick: go}),
                    make('button', {textContent: '×', onclick: drop, 'aria-label': 'Delete the bookmark'})));
  });
}

// The axis, the picture of the whole trace above it, and the labels of rows beside the diagram.
'use strict';

// The least of 1, 2 and 5 times a power of ten that is not below a number.
function axisStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least * 0.999999) || 10 * power;
}

function drawAxis() {
  const canvas = byId('axis'), context = contextOf(canvas, devicePixelRatio || 1), height = sizes.get(canvas.id).height;
  context.clearRect(0, 0, sizes.get(canvas.id).width, height);
  const {from, to} = app.view, seconds = secondsPerUnit(), span = (to - from) * seconds;
  const wide = Math.max(Math.abs(from), Math.abs(to)) * seconds;
  const relative = wide > 1e4 * span; // deep in a long trace: distances from the first tick
  const [size, name] = relative ? unitFor(span) : unitOfTimes(wide, span);
  const step = axisStep(span / size / Math.max(2, plotWidth() / 110)), unit = size / seconds;
  const decimals = Math.min(15, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  const first = Math.ceil(from / unit / step);
  const base = relative ? first * step : 0;
  context.font = '11px system-ui, "DejaVu Sans", sans-serif';
  context.textBaseline = 'middle';
  context.fillStyle = theme.dim;
  context.textAlign = 'right';
  context.fillText(relative ? instant(base * unit) + ' +' : name, app.gutter - 8, height / 2);
  context.textAlign = 'left';
  for (let i = 0; i < 200; i++) {
    const at = (first + i) * step, x = xOf(at * unit);
    if (x > app.gutter + plotWidth())
      break;
    context.fillStyle = theme.line;
    context.fillRect(Math.round(x), 0, 1, height);
    context.fillStyle = theme.dim;
    const text = (relative ? i * step : at).toFixed(decimals);
    if (x + context.measureText(text).width + 4 < app.gutter + plotWidth())
      context.fillText(text + (relative && i ? ' ' + name : ''), x + 4, height / 2);
  }
  byId('range').textContent = app.traces.length ? `${instant(from)} – ${instant(to)}  (${duration(to - from)})` : '';
}

// ---- the whole trace

function overviewRange() {
  const seen = app.traces.filter(trace => trace.status.events);
  if (!seen.length)
    return null;
  const from = Math.min(...seen.map(trace => trace.status.first + trace.shift));
  const to = Math.max(...seen.map(trace => trace.status.last + trace.shift));
  return {from, to: to > from ? to : from + 1};
}

function drawOverview() {
  const canvas = byId('overview'), context = contextOf(canvas, devicePixelRatio || 1), range = overviewRange();
  const height = sizes.get(canvas.id).height, width = plotWidth();
  context.clearRect(0, 0, sizes.get(canvas.id).width, height);
  if (!range)
    return;
  const xAt = time => app.gutter + (time - range.from) / (range.to - range.from) * width;
  const part = height / app.traces.length;
  app.traces.forEach((trace, i) => {
    if (!trace.whole)
      return;
    const {words, floats, from, to, columns} = trace.whole, size = (to - from) / columns;
    for (let k = 0, at = 5; k < words[1]; k++, at += 5) {
      const x = xAt(from + floats[at] * size + trace.shift), until = xAt(from + floats[at + 1] * size + trace.shift);
      context.fillStyle = cssColor(mix(words[at + 2], paperColor(), words[at + 2] >>> 24));
      context.fillRect(x, i * part + 2, Math.max(1, until - x), part - 4);
    }
    const status = trace.status;
    if (!status.atEnd) { // what is not read yet
      context.fillStyle = theme.shade;
      const x = xAt(status.front + trace.shift);
      context.fillRect(x, i * part, app.gutter + width - x, part);
    }
    if (app.search && trace.hitCounts) {
      context.fillStyle = theme.mark;
      const {words: hits, from: begin, to: end} = trace.hitCounts;
      for (let k = 0; k < hits.length; k++)
        if (hits[k])
          context.fillRect(xAt(begin + k * (end - begin) / hits.length + trace.shift), i * part, 1.5, 5);
    }
  });
  overviewDrawn = context.getImageData(0, 0, canvas.width, canvas.height);
  placeOverviewWindow();
}

let overviewDrawn = null;

// Shows which part of it is on the screen.
function placeOverviewWindow() {
  const canvas = byId('overview'), range = overviewRange();
  if (!overviewDrawn || !range || overviewDrawn.width !== canvas.width)
    return;
  const context = canvas.getContext('2d'), width = plotWidth(), height = sizes.get(canvas.id).height;
  context.putImageData(overviewDrawn, 0, 0);
  const xAt = time => app.gutter + (time - range.from) / (range.to - range.from) * width;
  const left = Math.max(app.gutter, xAt(app.view.from)), right = Math.min(app.gutter + width, xAt(app.view.to));
  context.fillStyle = isDark() ? '#14181fb0' : '#ffffffb0';
  context.fillRect(app.gutter, 0, left - app.gutter, height);
  context.fillRect(right, 0, app.gutter + width - right, height);
  context.strokeStyle = theme.focus;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.75, 0.75, Math.max(2, right - left - 1.5), height - 1.5);
}

// ---- labels

function labelOf(row) {
  const type = row.band ? row.trace.types[row.band.type] : null;
  const name = row.isTitle ? row.trace.name : row.node.index ? row.node.name : '(root)';
  const kind = !row.band ? (row.isClosed && row.hasChildren ? `${count(row.node.children.length)} inside` : '')
    : row.band.kind === EVENT ? 'events' : type.name;
  return {name: row.isHead ? name : '', kind, type};
}

let drawnLabels = '';

function drawLabels(rows) {
  const box = byId('labels');
  const search = app.search ? matcher(app.search) : null;
  const key = [app.top, app.scale, app.gutter, app.search, app.cursor && app.cursor.row, app.height,
               rows.map(row => row.key + (row.isClosed ? 'c' : '') + (row.isPinned ? 'p' : '') +
                               app.traces.indexOf(row.trace) +
                               (row.band && row.band.kind === VARIABLE ? row.trace.types[row.band.type].most : ''))].join();
  if (key === drawnLabels)
    return;
  drawnLabels = key;
  box.style.width = byId('splitter').style.left = app.gutter + 'px';
  const labels = [];
  for (const row of [...rows.filter(one => !one.isPinned), ...rows.filter(one => one.isPinned)]) {
    if (row.height < 9)
      continue;
    labels.push(labelElement(row, search));
  }
  box.replaceChildren(...labels);
}

function labelElement(row, search) {
  const {name, kind, type} = labelOf(row);
  const label = make('div', {className: 'label', role: 'treeitem', tabIndex: -1, 'aria-level': row.level + 1,
                             title: row.trace.pathOf(row.node.index) + (kind ? ` (${kind})` : '')});
  label.row = row;
  label.style.top = screenY(row) + 'px';
  label.style.height = row.height + 'px';
  label.style.paddingLeft = 4 + Math.min(row.level, 12) * 12 + 'px';
  if (row.height < 15)
    label.style.fontSize = Math.max(8, row.height - 2) + 'px';
  if (row.hasChildren && row.isHead && !row.isTitle) {
    label.setAttribute('aria-expanded', String(!row.isClosed));
    label.append(make('span', {className: 'turn', textContent: row.isClosed ? '▶' : '▼'}));
  } else {
    label.append(make('span', {className: 'turn'}));
  }
  label.append(make('span', {className: 'name', textContent: name}), make('span', {className: 'kind', textContent: kind}));
  if (type && type.kind === VARIABLE && row.height > 26)
    label.append(make('span', {className: 'scale'}, make('span', {textContent: number(type.most)}),
                      make('span', {textContent: number(Math.min(0, type.least))})));
  label.append(make('button', {className: 'pin', title: row.isPinned ? 'Unpin' : 'Pin to the top', textContent: '📌',
                               tabIndex: -1}));
  if (row.isPinned)
    label.classList.add('pinned');
  if (search && row.isHead && row.node.index && search(row.node.name))
    label.classList.add('match');
  if (app.cursor && rowName(row) === app.cursor.row)
    label.classList.add('at');
  return label;
}

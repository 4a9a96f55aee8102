
/* ---- tooltips */

/* The text of the tooltip at a place; empty if there is none. */
function describe(px, py) {
  const lines = [], time = timeAt(px), near = 4 / width * (view.last - view.first);
  const row = rows.find(it => py + view.top >= it.y && py + view.top < it.y + it.height);
  if (px < left || px > left + width || py > height - AXIS)
    return row && px < left && py <= height - AXIS ? row.node.name : '';
  for (const lane of row ? [...row.lanes].reverse() : [])
    for (const piece of lane.pieces) {
      const isEvent = row.kind === EVENT, name = isEvent || row.kind === STATE ? values[piece.value].name : '';
      const type = isEvent ? types[values[piece.value].type].name : types[row.type].name;
      const reach = isEvent ? near : 0;
      if (time < piece.start - reach || time > piece.end + reach || lines.length > 12)
        continue;
      if (piece.count || row.node.members > 1)
        lines.push(`${type}: ` + (name || `mean ${+piece.number.toPrecision(6)}, ${piece.least} to ${piece.most}`) +
          (row.kind === STATE ? `, ${formatLength(piece.time)} in sum` : '') + `, ${piece.count} of them\n  within ` +
          `${formatTime(piece.start)} to ${formatTime(piece.end)}`);
      else if (isEvent)
        lines.push(`${type}: ${name}\n  at ${formatTime(piece.start)}`);
      else
        lines.push(`${type}: ${name || piece.number}\n  ${formatTime(piece.start)} to ${formatTime(piece.end)}: ` +
          formatLength(piece.end - piece.start));
    }
  for (const link of lines.length > 6 ? [] : links) {
    const line = lineOf(link);
    if (!line || distance(line, px, py) > 4 || lines.length > 12)
      continue;
    const several = link.count > 1 ? `, ${link.count} of them` : '';
    lines.push(`${types[link.type].name}: ${values[link.value].name}${several}\n` +
      `  ${nodes[link.from].name} \u2192 ${nodes[link.to].name}\n` +
      `  ${formatTime(link.start)} to ${formatTime(link.end)}: ${formatLength(link.end - link.start)}`);
  }
  return [row && row.node.name, ...lines].filter(Boolean).join('\n');
}

/* From a point to a line. */
function distance({x1, y1, x2, y2}, px, py) {
  const square = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const part = square && Math.min(Math.max(((px - x1) * (x2 - x1) + (py - y1) * (y2 - y1)) / square, 0), 1);
  return Math.hypot(px - x1 - part * (x2 - x1), py - y1 - part * (y2 - y1));
}

function showTip(px, py) {
  const text = describe(px, py);
  tip.textContent = text;
  tip.style.display = text ? 'block' : 'none';
  tip.style.left = Math.max(0, Math.min(px + 12, canvas.clientWidth - tip.offsetWidth - 4)) + 'px';
  tip.style.top = Math.max(0, Math.min(py + 14, height - tip.offsetHeight - 4)) + 'px';
}

/* ---- search */

let next = 0;

function search(text) {
  query = text.toLowerCase();
  next = 0;
  hits = new Set(values.keys());
  if (query)
    values.forEach((value, index) => { if (!value.name.toLowerCase().includes(query)) hits.delete(index); });
  const containers = query ? nodes.filter((node, index) => index && node.name.toLowerCase().includes(query)).length : 0;
  element('found').textContent = query ? `${hits.size} of ${values.length - 1} values, ${containers} containers` : '';
  redraw();
}

/* Goes to the next container or entity that was found. */
function goToNext() {
  const places = [];
  for (const row of rows) {
    if (row.isFirst && row.node.name.toLowerCase().includes(query))
      places.push({row});
    for (const lane of row.kind === VARIABLE ? [] : row.lanes)
      for (const piece of hits.size < values.length ? lane.pieces : [])
        if (hits.has(piece.value))
          places.push({row, piece});
  }
  if (!query || !places.length)
    return;
  const {row, piece} = places[next++ % places.length];
  scroll(row.y - view.top - height / 3);
  if (piece) {
    const span = view.last - view.first, middle = (piece.start + piece.end) / 2;
    setView(middle - span / 2, middle + span / 2);
    showTip(Math.min(Math.max(x(middle), left), left + width), row.y - view.top + row.height - 2);
  }
  element('found').textContent = `${(next - 1) % places.length + 1} of ${places.length}`;
}

/* ---- the legend, and what the user does */

function add(parent, tag, text, name) {
  const it = parent.appendChild(document.createElement(tag));
  it.textContent = text;
  it.className = name || '';
  return it;
}

function addItem(parent, kind, color, text, name) {
  const item = add(parent, 'span', '', 'item'), sign = {[EVENT]: '\u25bc', [LINK]: '\u2192'}[kind] || '';
  add(item, 'i', sign, sign ? '' : 'area').style[sign ? 'color' : 'background'] = color;
  item.append(text);
  item.addEventListener('click', () => {
    element('search').value = query === name.toLowerCase() ? '' : name;
    search(element('search').value);
  });
}

function makeLegend() {
  const ownOf = index => values.filter((value, at) => at && value.isUsed && value.type === index);
  const shown = types.filter((type, index) =>
    type.kind === VARIABLE ? type.least !== type.most : ownOf(index).length > 0);
  types.forEach((type, index) => {
    const own = ownOf(index), isDouble = shown.some(other => other !== type && other.name === type.name);
    if (!shown.includes(type))
      return;
    const isPlain = type.kind !== STATE && own.every(value => value.color === type.color);
    const line = add(element('legend'), 'div', '', isPlain ? 'short' : '');
    add(line, 'span', isDouble ? `${type.name} (${type.of})` : type.name, 'type');
    if (type.kind === VARIABLE)
      addItem(line, type.kind, type.color, `${+type.least.toPrecision(6)} to ${+type.most.toPrecision(6)}`, type.name);
    else if (isPlain)
      addItem(line, type.kind, type.color, type.kind, type.name);
    else
      for (const value of own.slice(0, 100))
        addItem(line, type.kind, value.color, value.name, value.name);
  });
  for (const note of data.notes)
    add(element('legend'), 'div', note, 'note');
}

let drag = null;
canvas.addEventListener('pointerdown', event => {
  drag = {x: event.offsetX, y: event.offsetY, first: view.first, last: view.last, top: view.top};
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener('pointermove', event => {
  if (!drag) {
    showTip(event.offsetX, event.offsetY);
    return;
  }
  const by = (event.offsetX - drag.x) / width * (drag.last - drag.first);
  tip.style.display = 'none';
  scroll(drag.top - (event.offsetY - drag.y) - view.top);
  setView(drag.first - by, drag.last - by);
});
for (const name of ['pointerup', 'pointercancel'])
  canvas.addEventListener(name, () => { drag = null; });
canvas.addEventListener('pointerleave', () => { tip.style.display = 'none'; });
canvas.addEventListener('dblclick', showAll);
canvas.addEventListener('wheel', event => {
  const by = event.deltaY || event.deltaX;
  event.preventDefault();
  tip.style.display = 'none';
  if (event.shiftKey)
    setScale(view.scale * (by > 0 ? 0.85 : 1 / 0.85), event.offsetY);
  else
    zoom(by > 0 ? 1.2 : 1 / 1.2, event.offsetX);
}, {passive: false});
canvas.addEventListener('keydown', event => {
  const span = view.last - view.first;
  const actions = {
    '+': () => zoom(0.7), '=': () => zoom(0.7), '-': () => zoom(1 / 0.7), '0': showAll,
    ArrowLeft: () => setView(view.first - span / 5, view.last - span / 5),
    ArrowRight: () => setView(view.first + span / 5, view.last + span / 5),
    ArrowUp: () => scroll(-60), ArrowDown: () => scroll(60),
    PageUp: () => scroll(AXIS - height), PageDown: () => scroll(height - AXIS),
  };
  if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
});
element('in').addEventListener('click', () => zoom(0.7));
element('out').addEventListener('click', () => zoom(1 / 0.7));
element('higher').addEventListener('click', () => setScale(view.scale * 1.3));
element('lower').addEventListener('click', () => setScale(view.scale / 1.3));
element('all').addEventListener('click', showAll);
element('search').addEventListener('input', event => search(event.target.value));
element('search').addEventListener('keydown', event => { if (event.key === 'Enter') goToNext(); });
new ResizeObserver(redraw).observe(canvas);
element('title').textContent = document.title = data.name;
makeLegend();
draw();
showAll();

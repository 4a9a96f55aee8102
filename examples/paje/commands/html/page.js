
/* ---- tooltips */

const MOST_LINKS_TOLD = 3;

const fieldsOf = ({fields}) => fields ? `\n  ${fields}` : '';

/* The text of the tooltip at a place; empty if there is none. */
function describe(px, py) {
  const lines = [], time = timeAt(px), near = 4 / width * (view.last - view.first);
  const row = rows.find(it => py + view.top >= it.y && py + view.top < it.y + it.height);
  if (px < left || px > left + width || py > height - AXIS)
    return row && px < left && py <= height - AXIS ? pathOf(row.node) : '';
  for (const lane of row ? [...row.lanes].reverse() : [])
    for (const piece of lane.pieces) {
      const isEvent = row.kind === EVENT, name = isEvent || row.kind === STATE ? values[piece.value].name : '';
      const type = isEvent ? types[values[piece.value].type].name : types[lane.type].name;
      const reach = isEvent ? near : 0;
      const isTaken = piece.time < 0; /* by a nested state, from the one around it */
      if (time < piece.start - reach || time > piece.end + reach || lines.length > 12 || isTaken)
        continue;
      if (piece.isBin)
        lines.push(`${type}: ` + (name || `mean ${+piece.number.toPrecision(6)}, ${piece.least} to ${piece.most}`) +
          (row.kind === STATE ? `, ${formatLength(piece.time)} in sum` : '') + `, ${piece.count} of them\n  within ` +
          `${formatTime(piece.start)} to ${formatTime(piece.end)}`);
      else if (isEvent)
        lines.push(`${type}: ${name}\n  at ${formatTime(piece.start)}` + fieldsOf(piece));
      else
        lines.push(`${type}: ${name || piece.number}\n  ${formatTime(piece.start)} to ${formatTime(piece.end)}: ` +
          formatLength(piece.end - piece.start) + fieldsOf(piece));
    }
  const nearby = links.filter(link => { const line = lineOf(link); return line && distance(line, px, py) <= 4; });
  for (const link of nearby.slice(0, MOST_LINKS_TOLD)) {
    const several = link.count > 1 ? `, ${link.count} of them` : '';
    lines.push(`${types[link.type].name}: ${values[link.value].name}${several}\n` +
      `  ${pathOf(nodes[link.from])} \u2192 ${pathOf(nodes[link.to])}\n` +
      `  ${formatTime(link.start)} to ${formatTime(link.end)}: ${formatLength(link.end - link.start)}` +
      fieldsOf(link));
  }
  if (nearby.length > MOST_LINKS_TOLD)
    lines.push(`+${nearby.length - MOST_LINKS_TOLD} links`);
  return [row && pathOf(row.node), ...lines].filter(Boolean).join('\n');
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

let next = 0, found = {places: []};

/* What the search finds: containers by name, and states, events and links by value, of rows that are collapsed as
 * well.  A piece that sums several up counts as these. */
function findPlaces() {
  const places = [], counts = {container: 0, [STATE]: 0, [EVENT]: 0, [LINK]: 0};
  for (const node of query ? nodes : []) {
    if (node.rows.length && node.name.toLowerCase().includes(query)) {
      places.push({node});
      counts.container += node.members;
    }
    for (const lane of hits.size < values.length ? node.lanes : [])
      for (const piece of lane.kind === VARIABLE ? [] : lane.pieces)
        if (hits.has(piece.value)) {
          places.push({node, kind: lane.kind, piece});
          counts[lane.kind] += piece.count;
        }
  }
  for (const link of query && hits.size < values.length ? links : [])
    counts[LINK] += hits.has(link.value) ? link.count : 0;
  return {places, counts};
}

function search(text) {
  query = text.toLowerCase();
  next = 0;
  hits = new Set(values.keys());
  if (query)
    values.forEach((value, index) => { if (!value.name.toLowerCase().includes(query)) hits.delete(index); });
  found = findPlaces();
  const parts = Object.entries(found.counts).filter(([, count]) => count)
    .map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`);
  element('found').textContent = query ? parts.join(', ') || 'nothing found' : '';
  redraw();
}

/* Goes to the next container or entity that was found, and so close to an entity that it can be seen. */
function goToNext() {
  const {places} = found;
  if (!query || !places.length)
    return;
  const {node, kind, piece} = places[next++ % places.length];
  for (let at = node.within; at; at = at.within)
    if (at.isCollapsed)
      toggle(at, false);
  const row = node.rows.find(it => it.kind === kind) || node.rows[0];
  scroll(row.y - view.top - height / 3);
  if (piece) {
    const length = piece.end - piece.start, middle = (piece.start + piece.end) / 2;
    const isSmall = length > 0 && length < (view.last - view.first) / 20;
    const span = isSmall ? length * 10 : Math.max(view.last - view.first, length * 1.2);
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

const MOST_ITEMS = 60; /* of a type */

/* The values of most time or number, in the order of their definition. */
function heaviest(own) {
  const least = own.map(value => value.weight).sort((a, b) => b - a)[MOST_ITEMS - 1] || 0;
  return own.filter(value => value.weight >= least).slice(0, MOST_ITEMS);
}

/* A bound of a range; 0 if it is a rounding error. */
const boundOf = (bound, other) => Math.abs(bound) < 1e-9 * Math.abs(other) ? 0 : +bound.toPrecision(6);

function makeLegend() {
  const isShown = new Set(nodes.flatMap(node => node.rows.map(row => row.kind === VARIABLE ? row.type : -1)));
  const ownOf = index => values.filter((value, at) => at && value.weight && value.type === index);
  const shown = types.filter((type, index) =>
    type.kind === VARIABLE ? isShown.has(index) : ownOf(index).length > 0);
  types.forEach((type, index) => {
    const own = ownOf(index), isDouble = shown.some(other => other !== type && other.name === type.name);
    if (!shown.includes(type))
      return;
    const isPlain = type.kind !== STATE && own.every(value => value.color === type.color);
    const line = add(element('legend'), 'div', '', isPlain ? 'short' : '');
    add(line, 'span', isDouble ? `${type.name} (${type.of})` : type.name, 'type');
    if (type.kind === VARIABLE)
      addItem(line, type.kind, type.color, `${boundOf(type.least, type.most)} to ${boundOf(type.most, type.least)}`,
        type.name);
    else if (isPlain)
      addItem(line, type.kind, type.color, type.kind, type.name);
    else
      for (const value of heaviest(own))
        addItem(line, type.kind, value.color, value.name, value.name);
    if (!isPlain && own.length > MOST_ITEMS)
      add(line, 'span', `and ${own.length - MOST_ITEMS} more`, 'note');
  });
  for (const note of data.notes)
    add(element('legend'), 'div', note, 'note');
}

/* Collapses a container or expands it; with `all` those of its level as well. */
function clickName(y, all) {
  const row = rows.find(it => y >= it.y && y < it.y + it.height), node = row && row.node;
  if (!node || !node.isGroup)
    return;
  const isCollapsed = !node.isCollapsed;
  for (const other of all ? nodes.filter(it => it.isGroup && it.level === node.level) : [node])
    other.isCollapsed = isCollapsed;
  toggle(node, isCollapsed);
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
  canvas.addEventListener(name, event => {
    const isClick = drag && Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) < 3 && name === 'pointerup';
    if (isClick && event.offsetX < left)
      clickName(event.offsetY + view.top, event.shiftKey);
    drag = null;
  });
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
chooseRows();
makeLegend();
draw();
showAll();


/* ---- drawing */

function redraw() {
  if (!drawing)
    drawing = requestAnimationFrame(() => { drawing = 0; draw(); });
}

/* What a search does not find is pale. */
const fade = value => query && hits.size && !hits.has(value) ? 0.12 : 1;

/* The pieces of a lane that are in view. */
function* inView(lane) {
  for (const piece of lane.pieces)
    if (piece.end >= view.first && piece.start <= view.last)
      yield piece;
}

/* Whether a piece is one entity, and wide enough to be drawn as it is. */
const isWide = (row, piece, least) =>
  !piece.isBin && row.node.members === 1 && x(piece.end) - x(piece.start) >= least;

/* The share of each column of pixels that each value has, their total, and what wide entities cover. */
function columnsOf(row, lane, wide) {
  const shares = new Map(), total = new Float64Array(width), taken = new Float64Array(width);
  for (const piece of inView(lane)) {
    const from = Math.max(x(piece.start) - left, 0), to = Math.min(x(piece.end) - left, width);
    const isTaken = isWide(row, piece, wide);
    const length = piece.isBin ? Math.min(piece.end, data.last) - Math.max(piece.start, data.first) :
      piece.end - piece.start;
    const weight = isTaken ? 1 : piece.time / length / row.node.living;
    if (!(to > from))
      continue;
    if (!isTaken && !shares.has(piece.value))
      shares.set(piece.value, new Float64Array(width));
    const columns = isTaken ? taken : shares.get(piece.value);
    for (let i = Math.floor(from); i < to; i++)
      columns[i] += weight * (Math.min(to, i + 1) - Math.max(from, i));
  }
  for (const columns of shares.values())
    columns.forEach((share, i) => { total[i] += share; });
  return {shares: [...shares].sort((a, b) => a[0] - b[0]), total, taken};
}

/* Draws shares as heights, the value defined first at the bottom; and wide entities as they are. */
function drawStates(row, y) {
  const inset = row.lanes.length > 1 ? Math.min(INSET, 0.6 * row.height / (row.lanes.length - 1)) : 0;
  row.lanes.forEach((lane, depth) => {
    const top = y + inset * depth, size = row.height - inset * depth;
    const {shares, total, taken} = columnsOf(row, lane, WIDE), base = new Float64Array(width).fill(top + size);
    for (const [value, columns] of shares) {
      pen.globalAlpha = fade(value);
      pen.fillStyle = values[value].color;
      for (let i = 0; i < width; i++) {
        const part = columns[i] / Math.max(1 - taken[i], total[i]) * size;
        if (part > 0.01)
          pen.fillRect(left + i, base[i] -= part, 1, part);
      }
    }
    for (const piece of inView(lane))
      if (isWide(row, piece, WIDE))
        drawState(row, lane, piece, top, size);
  });
  pen.globalAlpha = 1;
}

function drawState(row, lane, piece, top, size) {
  const from = Math.max(x(piece.start), left), span = Math.min(x(piece.end), left + width) - from;
  const {name, color} = values[piece.value];
  pen.globalAlpha = fade(piece.value);
  pen.fillStyle = color;
  pen.fillRect(from, top, span, size);
  pen.strokeStyle = lumaOf(color) > 225 ? '#999' : '#fff';
  pen.lineWidth = 0.5;
  if (span >= 4)
    pen.strokeRect(from, top, span, size);
  if (span < 24 || size < 11)
    return;
  const part = freePart(row.lanes[row.lanes.indexOf(lane) + 1], from, from + span, pen.measureText(name).width + 8);
  const text = part.room > 44 || pen.measureText(name).width <= part.room ? fit(name, part.room) : '';
  pen.fillStyle = lumaOf(color) > 140 ? '#000' : '#fff';
  pen.fillText(text, part.at + 4, top + size / 2);
}

/* Perceived brightness, up to 255. */
const lumaOf = color => parseInt(color.slice(1, 3), 16) * 0.3 + parseInt(color.slice(3, 5), 16) * 0.59 +
  parseInt(color.slice(5), 16) * 0.11;

/* The first part of a state that no nested one covers and that has room for a text, else the widest part. */
function freePart(inner, from, to, wanted) {
  let best = {at: from, room: -8}, tried = 0;
  for (const piece of inner ? inView(inner) : []) {
    const start = x(piece.start), end = x(piece.end);
    if (end <= from)
      continue;
    if (start - from - 8 > best.room)
      best = {at: from, room: start - from - 8};
    from = Math.max(from, end);
    if (from >= to || best.room + 8 >= wanted || tried++ > 64)
      return best;
  }
  return to - from - 8 > best.room ? {at: from, room: to - from - 8} : best;
}

/* Draws each column in the colour of the innermost state that takes most of its time. */
function drawThinStates(row, y) {
  const depths = row.lanes.map(lane => columnsOf(row, lane, Infinity));
  for (let i = 0; i < width; i++) {
    let best = 1 - depths[0].total[i], found;
    depths.forEach(({shares, total}, depth) => {
      const inner = depths[depth + 1] ? depths[depth + 1].total[i] : 0, own = total[i] && (total[i] - inner) / total[i];
      for (const [value, columns] of own > 0 ? shares : [])
        if (columns[i] * own > best)
          [best, found] = [columns[i] * own, value];
    });
    if (found === undefined)
      continue;
    pen.globalAlpha = fade(found);
    pen.fillStyle = values[found].color;
    pen.fillRect(left + i, y, 1, row.height);
  }
  pen.globalAlpha = 1;
}

/* Draws the states within a collapsed container, each row of them as high as there is room. */
function drawWithin(group, y) {
  const {inner} = group.node;
  const step = Math.max(1, inner.length / group.height), size = group.height / inner.length * step;
  for (let i = 0, at = y; i < inner.length; i += step, at += size)
    drawThinStates({...inner[Math.floor(i)], height: size}, at);
}

function drawVariable(row, y) {
  const {least, most, color} = types[row.type], columns = new Map();
  const at = number => y + row.height * (1 - (number - least) / (most - least || 1));
  pen.fillStyle = color;
  for (const piece of inView(row.lanes[0])) {
    const from = Math.max(x(piece.start), left), to = Math.min(x(piece.end), left + width);
    if (isWide(row, piece, 1)) {
      pen.globalAlpha = 0.75; /* whole pixels, as neighbours would show through each other */
      pen.fillRect(Math.round(from), Math.min(at(piece.number), at(0)), Math.round(to) - Math.round(from),
        Math.abs(at(0) - at(piece.number)));
      continue;
    }
    for (let i = Math.floor(from); i < to || i === Math.floor(from); i++) {
      const part = (Math.min(to, i + 1) - Math.max(from, i)) / (x(piece.end) - x(piece.start)) * piece.time || 0;
      const sum = columns.get(i) || {time: 0, sum: 0, least: Infinity, most: -Infinity};
      sum.time += part;
      sum.sum += part * piece.number;
      sum.least = Math.min(sum.least, piece.least);
      sum.most = Math.max(sum.most, piece.most);
      columns.set(i, sum);
    }
  }
  for (const [i, sum] of columns) {
    const mean = at(sum.time ? sum.sum / sum.time : sum.most);
    pen.globalAlpha = 0.3;
    pen.fillRect(i, at(sum.most), 1, at(sum.least) - at(sum.most));
    pen.globalAlpha = 0.75;
    pen.fillRect(i, Math.min(mean, at(0)), 1, Math.abs(at(0) - mean));
  }
  pen.globalAlpha = 1;
}

function drawEvents(row, y) {
  for (const piece of inView(row.lanes[0])) {
    const middle = x((piece.start + piece.end) / 2);
    pen.globalAlpha = fade(piece.value);
    pen.fillStyle = values[piece.value].color;
    if (piece.isBin) {
      pen.fillRect(x(piece.start), y, Math.max(1.2, x(piece.end) - x(piece.start)), row.height);
      continue;
    }
    pen.beginPath();
    pen.moveTo(middle - 3, y);
    pen.lineTo(middle + 3, y);
    pen.lineTo(middle, y + row.height);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

/* Draws the names and values of constant variables. */
function drawConstants(row, y) {
  const text = row.lanes.map(lane => `${types[lane.type].name} = ${+lane.pieces[0].number.toPrecision(6)}`).join(',  ');
  const start = Math.max(x(row.node.start), left) + 4;
  pen.fillStyle = '#444';
  if (row.height >= 9)
    pen.fillText(fit(text, left + width - 4 - start), start, y + row.height / 2);
}

/* The row that stands for a node: its own, or that of the collapsed container around it. */
const rowFor = node => shownFor(node).row;

/* The line of a link; null if it is out of view, or within a collapsed container. */
function lineOf(link) {
  const from = rowFor(nodes[link.from]), to = rowFor(nodes[link.to]);
  if (!from || !to || (from === to && link.from !== link.to) || Math.max(link.start, link.end) < view.first || Math.min(link.start, link.end) > view.last)
    return null;
  const y = row => row.y + row.height / 2 - view.top;
  return {x1: x(link.start), y1: y(from), x2: x(link.end), y2: y(to)};
}

/* The denser the links are, the fainter each of them. */
function drawLinks() {
  const shown = links.map(link => [link, lineOf(link)]).filter(([, line]) => line), right = left + width;
  const within = px => Math.min(Math.max(px, left), right);
  const sum = shown.reduce((total, [, {x1, y1, x2, y2}]) => total + Math.hypot(within(x2) - within(x1), y2 - y1), 1);
  const opacity = Math.max(0.06, Math.min(0.9, 0.9 * Math.sqrt(0.02 * width * height / sum)));
  pen.lineWidth = opacity < 0.5 ? 0.7 : 1;
  for (const [link, {x1, y1, x2, y2}] of shown) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1, dx = (x2 - x1) / length, dy = (y2 - y1) / length;
    pen.globalAlpha = opacity * fade(link.value);
    pen.strokeStyle = pen.fillStyle = values[link.value].color;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
    if (shown.length > 300 || length < 5)
      continue;
    pen.beginPath();
    pen.moveTo(x2, y2);
    pen.lineTo(x2 - 8 * dx - 3 * dy, y2 - 8 * dy + 3 * dx);
    pen.lineTo(x2 - 8 * dx + 3 * dy, y2 - 8 * dy - 3 * dx);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

function drawAxis() {
  const unit = unitOf(view.last - view.first), first = view.first / unit.size, last = view.last / unit.size;
  const rough = (last - first) * 80 / width, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(digit => digit * power >= rough) * power;
  const steps = first / step + Math.abs(first / step) * 2 * Number.EPSILON; /* rounding may hide that it is whole */
  const base = Math.max(Math.abs(first), Math.abs(last)) / step >= 1e6 ? Math.floor(steps) * step : 0;
  pen.textAlign = 'center';
  pen.fillStyle = '#111';
  const tick = Math.ceil((first - base) / step - 1e-6);
  for (let i = tick; base + i * step <= last + 1e-6 * step && i < tick + width; i++) {
    const px = Math.round(x((base + i * step) * unit.size)) + 0.5;
    pen.strokeStyle = '#0002';
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(px, 0);
    pen.lineTo(px, height - AXIS + 4);
    pen.stroke();
    pen.fillText((i * step).toFixed(decimalsOf(step)), px, height - 9);
  }
  pen.textAlign = 'right';
  const from = base ? ` from ${+(base * unit.size * data.seconds).toPrecision(15)} s` : '';
  pen.fillText(`time [${unit.name}]${from}`, left - 14, height - 9);
  pen.textAlign = 'left';
}

const NAME = '11px Helvetica, Arial, "Liberation Sans", sans-serif';
const LABEL = '10px Helvetica, Arial, "Liberation Sans", sans-serif';

function widthOf(font, text) {
  pen.font = font;
  return pen.measureText(text).width;
}

function labelOf(row) {
  if (!row.kind || row.isOnly || row.height < 9)
    return '';
  return row.kind === EVENT ? 'events' : row.kind === CONSTANTS ? row.kind : types[row.type].name;
}

/* The text of a label, and the y of its middle. */
const textOf = ({first, last, members}) =>
  first === last ? first.name : `${first.name.split(' \u2026 ')[0]} \u2026 ${last.name} (${members})`;
const middleOf = row => row.y + row.height / 2 - view.top;
const middleOfLabel = label => label.first === label.last ?
  Math.max(middleOf(label.row), label.top - view.top + NAME_HEIGHT / 2) : (label.top + label.bottom) / 2 - view.top;

/* Draws the names left of the rows; the types of rows beside a name get the width that it leaves. */
function drawNames() {
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, left, height - AXIS);
  pen.save();
  pen.beginPath();
  pen.rect(0, 0, left, height - AXIS);
  pen.clip();
  for (const label of labels) {
    const {first, isGroup} = label, middle = middleOfLabel(label), name = textOf(label);
    const start = 8 + INDENT * first.level, all = left - 6 - start;
    if (label.bottom - view.top < 0 || label.top - view.top > height - AXIS)
      continue;
    const own = first === label.last ? first.rows : [];
    const near = row => Math.abs(middleOf(row) - middle) < NAME_HEIGHT;
    let beside = Math.max(0, ...own.filter(row => labelOf(row) && near(row)).map(row => widthOf(LABEL, labelOf(row)) + 8));
    beside = Math.min(beside, Math.max(all - widthOf(NAME, name), Math.min(beside, all / 3)));
    const isHit = query && name.toLowerCase().includes(query);
    pen.fillStyle = isHit ? '#c00' : '#111';
    pen.font = (isHit || isGroup ? 'bold ' : '') + NAME;
    if (name)
      pen.fillText(fitEnds((isGroup ? first.isCollapsed ? '\u25b8 ' : '\u25be ' : '') + name, all - beside), start, middle);
    pen.fillStyle = '#666';
    pen.font = LABEL;
    pen.textAlign = 'right';
    for (const row of own.filter(labelOf))
      pen.fillText(fit(labelOf(row), name && near(row) ? beside - 7 : all - 6), left - 6, middleOf(row));
    pen.textAlign = 'left';
  }
  pen.restore();
}

function draw() {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  height = canvas.clientHeight;
  left = Math.round(Math.min(220, canvas.clientWidth * 0.28));
  width = Math.max(Math.floor(canvas.clientWidth - left - 12), 10);
  pen.scale(ratio, ratio);
  pen.textBaseline = 'middle';
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.clientWidth, height);
  pen.save();
  pen.beginPath();
  pen.rect(left, 0, width, height - AXIS);
  pen.clip();
  pen.font = '9px Helvetica, Arial, "Liberation Sans", sans-serif';
  const visible = rows.filter(row => row.y + row.height > view.top && row.y < view.top + height);
  pen.fillStyle = '#f2f3f5';
  for (const row of visible)
    pen.fillRect(x(row.node.start), row.y - view.top, x(row.node.end) - x(row.node.start),
      row.kind || !row.node.isGroup ? row.height : 0);
  pen.restore();
  pen.font = '10px Helvetica, Arial, "Liberation Sans", sans-serif';
  drawAxis();
  pen.save();
  pen.beginPath();
  pen.rect(left, 0, width, height - AXIS);
  pen.clip();
  pen.font = '9px Helvetica, Arial, "Liberation Sans", sans-serif';
  for (const row of visible) {
    const y = row.y - view.top;
    if (row.kind === EVENT)
      drawEvents(row, y);
    else if (row.kind === VARIABLE)
      drawVariable(row, y);
    else if (!row.kind && row.node.isCollapsed)
      drawWithin(row, y);
    else if (row.kind === CONSTANTS)
      drawConstants(row, y);
    else if (row.kind)
      (row.height <= THIN ? drawThinStates : drawStates)(row, y);
  }
  drawLinks();
  pen.restore();
  drawNames();
  element('range').textContent =
    `${formatTime(view.first)} to ${formatTime(view.last)}: ${formatLength(view.last - view.first)}`;
}

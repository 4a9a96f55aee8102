
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
  !piece.count && row.node.members === 1 && x(piece.end) - x(piece.start) >= least;

/* The share of each column of pixels that each value has, their total, and what wide entities cover. */
function columnsOf(row, lane, wide) {
  const shares = new Map(), total = new Float64Array(width), taken = new Float64Array(width);
  for (const piece of inView(lane)) {
    const from = Math.max(x(piece.start) - left, 0), to = Math.min(x(piece.end) - left, width);
    const isTaken = isWide(row, piece, wide);
    const length = piece.isBin ? Math.min(piece.end, data.last) - Math.max(piece.start, data.first) :
      piece.end - piece.start;
    const weight = isTaken ? 1 : piece.time / length / row.node.members;
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
  pen.strokeStyle = '#fff';
  pen.lineWidth = 0.5;
  if (span >= 4)
    pen.strokeRect(from, top, span, size);
  if (span < 24 || size < 11)
    return;
  const inner = row.lanes[row.lanes.indexOf(lane) + 1];
  const next = inner && inner.pieces.find(other => other.end > timeAt(from));
  const room = Math.min(span, next ? x(next.start) - from : span) - 8;
  const text = room > 40 || pen.measureText(name).width <= room ? fit(name, room) : '';
  pen.fillStyle = parseInt(color.slice(1, 3), 16) * 0.3 + parseInt(color.slice(3, 5), 16) * 0.59 +
    parseInt(color.slice(5), 16) * 0.11 > 140 ? '#000' : '#fff';
  pen.fillText(text, from + 4, top + size / 2);
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

function drawVariable(row, y) {
  const {least, most, color} = types[row.type], columns = new Map();
  const at = number => y + row.height * (1 - (number - least) / (most - least || 1));
  pen.fillStyle = color;
  for (const piece of inView(row.lanes[0])) {
    const from = Math.max(x(piece.start), left), to = Math.min(x(piece.end), left + width);
    if (isWide(row, piece, 1)) {
      pen.globalAlpha = 0.75;
      pen.fillRect(from, Math.min(at(piece.number), at(0)), to - from, Math.abs(at(0) - at(piece.number)));
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
    if (piece.count) {
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

/* The line of a link; null if it is out of view. */
function lineOf(link) {
  const from = nodes[link.from].row, to = nodes[link.to].row;
  if (!from || !to || Math.max(link.start, link.end) < view.first || Math.min(link.start, link.end) > view.last)
    return null;
  const y = row => row.y + row.height / 2 - view.top;
  return {x1: x(link.start), y1: y(from), x2: x(link.end), y2: y(to)};
}

function drawLinks() {
  const shown = links.map(link => [link, lineOf(link)]).filter(([, line]) => line);
  pen.lineWidth = shown.length > 300 ? 0.7 : 1;
  for (const [link, {x1, y1, x2, y2}] of shown) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1, dx = (x2 - x1) / length, dy = (y2 - y1) / length;
    pen.globalAlpha = Math.max(0.12, Math.min(0.9, 0.6 * Math.sqrt(300 / shown.length))) * fade(link.value);
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
  const base = Math.max(Math.abs(first), Math.abs(last)) / step >= 1e6 ? Math.floor(first / step) * step : 0;
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
  return row.kind === EVENT ? 'events' : types[row.type].name;
}

/* Draws the name of each node beside its first row; row labels beside it get the width that it leaves. */
function drawNames() {
  const middleOf = row => row.y + row.height / 2 - view.top;
  let last = {middle: -Infinity};
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, left, height - AXIS);
  rows.forEach((row, i) => {
    const middle = middleOf(row), start = 8 + INDENT * Math.max(row.node.level - 1, 0), all = left - 6 - start;
    if (middle < -LINE || middle > height - AXIS)
      return;
    const label = labelOf(row), name = row.node.name;
    if (row.isFirst && name && middle - last.middle >= 11) {
      let beside = 0;
      for (let k = i; k < rows.length && rows[k].node === row.node && middleOf(rows[k]) - middle < 11; k++)
        if (labelOf(rows[k]))
          beside = Math.max(beside, widthOf(LABEL, labelOf(rows[k])) + 8);
      beside = Math.min(beside, Math.max(all - widthOf(NAME, name), Math.min(beside, all / 2)));
      last = {node: row.node, middle, beside};
      const isHit = query && name.toLowerCase().includes(query);
      pen.fillStyle = isHit ? '#c00' : '#111';
      pen.font = (isHit || !row.kind ? 'bold ' : '') + NAME;
      pen.fillText(fit(name, all - beside), start, middle);
    }
    if (label) {
      pen.fillStyle = '#666';
      pen.font = LABEL;
      pen.textAlign = 'right';
      const isBeside = last.node === row.node && middle - last.middle < 11;
      pen.fillText(fit(label, isBeside ? last.beside - 7 : all - 6), left - 6, middle);
      pen.textAlign = 'left';
    }
  });
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
    pen.fillRect(x(row.node.start), row.y - view.top, x(row.node.end) - x(row.node.start), row.kind ? row.height : 0);
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
    else if (row.kind)
      (row.height <= THIN ? drawThinStates : drawStates)(row, y);
  }
  drawLinks();
  pen.restore();
  drawNames();
  element('range').textContent =
    `${formatTime(view.first)} to ${formatTime(view.last)}: ${formatLength(view.last - view.first)}`;
}

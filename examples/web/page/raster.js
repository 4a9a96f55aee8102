// Pixels of the rows: each row is one line of colours, copied down; so the cost depends on the pixels alone.
'use strict';

let image = null, pixels = null, line = null;

function packed(color) { // 0xRRGGBB as a pixel in memory
  return (0xff000000 | (color & 0xff) << 16 | (color & 0xff00) | (color >>> 16 & 0xff)) >>> 0;
}

function mix(color, paper, share) { // share: 0 to 255
  const part = shift => ((color >>> shift & 255) * share + (paper >>> shift & 255) * (255 - share)) / 255 | 0;
  return part(16) << 16 | part(8) << 8 | part(0);
}

// A colour of the trace, or a grey where the background would hide it.
function apart(color) {
  const far = [0, 8, 16].reduce((sum, shift) => sum + Math.abs((color >> shift & 255) - (paperColor() >> shift & 255)), 0);
  return far < 120 ? mix(isDark() ? 0xffffff : 0, paperColor(), 130) : color;
}

function beginImage(width, height, context) {
  if (!image || image.width !== width || image.height !== height) {
    image = context.createImageData(width, height);
    pixels = new Uint32Array(image.data.buffer);
    line = new Uint32Array(width);
  }
  pixels.fill(packed(paperColor()));
  return image;
}

function fillLine(from, to, width) {
  const one = line.subarray(0, width);
  for (let y = Math.max(0, from); y < Math.min(to, image.height); y++)
    pixels.set(one, y * width);
}

// Where columns of a picture are among the pixels.
function placeOf(picture, row, width) {
  const {from, to} = app.view, scale = width / (to - from);
  return {first: (picture.from + row.trace.shift - from) * scale,
          column: (picture.to - picture.from) / picture.columns * scale};
}

const SEPARATED = 4; // pixels from which on a state has an edge

// States: nested ones below each other if there is room, else over each other.
function paintStates(row, picture, data, top, bottom, width, ratio) {
  const {words, floats} = picture, {first, column} = placeOf(picture, row, width);
  const depths = data.isSum || data.depths < 2 ? 1 : Math.min(8, data.depths);
  const room = bottom - top, nested = depths > 1 ? Math.round(HEIGHTS.nested * app.scale * ratio) : room;
  const wanted = Math.max(1, depths);
  const background = paperColor();
  for (let depth = 0; depth < wanted; depth++) {
    line.fill(packed(depth === 0 || wanted > 1 ? background : 0));
    let any = false;
    for (let i = 0, at = data.at; i < data.items; i++, at += 5) {
      if (wanted > 1 && depthOf(words, at) !== depth)
        continue;
      any = true;
      const from = first + floats[at] * column, to = first + floats[at + 1] * column;
      let left = Math.round(from), right = Math.max(left + 1, Math.round(to));
      if (right <= 0 || left >= width)
        continue;
      const color = words[at + 2], share = color >>> 24;
      const pixel = packed(share === 255 ? color : mix(color, background, share));
      const edge = right - left >= SEPARATED * ratio && words[at + 3] !== 0xffffffff && !data.isSum;
      const last = right;
      left = Math.max(0, left);
      right = Math.min(width, right);
      line.fill(pixel, left, right);
      if (edge && last <= width)
        line[last - 1] = packed(mix(color, background, 150));
    }
    const y = wanted > 1 ? top + (depth === 0 ? 0 : room - (wanted - depth) * nested) : top;
    const until = wanted > 1 ? (depth + 1 < wanted ? top + room - (wanted - depth - 1) * nested : bottom) : bottom;
    if (any || depth === 0)
      fillLine(y, until - (until - y > 6 ? 1 : 0), width);
  }
}

// A variable: an area up to its mean, and a band from the least to the greatest value in each column.
function paintVariable(row, picture, data, top, bottom, width) {
  const type = row.trace.types[row.band.type], {words, floats} = picture;
  const {first, column} = placeOf(picture, row, width);
  const low = Math.min(0, type.least), high = Math.max(type.most, low + 1e-300), room = bottom - top - 3;
  const paper = paperColor(), color = apart(type.color), area = packed(mix(color, paper, 120)), edge = packed(color);
  const band = packed(mix(color, paper, 60));
  const yOf = value => bottom - 1 - Math.round(Math.min(1, Math.max(0, (value - low) / (high - low))) * room);
  const base = yOf(0);
  for (let i = 0, at = data.at; i < data.items; i++, at += 5) {
    const left = Math.max(0, Math.round(first + floats[at] * column));
    const right = Math.min(width, Math.max(left + 1, Math.round(first + floats[at + 1] * column)));
    const least = yOf(floats[at + 2]), most = yOf(floats[at + 3]), mean = yOf(floats[at + 4]);
    const begin = Math.max(0, Math.min(mean, base)), until = Math.min(image.height - 1, Math.max(mean, base));
    for (let x = left; x < right; x++) {
      for (let y = begin; y <= until; y++)
        pixels[y * width + x] = area;
      for (let y = Math.max(0, most); y < Math.min(least, image.height); y++)
        if (y < begin || y > until)
          pixels[y * width + x] = band;
      if (mean >= 0 && mean < image.height)
        pixels[mean * width + x] = edge;
    }
  }
}

// Events: a tick each, darker where there are several.
function paintEvents(row, picture, data, top, bottom, width, ratio) {
  const {words, floats} = picture, {first, column} = placeOf(picture, row, width);
  line.fill(packed(paperColor()));
  const thick = Math.max(1, Math.round(1.5 * ratio));
  for (let i = 0, at = data.at; i < data.items; i++, at += 5) {
    const left = Math.round(first + floats[at] * column);
    if (left + thick > 0 && left < width)
      line.fill(packed(words[at + 2]), Math.max(0, left), Math.min(width, left + Math.max(thick, Math.round(column))));
  }
  fillLine(top + Math.round(3 * ratio), bottom - Math.round(3 * ratio), width);
}

function paintRow(row, picture, width, ratio) {
  const data = picture.rows.get(row.key);
  const top = Math.round(screenY(row) * ratio), bottom = Math.round((screenY(row) + row.height) * ratio) - 1;
  if (!data || bottom <= 0 || top >= image.height)
    return;
  if (data.kind === VARIABLE && row.band)
    paintVariable(row, picture, data, top, bottom, width);
  else if (data.kind === EVENT)
    paintEvents(row, picture, data, top, bottom, width, ratio);
  else
    paintStates(row, picture, data, top + (row.height > 8 ? 1 : 0), bottom, width, ratio);
}

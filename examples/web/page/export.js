// What is seen as SVG and PNG; the selection as CSV; the index.
'use strict';

function save(name, content, type) {
  const link = make('a', {download: name, href: URL.createObjectURL(new Blob([content], {type}))});
  app.saved = {name, content, type};
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function showExport() {
  if (!app.traces.length)
    return;
  const name = app.traces[0].name.replace(/\.(trace|paje|gz)$/g, '');
  const button = (label, action) => make('button', {textContent: label, onclick: () => {
    byId('keys').close();
    action();
  }});
  byId('keys').replaceChildren(make('h2', {textContent: 'Export what is seen'}), make('div', {className: 'tools'},
    button('SVG', () => save(name + '.svg', pictureAsSvg(), 'image/svg+xml')), button('PNG', () => savePng(name + '.png')),
    button('CSV of the selection', () => app.profiles && app.profiles.length ? saveCsv() : note('Select a range first.')),
    button('Cancel', () => {})));
  byId('keys').showModal();
}

function xml(text) {
  const entities = {'<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;'};
  // Characters that XML does not permit are left out.
  return String(text).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replace(/[<>&"]/g, one => entities[one]);
}

function pictureAsSvg() {
  const width = app.gutter + plotWidth(), top = 24, height = Math.min(plotHeight(), app.height) + top;
  const ink = isDark() ? '#e6e9ef' : '#1c2330', dim = isDark() ? '#97a1b3' : '#667085';
  const parts = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="Helvetica, Arial, sans-serif" font-size="11"><title>${xml(app.traces.map(trace => trace.name).join(', '))}, ` +
    `${xml(instant(app.view.from))} to ${xml(instant(app.view.to))}</title>`,
    `<rect width="${width}" height="${height}" fill="${cssColor(paperColor())}"/><clipPath id="plot"><rect x="${app.gutter}" ` +
    `y="0" width="${plotWidth()}" height="${height}"/></clipPath>`];
  const seconds = secondsPerUnit(), span = (app.view.to - app.view.from) * seconds, [size, name] = unitFor(span);
  const step = axisStep(span / size / 8), unit = size / seconds;
  for (let i = Math.ceil(app.view.from / unit / step); i * step * unit <= app.view.to; i++) {
    const x = xOf(i * step * unit).toFixed(1);
    parts.push(`<path d="M${x} 0V${height}" stroke="${dim}" stroke-opacity="0.25"/><text x="${Number(x) + 3}" y="15" fill="${dim}">` +
      `${digits(i * step, 8)} ${name}</text>`);
  }
  for (const row of visibleRows()) {
    const y = screenY(row) + top, label = labelOf(row);
    parts.push(`<text x="${6 + Math.min(row.level, 12) * 12}" y="${y + Math.min(row.height, 20) / 2 + 4}" fill="${ink}">${xml(label.name || label.kind)}</text>`,
               ...svgOfRow(row, y));
  }
  if (app.hasLinks)
    for (const trace of app.traces)
      for (const it of trace.shownLinks || [])
        parts.push(`<path clip-path="url(#plot)" d="M${it.x1.toFixed(1)} ${(it.y1 + top).toFixed(1)}L${it.x2.toFixed(1)} ` +
          `${(it.y2 + top).toFixed(1)}" stroke="${cssColor(it.link.color)}" stroke-opacity="0.6"/>`);
  return parts.join('\n') + '\n</svg>\n';
}

function svgOfRow(row, y) {
  const picture = row.mode >= 0 ? pictureOf(row) : null, data = picture && picture.rows.get(row.key), parts = [];
  if (!data)
    return parts;
  const {words, floats} = picture, {first, column} = placeOf(picture, row, plotWidth());
  const depths = data.isSum || data.depths < 2 ? 1 : Math.min(8, data.depths), lane = HEIGHTS.nested * app.scale;
  const type = row.band && row.trace.types[row.band.type];
  for (let i = 0, at = data.at; i < data.items; i++, at += 5) {
    const from = Math.max(0, first + floats[at] * column), to = Math.min(plotWidth(), first + floats[at + 1] * column);
    if (!(to > from))
      continue;
    let top = y + 1, height = row.height - 2, color = words[at + 2] & 0xffffff, title = '', opacity = (words[at + 2] >>> 24) / 255;
    if (data.kind === VARIABLE) {
      const low = Math.min(0, type.least), high = Math.max(type.most, low + 1e-300);
      height = Math.max(1, (floats[at + 4] - low) / (high - low) * (row.height - 3));
      top = y + row.height - 1 - height;
      [color, opacity, title] = [type.color, 0.7, number(floats[at + 4])];
    } else {
      const depth = depths > 1 ? depthOf(words, at) : 0, value = row.trace.values[words[at + 3]];
      if (depths > 1) {
        height = (depth ? lane : row.height - (depths - 1) * lane) - 1;
        top = depth ? y + row.height - (depths - depth) * lane : y + 1;
      }
      title = value ? value.name : '';
    }
    const wide = data.kind === EVENT ? 1.5 : Math.max(0.5, to - from - (to - from > 4 ? 0.5 : 0));
    parts.push(`<rect x="${(app.gutter + from).toFixed(2)}" y="${top.toFixed(1)}" width="${wide.toFixed(2)}" height="${height.toFixed(1)}" ` +
      `fill="${cssColor(color)}"${opacity < 1 ? ` fill-opacity="${opacity.toFixed(2)}"` : ''}>${title ? `<title>${xml(title)}</title>` : ''}</rect>`);
  }
  return parts;
}

// The picture as it is on the screen, with labels and axis.
function savePng(name) {
  const ratio = devicePixelRatio || 1, axis = byId('axis'), plot = byId('canvas');
  const height = axis.height + Math.round(Math.min(plotHeight(), app.height + 8) * ratio);
  const canvas = make('canvas', {width: Math.round((app.gutter + plotWidth()) * ratio), height});
  const context = canvas.getContext('2d');
  context.fillStyle = cssColor(paperColor());
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(axis, 0, 0);
  context.drawImage(plot, 0, axis.height);
  context.drawImage(byId('overlay'), 0, axis.height);
  context.scale(ratio, ratio);
  context.font = '12px system-ui, "DejaVu Sans", sans-serif';
  context.textBaseline = 'middle';
  context.fillStyle = isDark() ? '#e6e9ef' : '#1c2330';
  for (const row of visibleRows()) {
    const {name: label, kind} = labelOf(row);
    context.fillText(fit(context, label || kind, app.gutter - 20), 8 + Math.min(row.level, 12) * 12,
                     axis.height / ratio + screenY(row) + Math.min(row.height, 22) / 2);
  }
  canvas.toBlob(blob => save(name, blob, 'image/png'));
}

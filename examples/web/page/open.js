// Opening traces: files that are dropped or chosen, addresses that are pasted, what the page itself holds.
'use strict';

function baseName(path) {
  return path.replace(/[?#].*$/, '').replace(/^.*\//, '') || path;
}

// Opens files together: each trace with the index beside it.
async function openFiles(files) {
  const indexes = new Map(), traces = [];
  for (const entry of files)
    if (entry.file.name.endsWith('.pajeidx'))
      indexes.set(entry.file.name.slice(0, -'.pajeidx'.length), entry.file);
    else
      traces.push(entry);
  if (!traces.length)
    return dropMessage('An index alone shows nothing: drop its trace with it.', true);
  const opened = [];
  for (const {file, handle} of traces) {
    const index = indexes.get(file.name);
    opened.push([{file, handle, index: index ? await index.arrayBuffer() : null}, file.name]);
  }
  return openTraces(opened);
}

let isSealed = false;

// From the first file of this computer on, nothing can leave the page: its policy, also that of workers to come, forbids
// all requests.
function seal() {
  if (!isSealed)
    document.head.append(make('meta', {httpEquiv: 'Content-Security-Policy', content: "connect-src 'none'"}));
  isSealed = true;
}

// Replaces the traces that are open by others.
function openTraces(list) {
  if (list.some(([from]) => from.file))
    seal();
  for (const trace of app.traces)
    trace.close();
  if (app.traces.length) { // another view
    Object.assign(app, {hasView: false, cursor: null, selection: null, measure: null, marks: [], top: 0, pinned: new Set(),
                        wanted: null, rows: []});
    showMarks();
    showProfile();
  }
  byId('drop').hidden = true;
  app.traces = [];
  for (const [from, name] of list)
    app.traces.push(new Trace(from, name));
  const title = app.traces.map(trace => trace.name).join(' · ');
  byId('title').textContent = byId('title').title = title;
  document.title = title + ' – Pajé';
  note('');
  rowsChanged();
}

function openAddress(address) {
  let url;
  try {
    url = new URL(address, location.href);
  } catch {
    return dropMessage(`${address} is no address.`, true);
  }
  if (!/^https?:$/.test(url.protocol))
    return dropMessage(`Addresses begin with http: or https:; files are dropped or chosen.  (${address.slice(0, 200)})`, true);
  if (isSealed) // by a page that is loaded anew
    return location.assign(`?trace=${encodeURIComponent(url.href)}`);
  return openTraces([[{url: url.href, live: new URLSearchParams(location.search).has('live')}, decodeName(baseName(url.pathname))]]);
}

function decodeName(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

// Says in the field for traces what is wrong.
function dropMessage(text, isBad) {
  byId('drop').hidden = false;
  const old = byId('drop').querySelector('.said');
  if (old)
    old.remove();
  byId('drop').firstElementChild.append(make('p', {className: 'said' + (isBad ? ' bad' : ''), textContent: text, role: 'alert'}));
}

function traceFailed(trace, text) {
  note(`${trace.name}: ${text}`, true);
  if (!trace.nodes.length || trace.nodes.length < 2 && !trace.bands.length)
    dropMessage(`${trace.name}: ${text}`, true);
}

// Says if a trace that is read has another unit of times than the first one.
function compareUnits(trace) {
  const [first] = app.traces;
  trace.isOtherUnit = first.wasFinished && trace.wasFinished && trace.status.seconds !== first.status.seconds;
  if (!trace.isOtherUnit)
    return;
  note(`${trace.name} has another unit of times than ${first.name}: they are shown as if it had the same.`, true);
}

// The state of reading, where one looks.
function statusChanged(trace) {
  const {status} = trace;
  if (!app.hasView && status.events) {
    const range = overviewRange(), span = range.to - range.from;
    setView(range.from - span * 0.005, range.to + span * 0.005, true);
  }
  if (status.noTrace)
    dropMessage(`${trace.name} is no Pajé trace: it has no event definitions (%EventDef).`, true);
  else if (status.atEnd && status.finished && !status.events && status.size === 0)
    dropMessage(`${trace.name} is empty.`, true);
  else if (status.atEnd && status.finished && trace.nodes.length < 2 && !trace.bands.length)
    dropMessage(`${trace.name} has definitions, but no events.`, true);
  if (status.finished && !trace.wasFinished) {
    trace.wasFinished = true;
    finishedReading(trace);
    app.traces.forEach(compareUnits);
  }
  const now = performance.now();
  const between = Math.max(1000, 20 * (trace.whole ? trace.whole.cost : 0));
  if (!trace.overviewAt || now - trace.overviewAt > between || (status.finished && !trace.lastOverview)) {
    trace.overviewAt = now;
    trace.lastOverview = !!status.finished;
    askOverview();
  }
  showProgress();
}

function finishedReading(trace) {
  const {status} = trace, said = [];
  trace.hasIndex = true;
  if (status.errors)
    said.push(`${count(status.errors)} line${status.errors > 1 ? 's' : ''} could not be used (see paje validate)`);
  if (status.missing)
    said.push(`${count(status.missing)} file${status.missing > 1 ? 's' : ''} that it includes cannot be read here, and ` +
              `${status.missing > 1 ? 'are' : 'is'} left out; paje merge makes one file of all`);
  if (status.leftOut)
    said.push(`${count(status.leftOut)} containers are left out: there is no memory for more; choose more below`);
  if (status.unitReason && status.seconds !== 1)
    said.push(`times are taken as ${unitFor(status.seconds)[1]}, ${status.unitReason}`);
  if (status.why)
    said.push('its index is not used: ' + status.why);
  if (said.length && !trace.failure)
    note(`${trace.name}: ${said.join('; ')}`, status.errors > 0 || status.leftOut > 0 || status.missing > 0);
  detailsReady(trace);
  if (app.search)
    searchChanged();
}

// Details and profiles that waited for the index.
function detailsReady(trace) {
  if (!trace.detailsWait)
    return;
  trace.detailsWait = false;
  if (app.cursor)
    showDetails();
  if (app.selection)
    showProfile();
}

function showProgress() {
  let read = 0, size = 0, memory = 0, events = 0, isRead = true;
  for (const {status} of app.traces) {
    read += status.bytes;
    size += status.size;
    memory += status.memory || 0;
    events += status.events || 0;
    isRead = isRead && !!status.atEnd;
  }
  const speed = isRead ? '' : `reading ${size ? Math.floor(100 * read / size) : 0} % of ${bytes(size)} · `;
  byId('progress').textContent = app.traces.length ? `${speed}${count(events)} events · ${bytes(memory)} in use` : '';
}

function askOverview() {
  for (const trace of app.traces)
    if (trace.status.events) {
      trace.post({type: 'overview', columns: Math.round(plotWidth()), colors: app.colors, paper: paperColor()});
      if (app.search && !trace.hitCounts && trace.status.finished)
        askHits(trace);
    }
}

// ---- a file that grows

const LIVE_MS = 1000;

// What was ended is begun again, and then followed; the view stays.
function openAgain(trace) {
  const index = app.traces.indexOf(trace);
  trace.close();
  app.traces[index] = new Trace({...trace.from, index: null}, trace.name);
  app.traces[index].closed = trace.closed;
}

async function followFiles() {
  for (const trace of app.traces) {
    if (!trace.from.handle || !trace.worker)
      continue;
    try {
      const file = await trace.from.handle.getFile();
      if (file.size !== trace.from.file.size || file.lastModified !== trace.from.file.lastModified) {
        trace.from.file = file;
        trace.from.live = true;
        if (trace.status.finished)
          openAgain(trace);
        else
          trace.post({type: 'file', file});
      }
    } catch {
      // The file is gone; what was read stays.
    }
  }
}

// ---- where traces come from

async function pickFiles() {
  if (!window.showOpenFilePicker)
    return byId('file').click();
  try {
    const handles = await window.showOpenFilePicker({multiple: true});
    openFiles(await Promise.all(handles.map(async handle => ({handle, file: await handle.getFile()}))));
  } catch (error) {
    if (error.name !== 'AbortError')
      byId('file').click();
  }
  return undefined;
}

async function dropFiles(event) {
  event.preventDefault();
  byId('drop').classList.remove('over');
  const items = [...event.dataTransfer.items].filter(item => item.kind === 'file');
  const text = event.dataTransfer.getData('text/uri-list') || event.dataTransfer.getData('text/plain');
  if (!items.length)
    return text && openAddress(text.split('\n')[0].trim());
  const entries = items.map(item => ({file: item.getAsFile(),
    handle: item.getAsFileSystemHandle ? item.getAsFileSystemHandle().catch(() => null) : null}));
  for (const entry of entries)
    entry.handle = await entry.handle;
  return openFiles(entries.filter(entry => entry.file));
}

function pasteAddress(event) {
  if (event.target.closest && event.target.closest('input'))
    return;
  const files = [...event.clipboardData.files];
  const text = event.clipboardData.getData('text').trim();
  if (files.length)
    openFiles(files.map(file => ({file})));
  else if (text)
    openAddress(text);
}

// What the page itself says: a trace within it, its name and its view (`paje web`); or the address.
function openGiven() {
  const settings = parse(byId('settings').textContent, {});
  const given = byId('trace').textContent.trim();
  const asked = new URLSearchParams(location.search).get('trace');
  readAddress(location.hash.length > 1 ? location.hash.slice(1) : settings.view || '');
  if (given) {
    const content = Uint8Array.from(atob(given), one => one.charCodeAt(0));
    openTraces([[{file: new File([content], settings.name || 'trace', {lastModified: 0})}, settings.name || 'trace']]);
  } else if (asked) {
    openAddress(asked);
  } else if (settings.name) {
    dropMessage(`This page waits for ${settings.name}: drop it here, or choose it.`);
  }
}

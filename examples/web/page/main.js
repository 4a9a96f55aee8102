// Puts the parts together.
'use strict';

function listen() {
  const plot = byId('plot');
  plot.addEventListener('pointerdown', beginGesture);
  plot.addEventListener('pointermove', continueGesture);
  plot.addEventListener('pointerup', endGesture);
  plot.addEventListener('pointercancel', endGesture);
  plot.addEventListener('pointerleave', () => {
    app.hover = app.hoverLink = null;
    hideTip();
    drawOverlay();
  });
  plot.addEventListener('wheel', turnWheel, {passive: false});
  plot.addEventListener('dblclick', event => {
    const at = pointOf(event);
    if (at.x > app.gutter && !event.target.closest('#drop')) {
      setCursor(timeAt(at.x), rowAt(at.y));
      zoomToCursor();
    }
  });
  byId('scroll').addEventListener('scroll', () => {
    if (Math.abs(app.top - byId('scroll').scrollTop) >= 1) {
      app.top = byId('scroll').scrollTop;
      draw();
    }
  });
  byId('labels').addEventListener('click', clickLabel);
  document.addEventListener('keydown', pressKey);
  document.addEventListener('paste', pasteAddress);
  document.addEventListener('dragover', event => {
    event.preventDefault();
    byId('drop').classList.add('over');
  });
  document.addEventListener('dragleave', () => byId('drop').classList.remove('over'));
  document.addEventListener('drop', dropFiles);
  new ResizeObserver(() => {
    measure();
    listRows();
    drawnLabels = '';
    askOverview();
    draw();
  }).observe(byId('plot'));
  listenControls();
  listenDrags();
}

function clickLabel(event) {
  // What is there now: labels may have been made anew since the button was pressed.
  const target = event.detail ? document.elementFromPoint(event.clientX, event.clientY) : event.target;
  const label = target && target.closest('.label');
  if (!label)
    return;
  const {row} = label;
  if (target.closest('.pin'))
    togglePin(row);
  else if (row.hasChildren && row.isHead && !row.isTitle)
    toggleNode(row, event.shiftKey);
  else
    setCursor(app.cursor ? app.cursor.time : (app.view.from + app.view.to) / 2, row);
}

function listenControls() {
  const click = (name, action) => byId(name).addEventListener('click', action);
  click('open', pickFiles);
  click('pick', pickFiles);
  click('nested', () => toggle('isNested', 'nested'));
  click('links', () => toggle('hasLinks', 'links'));
  click('side', togglePanel);
  click('theme', toggleTheme);
  click('help', showHelp);
  byId('file').addEventListener('change', event => openFiles([...event.target.files].map(file => ({file}))));
  byId('search').addEventListener('input', searchChanged);
  byId('search').addEventListener('keydown', event => {
    if (event.key === 'Enter')
      findNext(event.shiftKey);
  });
  byId('filter').addEventListener('input', event => {
    app.filter = event.target.value;
    app.top = 0;
    listRows();
    viewChanged();
    draw();
  });
  byId('colors').addEventListener('change', event => {
    app.colors = Number(event.target.value);
    optionsChanged();
  });
  byId('order').addEventListener('change', event => {
    app.order = Number(event.target.value);
    optionsChanged();
  });
  byId('memory').addEventListener('change', () => {
    if (app.traces.length)
      openTraces(app.traces.map(trace => [trace.from, trace.name]));
  });
  for (const tab of document.querySelectorAll('nav button'))
    tab.addEventListener('click', () => showTab(tab.dataset.tab));
}

// The overview chooses a range; the edge of the labels moves.
function listenDrags() {
  const overview = byId('overview'), splitter = byId('splitter');
  let from = null;
  const timeOf = event => {
    const range = overviewRange(), box = overview.getBoundingClientRect();
    const share = (event.clientX - box.left - app.gutter) / plotWidth();
    return range.from + Math.max(0, Math.min(1, share)) * (range.to - range.from);
  };
  overview.addEventListener('pointerdown', event => {
    if (!overviewRange())
      return;
    from = timeOf(event);
    overview.setPointerCapture(event.pointerId);
  });
  overview.addEventListener('pointermove', event => {
    if (from !== null && Math.abs(timeOf(event) - from) > 0)
      setView(Math.min(from, timeOf(event)), Math.max(from, timeOf(event)));
  });
  overview.addEventListener('pointerup', event => {
    const range = overviewRange();
    if (from !== null && range && Math.abs(timeOf(event) - from) < (range.to - range.from) / plotWidth() * 3) {
      const half = (app.view.to - app.view.from) / 2;
      setView(from - half, from + half);
    }
    from = null;
  });
  overview.addEventListener('dblclick', showAll);
  splitter.addEventListener('pointerdown', event => {
    splitter.setPointerCapture(event.pointerId);
    event.stopPropagation();
  });
  splitter.addEventListener('pointermove', event => {
    if (!event.buttons)
      return;
    app.gutter = Math.max(60, Math.min(600, event.clientX - byId('plot').getBoundingClientRect().left));
    drawnLabels = '';
    drawOverview();
    draw();
  });
}

function start() {
  setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  openGiven();
  measure(); // the address may have another theme
  byId('search').value = app.search;
  byId('filter').value = app.filter;
  byId('colors').value = app.colors;
  byId('order').value = app.order;
  byId('nested').setAttribute('aria-pressed', String(app.isNested));
  byId('links').setAttribute('aria-pressed', String(app.hasLinks));
  listen();
  showLegend();
  showMarks();
  setInterval(followFiles, LIVE_MS);
  draw();
}

"""What is drawn is what `paje dump` says of the same range of time."""
import glob, os, random
from page import *

ITEMS = """(() => { const trace = app.traces[0], picture = trace.pictures[0], items = [];
    const nameOf = node => node.index ? node.name : '0';
    for (const row of app.rows) {
        const data = picture.rows.get(row.key);
        if (!data || !row.band)
            continue;
        const {words, floats} = picture, type = trace.types[row.band.type].name;
        for (let i = 0, at = data.at; i < data.items; i++, at += 5) {
            const value = trace.values[words[at + 3]];
            const [from, to] = [timeOfColumn(picture, row, floats[at]), timeOfColumn(picture, row, floats[at + 1])];
            if (data.kind === VARIABLE)
                items.push(['Variable', nameOf(row.node), type, from, to, floats[at + 4], floats[at + 1] - floats[at]]);
            else if (words[at + 3] !== 0xffffffff && data.kind === STATE)
                items.push(['State', nameOf(row.node), type, from, to, value.name, floats[at + 1] - floats[at], depthOf(words, at)]);
            else if (data.kind === EVENT)
                items.push(['Event', nameOf(row.node), '', from, to, value ? value.name : '', words[at + 4]]);
        }
    }
    const name = index => index ? trace.nodes[index].name : '0';
    const links = trace.arrows.map(it => [it.start, it.end, name(it.from), name(it.to), trace.values[it.value].name]);
    const keys = [...picture.rows.keys()].filter(key => key >= 0).map(key => trace.bands[key]);
    const bands = keys.map(band => [band.node ? trace.nodes[band.node].name : '0', band.kind === EVENT ? '' : trace.types[band.type].name]);
    return {items, links, bands, stride: trace.arrowCount, column: (picture.to - picture.from) / picture.columns,
            from: picture.from, to: picture.to, isExact: picture.isExact};
})()"""

def lines_of(trace, start, end):
    return [line.split(", ") for line in paje("dump", "-l", "15", "-s", repr(start), "-e", repr(end), trace).splitlines()]

def compare(trace, has_unique_names):
    """Compares the rows on the screen with the dump of their range; returns what differs."""
    seen = browser.ask(ITEMS)
    if not isinstance(seen, dict) or "items" not in seen:
        return [seen]
    near = 1e-3 * seen["column"] + 1e-12
    bands = {tuple(band) for band in seen["bands"]}
    # The lines of rows that are on the screen.
    lines = [line for line in lines_of(trace, seen["from"], seen["to"]) if line[0] in ("Link", "Container") or
             (line[1], "" if line[0] == "Event" else line[2]) in bands]
    wide = 1.01 * seen["column"]
    states = {}
    for item in seen["items"]:
        if item[0] == "State" and item[6] > 1.01:
            states.setdefault((item[1], item[2], item[5], item[7]), []).append(item[3:5])
    wrong = []
    for kind, *rest in lines:
        if kind == "State" and float(rest[4]) > wide:
            name, type_, start, end, _, depth, *value = rest
            compared["State"] += 1
            spans = states.get((name, type_, ", ".join(value), int(float(depth))), [])
            cut = lambda time: min(max(time, seen["from"] - 1e6 * seen["column"]), seen["from"] + 1e6 * seen["column"])
            match = [span for span in spans if abs(span[0] - cut(float(start))) < near * 50 and
                     abs(span[1] - cut(float(end))) < near * 50]
            if not match and has_unique_names:
                wrong.append((kind, *rest))
            elif not match:
                continue # the row of that name may be another one
            else:
                spans.remove(match[0])
    exact = {key: spans for key, spans in states.items() if spans}
    if any(spans for spans in exact.values()):
        # Neighbours of one value that are narrower than a column may come as one item.
        wrong += [("not in the dump", key, spans[:2]) for key, spans in exact.items()
                  if not any(line[0] == "State" and line[1] == key[0] for line in lines)]
    expected = sorted((float(rest[2]), float(rest[3]), rest[-3], rest[-2]) for kind, *rest in lines if kind == "Link")
    links = sorted((it[0], it[1], it[2], it[3]) for it in seen["links"])
    compared["Link"] += len(expected)
    if len(expected) < 900 and [it[2:] for it in expected] != [it[2:] for it in links]:
        wrong.append(("links", len(expected), len(links), expected[:2], links[:2]))
    events = sum(item[6] for item in seen["items"] if item[0] == "Event")
    count = sum(kind == "Event" and seen["from"] <= float(rest[2]) < seen["to"] for kind, *rest in lines)
    if has_unique_names and abs(events - count) > 1:
        wrong.append(("events", events, count))
    variables = {}
    for item in seen["items"]:
        if item[0] == "Variable" and item[6] > 1.01:
            variables.setdefault((item[1], item[2]), []).append(item[3:6])
    for kind, *rest in lines:
        if kind == "Variable" and float(rest[4]) > wide and seen["from"] < float(rest[3]) and float(rest[2]) < seen["to"]:
            spans = variables.get((rest[0], rest[1]), [])
            number = float(rest[5])
            compared["Variable"] += 1
            if has_unique_names and not any(abs(span[2] - number) <= 1e-5 * abs(number) + 1e-30 for span in spans):
                wrong.append((kind, *rest))
    return wrong

compared = {"State": 0, "Link": 0, "Variable": 0}
random.seed(7)
traces = [STENCIL, *sorted(glob.glob("tests/traces/emitters/*.trace"))]
if os.environ["CORPUS"]:
    corpus = sorted(glob.glob(os.environ["CORPUS"] + "/**/*.trace", recursive=True), key=os.path.getsize)
    corpus = [name for name in corpus if 10_000 < os.path.getsize(name) < 5_000_000]
    traces += corpus[:: max(1, len(corpus) // 10)][:10]
else:
    print("CORPUS viewer")
for trace in traces:
    show(trace, wait=READY + " || app.traces[0].failure")
    if not browser.ask("app.traces[0].status.events > 0 && app.rows.length > 0"):
        check(f"{trace}: it says what is missing", browser.ask("!byId('drop').hidden"), browser.text("note"))
        continue
    wrong = []
    browser.ask("app.isNestedAsked = true; app.isNested = true; app.scale = 0.4; for (const t of app.traces) t.closed.clear(); "
                "listRows(); draw()")
    first, last = browser.ask("[app.traces[0].status.first, app.traces[0].status.last]")
    for i in range(4):
        span = (last - first or 1) * 10 ** -random.uniform(0, 3) if i else (last - first or 1)
        start = random.uniform(first, last - span) if i else first
        browser.ask(f"app.top = {i} * app.height / 5; setView({start!r}, {start + span!r})")
        settle()
        wrong += compare(trace, browser.ask("new Set(app.rows.filter(row => row.isHead).map(row => row.node.name)).size === "
                                            "app.rows.filter(row => row.isHead).length"))
    check(f"{os.path.basename(trace)}: what is drawn is what paje dump says", not wrong and not browser.complaints(),
          wrong[:3] + browser.complaints()[:1])

check("hundreds of entities were compared", min(compared.values()) > 100, compared)
show(STENCIL)
settle()
pixels = browser.ask("""(() => { const trace = app.traces[0], picture = trace.pictures[0], wrong = []; let tried = 0;
    const context = byId('canvas').getContext('2d');
    for (const row of visibleRows()) {
        const data = picture.rows.get(row.key);
        if (!data || data.kind !== STATE)
            continue;
        const {first, column} = placeOf(picture, row, plotWidth());
        for (let i = 0, at = data.at; i < data.items; i++, at += 5) {
            const from = first + picture.floats[at] * column, to = first + picture.floats[at + 1] * column;
            const depth = depthOf(picture.words, at), x = app.gutter + to - 5;
            if (to - from < 12 || to > plotWidth())
                continue;
            const y = screenY(row) + (depth ? row.height - 2 - HEIGHTS.nested * (data.depths - 1 - depth) - 1 : 4);
            const [r, g, b] = context.getImageData(Math.round(x), Math.round(y), 1, 1).data;
            tried++;
            const color = trace.values[picture.words[at + 3]].color;
            if ((r << 16 | g << 8 | b) !== color && !app.traces[0].shownLinks.some(it => Math.abs(it.x1 - x) + Math.abs(it.x2 - x) < 60))
                wrong.push([row.node.name, depth, x, y, r, g, b, color]);
        }
    }
    return {tried, wrong}; })()""")
check("pixels have the colours of their states", isinstance(pixels, dict) and pixels.get("tried", 0) > 40 and
      len(pixels["wrong"]) == 0, pixels)

"""What one does with the page."""
import json, os, subprocess, xml.dom.minidom
from page import *

def place(name, time=None):
    """Where a row is on the page, in the middle of the plot or at a time."""
    return browser.ask(f"""(() => {{ const box = byId('plot').getBoundingClientRect();
        const row = app.rows.find(one => one.node.name === '{name}');
        return [box.left + {'app.gutter + plotWidth() / 2' if time is None else f'xOf({time})'}, box.top + screenY(row) + row.height - 4];
    }})()""")

def type_into(name, text):
    browser.ask(f"byId('{name}').value = {json.dumps(text)}; byId('{name}').dispatchEvent(new Event('input'))")
    settle()

def rows():
    return browser.ask("app.rows.map(row => row.node.name)")

FULL = [-0.00020415, 0.04103415]
show(STENCIL)
settle()
check("nothing is loaded but the page", not loaded(), loaded())
check("all of the time is shown", all(abs(a - b) < 1e-9 for a, b in zip(view(), FULL)), view())
check("a policy forbids what is not of the page", "default-src 'none'" in browser.ask(
    "document.querySelector('meta[http-equiv]').content"))
refused = browser.ask("""new Promise(done => { const script = document.createElement('script'); window.ran = false;
    script.textContent = 'window.ran = true'; document.body.append(script); setTimeout(() => done(window.ran), 50); })""")
check("another script does not run", refused is False, refused)

# ---- zooming and moving

x, y = place("Main 0")
time = browser.ask(f"timeAt({x} - byId('plot').getBoundingClientRect().left)")
browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
settle()
first, last = view()
check("the wheel zooms", abs((last - first) * 1.2 ** 3 - (FULL[1] - FULL[0])) < 1e-9, last - first)
check("what is under the pointer stays", abs(browser.ask(f"timeAt({x} - byId('plot').getBoundingClientRect().left)") - time) < 1e-9)
browser.drag(x, y, x - 100, y)
settle()
moved = browser.ask("100 / plotWidth()") * (last - first)
check("dragging moves", abs(view()[0] - first - moved) < 1e-9, [view()[0], first, moved])
browser.mouse("mouseWheel", x, y, deltaX=60, deltaY=0)
settle()
check("a wheel to the side moves", view()[0] > first + moved, view())
browser.ask("byId('plot').focus()")
for key, test in (("w", "app.view.to - app.view.from < %r"), ("s", "app.view.to - app.view.from > %r * 0.99")):
    span = view()[1] - view()[0]
    browser.key(key)
    settle()
    check(f"the key {key} zooms", browser.ask(test % span), view())
before = view()
browser.key("d")
settle()
check("the key d moves", view()[0] > before[0], view())
browser.key("a")
settle()
check("the key a moves back", abs(view()[0] - before[0]) < 1e-9, view())
browser.key("0")
settle()
check("0 shows all", all(abs(a - b) < 1e-9 for a, b in zip(view(), FULL)), view())
height = browser.ask("app.rows[3].height")
browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-100, modifiers=8)
check("Shift and the wheel make rows higher", browser.ask("app.rows[3].height") > height)
browser.ask("setScale(1)")
browser.pinch(550, 300, 50, 130)
settle()
check("two fingers zoom", view()[1] - view()[0] < 0.6 * (FULL[1] - FULL[0]), view())
browser.ask("showAll()")
settle()
x, y = place("Main 0", 0.003)
browser.double_click(x, y)
settle()
check("a double click zooms to a state", view()[1] - view()[0] < 0.01 and view()[0] < 0.003 < view()[1], view())
for _ in range(150):
    browser.ask("zoom(0.5)")
settle()
check("zooming in comes to an end", browser.ask("app.view.to > app.view.from && isFinite(xOf(app.view.from))"), view())
for _ in range(80):
    browser.ask("zoom(2)")
check("zooming out comes to an end", view()[1] - view()[0] < 1, view())
browser.ask("showAll()")
settle()
box = browser.ask("(({left, top}) => [left + app.gutter, top + 10])(byId('overview').getBoundingClientRect())")
browser.drag(box[0] + 200, box[1], box[0] + 400, box[1])
settle()
check("a drag in the strip chooses a range", abs(browser.ask("(app.view.to - app.view.from) * plotWidth()") - 0.04083 * 200) < 0.001, view())
browser.ask("showAll()")
settle()

# ---- tooltips, details, links

browser.mouse("mouseMoved", *place("Main 0", 0.0222))
tip = browser.text("tip")
check("the tooltip", "compute" in tip and "Main 0" in tip and "ms" in tip, tip)
x, y = place("Main 0", 0.0222)
browser.ask("app.details = null")
browser.click(x, y)
browser.wait("app.details && app.details.entries")
at = browser.ask("app.details.time")
check("details are what paje at says", browser.ask("app.details.text") == paje("at", STENCIL, at), at)
entries = browser.ask("app.details.entries.map(one => one.text)")
check("of the row that was clicked", [entry.split(",")[0] for entry in entries] ==
      ["Thread: Main 0", "Thread state [0]: idle", "Thread state [1]: compute"], entries)
before = browser.ask("app.cursor.time")
browser.ask("byId('plot').focus()")
browser.key("ArrowRight")
browser.wait(f"app.cursor.time > {before!r}")
check("the arrow goes to the next change", paje("at", STENCIL, repr(browser.ask("app.cursor.time"))) != paje("at", STENCIL, at),
      browser.ask("app.cursor.time"))
browser.key("ArrowDown")
check("and to the row below", browser.ask("app.cursor.row").endswith("Worker 0.1:2:Thread state"), browser.ask("app.cursor.row"))
check("which is said", "Worker 0.1" in browser.text("spoken"), browser.text("spoken"))
link = browser.ask("(it => [it.x1, it.y1, it.x2, it.y2, it.link.start, it.link.from])(app.traces[0].shownLinks.reduce("
                   "(a, b) => b.x2 - b.x1 > a.x2 - a.x1 ? b : a))")
left, top = browser.ask("(box => [box.left, box.top])(byId('plot').getBoundingClientRect())")
browser.mouse("mouseMoved", left + (link[0] + link[2]) / 2, top + (link[1] + link[3]) / 2)
check("a link's tooltip", "→" in browser.text("tip"), browser.text("tip"))
browser.click(left + (link[0] + link[2]) / 2, top + (link[1] + link[3]) / 2)
settle()
check("a click on a link goes to its sender", abs(browser.ask("app.cursor.time") - link[4]) < 1e-12 and
      browser.ask("cursorRow().node.index") == link[5], browser.ask("app.cursor"))
receiver = browser.ask("""(() => { const link = app.traces[0].arrows[20]; const trace = app.traces[0];
    setCursor(link.end + 1e-9, rowOfNode(trace, link.to)); followToSender(); return [link.start, link.from]; })()""")
check("G goes from the receiver to the sender", browser.ask("[app.cursor.time, cursorRow().node.index]") == receiver, receiver)

browser.ask("[app.view.from, app.view.to, (it => setCursor(it.start, rowOfNode(app.traces[0], it.from)))(app.traces[0].arrows[20])]; "
            "byId('plot').focus()")
browser.key("k")
browser.wait("byId('spoken').textContent.startsWith('receiver')")
waited = browser.ask("""(() => { const link = app.traces[0].arrows[20], row = cursorRow();
    return [row.node.parent === link.to, app.cursor.time <= link.end, app.cursor.time > link.start, byId('spoken').textContent]; })()""")
check("K goes to the state that waited for a message", waited[:3] == [True] * 3 and ", in " in waited[3] and "-" not in waited[3],
      waited)

# ---- the tree

settle() # the view may still move to where K went
count = len(rows())
label = browser.ask("(box => [box.left + 30, box.top + 8])([...document.querySelectorAll('.label')].find(one => "
                    "one.row.node.name === 'Node 0').getBoundingClientRect())")
browser.click(*label)
settle()
check("a click on a name collapses it", "Main 0" not in rows() and "Main 2" in rows(), rows())
sums = browser.ask("(row => app.traces[0].pictures[0].rows.get(row.key))(app.rows.find(row => row.node.name === 'Node 0'))")
check("and its states are summed up in one row", sums and sums["isSum"] == 1 and sums["items"] > 100, sums)
browser.click(*label, modifiers=8)
settle()
check("with Shift, one expands it again", len(rows()) == count, rows())
browser.ask("setCursor(0.001, app.rows.find(row => row.node.name === 'Node 0')); byId('plot').focus()")
browser.key("Enter")
settle()
check("Enter collapses it", "Main 0" not in rows() and "Main 2" in rows(), rows())
browser.key("Enter")
browser.key("Enter", modifiers=8)
settle()
check("Shift Enter collapses all of its level", not [name for name in rows() if name.startswith("Main")], rows())
browser.key("Enter", modifiers=8)
settle()
check("and expands them", len(rows()) == count, rows())
type_into("filter", "Worker [01].1")
check("the filter takes globs", {"Worker 0.1", "Worker 1.1"} <= set(rows()) and "Main 0" not in rows(), rows())
type_into("filter", "main")
check("and parts of names", {"Main 0", "Main 3"} <= set(rows()) and "Worker 0.1" not in rows(), rows())
type_into("filter", "")
browser.ask("togglePin(app.rows.find(row => row.node.name === 'Worker 3.2'))")
settle()
check("a pinned row is at the top", rows()[0] == "Worker 3.2" and browser.ask("screenY(app.rows[0])") == 0, rows()[:2])
browser.ask("togglePin(app.rows[0])")

def threads():
    return [name for name in dict.fromkeys(rows()) if "Main" in name or "Worker" in name][:3]

def order(value):
    browser.ask(f"byId('order').value = {value}; byId('order').dispatchEvent(new Event('change'))")
    settle()
    return threads()

check("rows in the order of the trace, by name, by begin, and by name from the last", [order(i) for i in range(4)] == [
      ["Main 0", "Worker 0.1", "Worker 0.2"]] * 3 + [["Worker 3.2", "Worker 3.1", "Main 3"]], [order(i) for i in range(4)])
order(0)
scale = browser.ask("[...document.querySelectorAll('.label .scale')].map(one => one.innerText.split('\\n').filter(Boolean))")
check("variables have their scale", scale and scale[0] == ["240.75", "0"], scale[:3])
steps = browser.ask("""(row => (data => Array.from({length: data.items}, (_, i) => app.traces[0].pictures[0].floats[data.at + 5 * i + 4]))(
    app.traces[0].pictures[0].rows.get(row.key)))(app.rows.find(row => row.node.name === 'Process 0' && row.band.kind === VARIABLE))""")
values = [float(line.split(", ")[6]) for line in paje("dump", STENCIL).splitlines() if line.startswith("Variable, Process 0, Memory")]
check("and are steps", len(steps) == len(values) and all(abs(a - b) < 1e-3 for a, b in zip(steps, values)), [steps, values])

# ---- search

type_into("search", "reduce")
check("search counts", browser.text("found") == "1 value", browser.text("found"))
browser.wait("app.traces[0].hitCounts")
hits = browser.ask("app.traces[0].hitCounts.words.reduce((sum, one) => sum + one, 0)")
dump = [line for line in paje("dump", STENCIL).splitlines() if line.startswith("State") and line.endswith("reduce")]
check("hits are marked in time", hits == len(dump), [hits, len(dump)])
faded = browser.ask("""(() => { const {words, rows} = app.traces[0].pictures[0], seen = new Set();
    for (const data of rows.values()) for (let i = 0, at = data.at; data.kind === STATE && i < data.items; i++, at += 5)
        seen.add(app.traces[0].values[words[at + 3]]?.name + ' ' + (words[at + 2] & 0xffffff)); return [...seen]; })()""")
color = browser.ask("app.traces[0].values.find(one => one.name === 'reduce').color")
check("others fade", f"reduce {color}" in faded and browser.ask(
    "app.traces[0].values.find(one => one.name === 'compute').color") not in [int(it.split()[-1]) for it in faded], faded)
starts = sorted({float(line.split(", ")[3]) for line in dump})
browser.ask("setCursor(0, null)")
for i in range(3):
    browser.ask("findNext(false)")
    browser.wait(f"Math.abs(app.cursor.time - {starts[i]}) < 1e-6")
check("the next match, and the next", abs(browser.ask("app.cursor.time") - starts[2]) < 1e-6, [browser.ask("app.cursor.time"), starts[:4]])
browser.ask("findNext(true)")
check("and the one before", browser.wait(f"Math.abs(app.cursor.time - {starts[1]}) < 1e-6"), browser.ask("app.cursor.time"))
type_into("search", "worker")
check("containers are found", browser.text("found") == "8 containers", browser.text("found"))
browser.ask("app.traces[0].closed.add(1); listRows(); findNext(false)")
check("and shown where they were collapsed", browser.ask("cursorRow().node.name") == "Worker 0.1", browser.ask("app.cursor"))
browser.ask("byId('plot').focus()")
browser.key("Escape")
check("Escape ends the search", browser.ask("app.search") == "")

# ---- selection, measuring, bookmarks, export

def press_drag(x1, x2, modifiers):
    left, y = browser.ask("(box => [box.left, box.top + 60])(byId('plot').getBoundingClientRect())")
    browser.drag(left + x1, y, left + x2, y, modifiers=modifiers)

press_drag(400, 700, 8)
browser.wait("app.profiles && app.profiles.length")
start, end = browser.ask("[String(app.selection.from), String(app.selection.to)]")
select = ("-s", start, "-e", end, STENCIL)
check("the selection's profile is that of paje profile", browser.ask("app.profiles[0].text") ==
      paje("profile", "--format", "csv", "--depth", "0", *select), [start, end])
for command in ("histogram", "matrix"):
    browser.ask(f"app.output = ''; showOutput(byId('profile'), '{command}')")
    check(f"paje {command} of it", browser.ask("app.output") == paje(command, *select), browser.ask("app.output"))
browser.ask("saveCsv()")
check("the selection as CSV", browser.ask("app.saved.content") == paje("profile", "--format", "csv", *select))
for key, name in (("r", "selection"), ("m", "measure")):
    browser.ask(f"app.{name} = null; setCursor(0.01, app.rows[4]); byId('plot').focus()")
    browser.key(key)
    browser.ask("setCursor(0.02, app.rows[4])")
    browser.key(key)
    check(f"{key} at both ends: {name}", browser.ask(f"[app.{name}.from, app.{name}.to]") == [0.01, 0.02], browser.ask(f"app.{name}"))
press_drag(300, 500, 1)
measured = browser.ask("[app.measure.to - app.measure.from, 200 / plotWidth() * (app.view.to - app.view.from)]")
check("Alt and drag measure", abs(measured[0] - measured[1]) < 1e-9, measured)
browser.ask("app.marks = []; setCursor(0.01, app.rows[4]); addMark(); app.marks[0].name = '<b>here</b>'; showMarks()")
svg = browser.ask("pictureAsSvg()")
rects = xml.dom.minidom.parseString(svg).getElementsByTagName("rect")
check("the picture as SVG", len(rects) > 300 and "compute" in svg, len(rects))
browser.ask("app.saved = null; savePng('a.png')")
browser.wait("app.saved")
check("the picture as PNG", browser.ask("app.saved.content.arrayBuffer().then(bytes => [...new Uint8Array(bytes, 1, 3)])") == [80, 78, 71])

# ---- the address

browser.ask("setView(0.01, 0.02); app.traces[0].closed.add(3); togglePin(app.rows[5]); app.filter = 'Process'; writeAddress()")
state = browser.ask("JSON.stringify(viewState())")
address = browser.ask("location.hash")
browser.open("about:blank")
browser.open("file://" + os.path.abspath(PAGE) + address)
browser.choose(STENCIL)
browser.wait(READY)
settle()
again = json.loads(browser.ask("JSON.stringify(viewState())"))
differ = {key: [value, again.get(key)] for key, value in json.loads(state).items() if again.get(key) != value and key != "closed"}
check("the view is in the address", not differ, differ)
check("bookmarks too", browser.ask("document.querySelector('#marks input').value") == "<b>here</b>")

# ---- keys

show(STENCIL)
settle()
browser.ask("byId('plot').focus()")
for key, what in (("End", "app.top"), ("Home", "app.top"), ("PageDown", "app.top"), ("PageUp", "app.top"), ("n", "app.isNested"), ("l", "app.hasLinks"), ("c", "app.colors"), ("v", "app.order"), ("p", "byId('panel').hidden"),
                  ("+", "app.scale"), ("-", "app.scale"), ("ArrowDown", "app.cursor && app.cursor.row"), ("x", "app.pinned.size"),
                  ("b", "app.marks.length"), ("z", "app.view.to - app.view.from"), ("0", "app.view.from")):
    before = browser.ask(what)
    browser.key(key)
    settle()
    check(f"the key {key}", browser.ask(what) != before, before)
for key, name in (("/", "search"), ("f", "filter")):
    browser.ask("byId('plot').focus()")
    browser.key(key)
    check(f"the key {key}", browser.ask("document.activeElement.id") == name, browser.ask("document.activeElement.id"))
browser.ask("byId('plot').focus()")
for key in ("e", "?"):
    browser.key(key)
    check(f"the key {key}", browser.ask("byId('keys').open"))
    browser.ask("byId('keys').close()")
nested, flat = (browser.ask(f"app.isNested = {value}; listRows(); app.rows.find(row => row.node.name === 'Main 0').height") for value in
                ("true", "false"))
check("nested states below each other, or over each other", nested > flat, [nested, flat])

# ---- links thin out

with open(f"{folder}/links.trace", "wb") as file:
    file.write(subprocess.run(["build/bench/generate", "-b", "1000000", "-c", "16", "-m", "10,5,80"], stdout=subprocess.PIPE).stdout)
show(f"{folder}/links.trace")
settle()
dense = browser.ask("[app.traces[0].arrowCount, app.traces[0].arrows.length]")
check("links thin out", dense[0] > 3000 and 300 < dense[1] <= 1200, dense)
kept = browser.ask("app.traces[0].arrows.map(it => it.start + ' ' + it.end)")
browser.ask("setView(app.view.from + (app.view.to - app.view.from) / 1000, app.view.to)")
settle()
again = set(browser.ask("app.traces[0].arrows.map(it => it.start + ' ' + it.end)"))
check("and stay the same ones when the view moves", sum(one in again for one in kept) > 0.9 * len(kept), [len(kept), len(again)])
browser.ask("setView(app.view.from, app.view.from + (app.view.to - app.view.from) / 200)")
settle()
near = browser.ask("[app.traces[0].arrowCount, app.traces[0].arrows.length]")
check("and come back when one comes closer", near[0] == near[1] > 10, near)

# ---- what is narrower than a pixel

lines = "".join(f"11 {i} S p work a 0\n20 {i} V p {i % 7}\n30 {i} E p hit a 0\n30 {i} E p hit a 0\n12 {i}.01 S p x\n" for i in range(5000))
with open("tests/tool/header.trace") as file, open(f"{folder}/short.trace", "w") as trace:
    trace.write(file.read() + "0 P 0 P\n1 S P State\n2 E P Mark\n3 V P Load 0\n6 0 p P 0 p 0\n" + lines)
show(f"{folder}/short.trace")
settle()

def tips(time):
    """The tooltips of the rows of states, events and the variable there."""
    return browser.ask(f"""[STATE, EVENT, VARIABLE].map(kind => app.rows.find(row => row.band && row.band.kind === kind)).map(
        row => tipOf({{x: xOf({time}), y: screenY(row) + row.height - 3}}).map(it => it.textContent ?? it).join(''))""")

said = tips(2000.005)
check("a run of short states is not told as one long state", all("summed up: zoom in" in one for one in said) and "work" in said[0],
      said)
check("events of one value are counted", "events, summed up" in said[1], said)
browser.ask("setView(1999.9, 2000.4)")
settle()
said = tips(2000.001)
check("from near they are as they are", "summed up" not in said[0] + said[2] and said[0].endswith(": 10 ms") and
      said[2].endswith((": 1 s", ": 1000 ms")) and "2 events" in said[1], said)

# ---- colours, light and dark

show(STENCIL)
light = browser.ask("getComputedStyle(document.body).backgroundColor")
browser.key("t")
settle()
dark = browser.ask("getComputedStyle(document.body).backgroundColor")
check("light and dark", light != dark, [light, dark])
colors = []
for mode in range(3):
    browser.ask(f"app.colors = {mode}; optionsChanged()")
    settle()
    colors.append(browser.ask("[...new Set([...app.traces[0].pictures[0].rows.values()].flatMap(data => data.kind !== STATE ? [] : "
        "Array.from({length: data.items}, (_, i) => app.traces[0].pictures[0].words[data.at + 5 * i + 2])))].length"))
check("colours by value, by type, by duration", len(set(colors)) == 3 and colors[1] < colors[0], colors)
browser.ask("showHelp()")
check("all keys are in the help", browser.ask("document.querySelectorAll('dialog dt').length") > 30)
browser.ask("byId('keys').close()")
names = browser.ask("[...document.querySelectorAll('button, input, select, canvas, [role]:not([role=status])')].filter(one => one.getClientRects().length && "
                    "!one.getAttribute('aria-label') && !one.getAttribute('aria-hidden') && !one.textContent.trim() && !one.closest('#plot, label')).map(one => one.outerHTML)")
check("all controls have names for readers of the screen", names == [], names)
check("nothing was thrown", not browser.complaints(), browser.complaints()[:1])

"""Inspects the page of `paje html` in Chromium.  See html.sh.  usage: html.py FOLDER"""
import csv, glob, json, os, re, shutil, subprocess, sys
sys.path.insert(0, "tests/web")
from browser import Chromium

folder = sys.argv[1]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
failed = False

def check(name, is_well, why=""):
    global failed
    failed |= not is_well
    print(f"PASS html in a browser: {name}" if is_well else f"FAIL html in a browser: {name}: {why!r:.300}", flush=True)

class Page(Chromium):
    def mouse(self, kind, x, y, **more):
        top = self.ask("document.getElementById('plot').getBoundingClientRect().top")
        super().mouse(kind, x, y + top, **more)
        self.settle()

    def tip(self, time, row):
        """Returns the tooltip for a time in a row; both are expressions in the page."""
        x, y = self.ask(f"[x({time}), ({row}).y + ({row}).height - 3 - view.top]")
        self.mouse("mouseMoved", x, y)
        return self.text("tip") if self.ask("getComputedStyle(tip).display") == "block" else ""

    def pixel(self, time, row, up=3):
        return self.ask(f"""[...pen.getImageData(Math.round(x({time}) * devicePixelRatio),
            Math.round((({row}).y + ({row}).height - {up} - view.top) * devicePixelRatio), 1, 1).data].slice(0, 3)""")

def page(name, trace):
    with open(f"{folder}/{name}.html", "wb") as file:
        subprocess.run(["build/paje", "html", trace], stdout=file, stderr=subprocess.DEVNULL)
    return f"{folder}/{name}.html"

def run(script):
    return subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, check=True).stdout

browser = Page(folder, "1000,600")

# ---- a small trace: what is drawn, and what tooltips say

with open(f"{folder}/whole.trace", "wb") as file:
    file.write(run("cat tests/tool/header.trace tests/tool/body.trace"))
browser.open(page("whole", f"{folder}/whole.trace"))
check("nothing is thrown", not browser.complaints(), browser.complaints())
check("nothing is loaded", len(browser.requests()) == 1, browser.requests())
check("its title", browser.text("title") == "whole.trace", browser.text("title"))
check("all of the time", browser.text("range") == "0 s to 7 s: 7 s", browser.text("range"))
legend = browser.text("legend")
words = ("Thread state", "Running", "waiting", "polling", "Power", "Mail")
check("the legend", all(word in legend for word in words), legend)
row = "rows.find(row => row.node.name === '%s' && row.kind === '%s')"
one, two, host = row % ("Thread one", "state"), row % ("t2", "state"), row % ("Host one", "variable")
check("a state's colour", browser.pixel(1.2, one) == [0, 255, 0], browser.pixel(1.2, one))
check("no state where there is none", browser.pixel(0.5, one) == [0xf2, 0xf3, 0xf5], browser.pixel(0.5, one))
tip = browser.tip(1.9, one)
check("nested states, innermost first, with their user fields", re.match(
    r"Host one / Thread one\nThread state: Running\n  1.75 s to 2 s: 250 ms\n  Mark: deepest, Line: 8, Reason: done\n"
    r"Thread state: waiting\n  1.5 s to 2.5 s: 1 s\n  Mark: deeper, .*\nThread state: Running\n  1 s to 5 s: 4 s", tip), tip)
tip = browser.tip(2.75, host)
check("a variable", "Power: 1000\n  2.5 s to 3 s" in tip, tip)
tip = browser.tip(1.8, row % ("t2", "event"))
check("an event", "Alarm: out of paper\n  at 1.8 s" in tip, tip)
x, y = browser.ask("(line => [(line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2])(lineOf(links[0]))")
browser.mouse("mouseMoved", x, y)
tip = browser.text("tip")
check("a link", "Message: Mail\n  Host one / Thread one \u2192 Host one / t2\n  1.875 s to 3.5 s: 1.625 s" in tip, tip)

# ---- zooming and moving

x, time = browser.ask("[Math.round(x(1.875)), timeAt(Math.round(x(1.875)))]")
for _ in range(8):
    browser.mouse("mouseWheel", x, 30, deltaX=0, deltaY=-100)
first, last, at = browser.ask("[view.first, view.last, timeAt(%r)]" % x)
check("the wheel zooms", abs(last - first - 7 / 1.2 ** 8) < 1e-6, last - first)
check("what is under the pointer stays", abs(at - time) < 1e-9, [at, time])
check("the range is shown", browser.text("range").endswith(": 1.62798 s"), browser.text("range"))
tip = browser.tip(1.9, one)
check("tooltips follow", tip.startswith("Host one / Thread one\nThread state: Running\n  1.75 s to 2 s"), tip)
browser.mouse("mousePressed", 600, 60, button="left", clickCount=1)
browser.mouse("mouseMoved", 500, 60, button="left", buttons=1)
browser.mouse("mouseReleased", 500, 60, button="left", clickCount=1)
moved, width = browser.ask("[view.first, width]")
check("dragging moves", abs(moved - (first + 100 / width * (last - first))) < 1e-9, moved)
browser.mouse("mousePressed", 600, 60, button="left", clickCount=2)
browser.mouse("mouseReleased", 600, 60, button="left", clickCount=2)
check("a double click shows all", browser.ask("[view.first, view.last]") == [0, 7], browser.text("range"))
height = browser.ask("rows[0].height")
browser.mouse("mouseWheel", 600, 60, deltaX=0, deltaY=-100, modifiers=8)
check("shift and the wheel make rows higher", browser.ask("rows[0].height") > height, browser.ask("rows[0].height"))
browser.ask("canvas.focus()")
for key in ("+", "ArrowRight"):
    browser.call("Input.dispatchKeyEvent", type="keyDown", key=key)
browser.settle()
keyed = browser.ask("[view.first, view.last]")
check("keys zoom and move", keyed[0] > 1.05 and abs(keyed[1] - keyed[0] - 4.9) < 1e-6, keyed)
browser.call("Input.dispatchKeyEvent", type="keyDown", key="0")
browser.settle()
check("0 shows all", browser.ask("[view.first, view.last]") == [0, 7])
for _ in range(200):
    browser.ask("zoom(0.5)")
check("zooming in comes to an end", browser.ask("view.last > view.first && isFinite(x(1))"))
browser.ask("showAll()")

# ---- search

def search(text, enter=0):
    browser.ask(f"element('search').value = {json.dumps(text)}; element('search').dispatchEvent(new Event('input'))")
    for _ in range(enter):
        browser.ask("element('search').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))")
    browser.settle()
    return browser.text("found")

found = search("poll")
check("search counts", found == "1 state", found)
faded = browser.pixel(1.2, one)
check("what is not sought fades", faded[0] > 150 and faded[2] > 150, faded)
sought = browser.pixel(4.4, two)
check("what is sought does not", sought == [0xb0, 0x7a, 0xa1], sought)
browser.ask("zoom(0.1, x(1))")
found = search("poll", 1)
first, last = browser.ask("[view.first, view.last]")
check("Enter goes there", found == "1 of 1" and first < 4.375 < last, [found, first, last])
check("and tells of it", "polling" in browser.text("tip"), browser.text("tip"))
found = search("thread")
check("containers are found", found == "1 container", found)
search("")
browser.ask("showAll()")
browser.ask("document.querySelector('.item').click()")
check("a click on the legend searches", browser.ask("element('search').value") == "Running")

# ---- names, collapsing, dense links

def labels():
    return browser.ask("labels.map(label => textOf(label))")

browser.open(page("cluster", "tests/traces/emitters/cluster.trace"))
groups, cpus = ["simu-cluster", "node0", "node1", "node2"], ["CPU%d" % i for i in range(12)]
check("each row has its name", [name for name in labels() if name] == sum(
    ([groups[i + 1]] + cpus[4 * i:4 * i + 4] for i in range(3)), groups[:1]), labels())
boxes = browser.ask("draw(), labels.map(label => [label.top, label.bottom, middleOfLabel(label) + view.top])")
check("no name is over another", all(a[1] <= b[0] for a, b in zip(boxes, boxes[1:])) and
      all(bottom - top >= 11 and top + 5 <= middle <= bottom - 5 for top, bottom, middle in boxes), boxes)
check("the page is filled", browser.ask("contentHeight() / (height - AXIS)") > 0.9,
      browser.ask("[contentHeight(), height]"))
browser.ask("setScale(0.02)")
check("low rows share names", "CPU0 \u2026 CPU3 (4)" in labels() and "node1" in labels(), labels())
browser.ask("showAll()")
x, y = browser.ask("[20, labels.find(label => label.first.name === 'node0').top + 5 - view.top]")
links = browser.ask("links.filter(lineOf).length")
for kind in ("mousePressed", "mouseReleased"):
    browser.mouse(kind, x, y, button="left", clickCount=1)
check("a click on a name collapses it", "node0" in labels() and "CPU0" not in labels() and "CPU4" in labels(), labels())
browser.ask("toggle(nodes.find(node => node.name === 'simu-cluster')), draw()")
seen = browser.ask("""(() => { const seen = new Set();
    for (let px = left + 1; px < left + width; px++)
        for (let y = rows[0].y; y < rows[0].y + rows[0].height; y++) {
            const [r, g, b] = pen.getImageData(px * devicePixelRatio, y * devicePixelRatio, 1, 1).data;
            seen.add('#' + [r, g, b].map(part => part.toString(16).padStart(2, '0')).join(''));
        }
    return values.filter(value => value.type && seen.has(value.color)).map(value => value.name); })()""")
check("states within a collapsed container are seen", {"running", "waiting", "up"} <= set(seen), seen)
browser.ask("toggle(nodes.find(node => node.name === 'simu-cluster'))")
check("links go to it", browser.ask("links.filter(lineOf).length") == links, links)
check("and its own states stay", browser.ask("rows.filter(row => row.node.name === 'node0').length") == 3)
found = search("CPU1", 1)
check("what is found is expanded", found == "1 of 3" and "CPU1" in labels(), [found, labels()])
for kind in ("mousePressed", "mouseReleased"):
    browser.mouse(kind, x, y, button="left", clickCount=1, modifiers=8)
check("with shift, all of its level", labels() == groups, labels())
search("")
with open(f"{folder}/dense.trace", "wb") as file:
    lines = b"".join(b"40 1 M r a x k%d 1\n41 2 M r b x k%d t\n" % (i, i) for i in range(12))
    file.write(run("cat tests/tool/header.trace") + b"0 R 0 Root\n0 P R P\n4 M R P P Mail\n6 0 r R 0 r 1\n6 0 a P r a 1\n"
               b"6 0 b P r b 1\n" + lines)
browser.open(page("dense", f"{folder}/dense.trace"))
x, y = browser.ask("(line => [(line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2])(lineOf(links[0]))")
browser.mouse("mouseMoved", x, y)
tip = browser.text("tip")
check("three links, and how many more", tip.count("Mail: x") == 3 and tip.endswith("+9 links"), tip)
page_title = subprocess.run(["build/paje", "html", "--title", "<A> run", f"{folder}/dense.trace"], stdout=subprocess.PIPE)
check("--title", b'"name":"\\u003cA> run"' in page_title.stdout or b'<A> run"' in page_title.stdout, page_title.stdout[:80])

# ---- bins, where states go on from one into the next: what is there of them is no state that lasts the whole bin

with open(f"{folder}/bins.trace", "wb") as file:
    file.write(run("""cat tests/tool/header.trace; echo '0 P 0 Process'; echo '1 S P State'
        awk 'BEGIN { for (i = 0; i < 200; i++) print "6 0 p" i " P 0 process-" i " 1"
            for (i = 0; i < 200; i++) for (t = 0; t < 1600; t += .5 + seed / 32768) {
                seed = (seed * 7621 + 1) % 32768; print "10 " t " S p" i " s" int(seed / 2048) " a 1" | "sort -nsk2" }
            close("sort -nsk2"); for (i = 0; i < 200; i++) print "7 1601 P p" i }'"""))
browser.open(page("bins", f"{folder}/bins.trace"))
partly = """rows.flatMap(row => row.lanes.flatMap(lane => lane.pieces.map(piece => [row, lane, piece])))
    .filter(([, , piece]) => piece.time < 0.5 * (piece.end - piece.start))"""
count, late = browser.ask(f"[{partly}.length, {partly}.filter(([, , piece]) => piece.count === 0).length]")
check("bins: some have states that began before them", late > 100, [count, late])
wide = browser.ask(f"zoom(0.1), draw(), {partly}.filter(([row, , piece]) => isWide(row, piece, WIDE)).length")
check("bins: none is drawn as one state", wide == 0, wide)
browser.ask(f"(([, , piece]) => setView(piece.start, piece.end))({partly}.find(([, , piece]) => piece.count === 0))")
browser.ask("draw()")
tip = browser.ask(f"""(([row, , piece]) => describe(x((piece.start + piece.end) / 2), row.y - view.top + 1))(
    {partly}.find(([, , piece]) => piece.count === 0))""")
check("bins: tooltips tell the time in them", " in sum, 0 of them\n" in str(tip), tip)
browser.ask("showAll()")
found = search("s1")
expected = browser.ask("""nodes.flatMap(node => node.lanes.flatMap(lane => lane.pieces))
    .reduce((sum, piece) => sum + (values[piece.value].name.includes('s1') ? piece.count : 0), 0)""")
check("bins: search counts what begins in them", found.split(" ")[0] == str(expected), [found, expected])
search("")

# ---- rows of several containers, without bins: tooltips have the times of entities

with open(f"{folder}/shared.trace", "wb") as file:
    file.write(run("""cat tests/tool/header.trace; echo '0 P 0 Process'; echo '1 S P State'
        awk 'BEGIN { for (i = 0; i < 300; i++) print "6 0 p" i " P 0 process-" i " 1\\n11 0 S p" i " outer a 1"
            for (i = 0; i < 300; i++) print "11 5 S p" i " inner a 1"
            for (i = 0; i < 300; i++) print "12 10 S p" i " a"
            for (i = 0; i < 300; i++) print "7 20 P p" i }'"""))
browser.open(page("shared", f"{folder}/shared.trace"))
tip = browser.ask("describe(x(7), rows[1].y - view.top + 1)")
check("shared rows: tooltips have the times of states", "outer\n  0 s to 20 s: 20 s" in tip and
      "inner\n  5 s to 10 s: 5 s" in tip and "in sum" not in tip, tip)

# ---- hostile names

with open(f"{folder}/hostile.trace", "wb") as file:
    file.write(run(". tests/tool/lib-hostile.sh; hostile_trace"))
browser.open(page("hostile", f"{folder}/hostile.trace"))
check("hostile names: nothing is thrown, nothing runs", not browser.complaints(), browser.complaints())
check("hostile names: nothing is loaded", len(browser.requests()) == 1, browser.requests())
tags = browser.ask("[...new Set([...document.querySelectorAll('body *')].map(it => it.tagName))].sort().join(' ')")
check("hostile names: no elements of theirs", tags ==
      "BUTTON CANVAS DIV FOOTER H1 HEADER I INPUT NOSCRIPT SCRIPT SPAN", tags)
check("hostile names: they are text", "<b>&amp;</b>" in browser.text("legend"), browser.text("legend"))

# ---- empty, truncated and large traces

with open(f"{folder}/empty.trace", "wb"):
    pass
browser.open(page("empty", f"{folder}/empty.trace"))
check("an empty trace", not browser.complaints() and browser.ask("rows.length") == 0, browser.complaints())
with open(f"{folder}/cut.trace", "wb") as file:
    file.write(run("head -c 9000 tests/traces/stencil.trace"))
browser.open(page("cut", f"{folder}/cut.trace"))
check("a trace that is broken off", not browser.complaints() and browser.ask("rows.length") > 0, browser.complaints())
with open(f"{folder}/large.trace", "wb") as file:
    file.write(run("build/bench/generate -c 4000 -b 20000000"))
browser.open(page("large", f"{folder}/large.trace"))
count = browser.ask("rows.length")
check("4000 containers", not browser.complaints() and 50 < count <= 250, count)
check("and it says so", "4500 containers: up to" in browser.text("legend"), browser.text("legend")[-300:])
tip = browser.tip(300, "rows[9]")
check("tooltips of what is summed up", "in sum" in tip and "of them" in tip, tip)
browser.ask("showAll(), draw()")
drawn = browser.ask("""(() => { const seen = new Set(), it = pen.getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 0; i < it.length; i += 4)
        seen.add(it[i] << 16 | it[i + 1] << 8 | it[i + 2]);
    return seen.size; })()""")
check("it is full of colours", drawn > 16, drawn)
# ---- the corpus: each page compared with the tables of `paje csv`

corpus = os.environ.get("CORPUS", "")
if not corpus:
    print("CORPUS html in a browser")
for path in sorted(glob.glob(corpus + "/*/*.trace") if corpus else []):
    name = "corpus: " + "/".join(path.split("/")[-2:])
    subprocess.run(["build/paje", "csv", "-d", folder + "/tables", path], stderr=subprocess.DEVNULL)
    with open(folder + "/tables/states.csv", encoding="utf-8", errors="replace", newline="") as file:
        states = [row for row in csv.DictReader(file) if float(row["Duration"]) > 0]
    browser.open(page("corpus", path))
    check(name + ": nothing is thrown", not browser.complaints(), browser.complaints())
    legend = browser.text("legend")
    missing = {row["Value"] for row in states if row["Value"] not in legend}
    most = len({row["Value"] for row in states}) - 60  # the page shows as many of a type
    check(name + ": its states are in the legend", len(missing) <= max(most, 0), list(missing)[:3])
    if not states:
        continue
    # Looks at the longest entity, whose tooltip has its name and times; descendants of its container may cover it.
    longest = max(states, key=lambda row: (float(row["Duration"]), -int(row["Imbrication"])))
    row = "rows.find(it => it.kind === 'state' && types[it.type].name === %s && it.node.name.split(' / ').pop() === %s)" % (
        json.dumps(longest["Type"]), json.dumps(longest["Container"].split("/")[-1]))
    browser.ask(f"view.top = 0, scroll(({row}).y - 60), draw()")
    tip = browser.tip((float(longest["Start"]) + float(longest["End"])) / 2, row)
    check(name + ": a tooltip tells the longest state", longest["Value"] in tip, (tip, longest))

browser.process.terminate()
browser.process.wait()
sys.exit(failed)

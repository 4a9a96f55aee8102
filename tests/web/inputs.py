"""Where traces come from, and traces that are hostile, damaged or none."""
import gzip, os, re, shutil, subprocess, xml.dom.minidom
from page import *
from server import serve

EVENTS = "app.traces[0].status.events"
whole = open(STENCIL, "rb").read()
events = int(re.search(r"events +(\d+)", paje("null", STENCIL)).group(1))

# ---- files

show(write("packed.trace.gz", gzip.compress(whole)))
check("gzip", browser.ask(EVENTS) == events, browser.ask(EVENTS))
check("gzip, one name as it is plain", browser.text("title") == "packed.trace.gz")
shutil.copy(STENCIL, f"{folder}/indexed.trace")
paje("index", f"{folder}/indexed.trace")
show(f"{folder}/indexed.trace", f"{folder}/indexed.trace.pajeidx")
check("an index beside the trace is used", browser.ask("app.traces[0].status.why") == "" and browser.ask(EVENTS) == events,
      browser.ask("app.traces[0].status"))
os.utime(f"{folder}/indexed.trace", (1, 1))
show(f"{folder}/indexed.trace", f"{folder}/indexed.trace.pajeidx")
check("an index of another date is not, and it says so", "the trace was changed" in browser.text("note"), browser.text("note"))
show(f"{folder}/indexed.trace.pajeidx", wait="byId('drop').innerText.includes('trace with it')")
check("an index alone", "drop its trace" in browser.text("drop"), browser.text("drop"))
show(STENCIL)
browser.ask("app.traces[0].makeIndex(); 0")
check("the second worker makes an index", browser.wait("app.traces[0].indexSeconds > 0", 10), browser.ask("app.traces[0].indexedBytes"))
check("which the first one uses", browser.ask("app.traces[0].run('at', 'TRACE', '0.02').then(it => it.text)") ==
      paje("at", STENCIL, "0.02") and not browser.complaints(), browser.complaints()[:1])
show(STENCIL, "tests/traces/tour.trace")
check("two traces on one axis", browser.ask("app.traces.length") == 2 and browser.ask("app.rows.some(row => row.isTitle)"))
check("as long as both", browser.ask("app.view.to") > 3, view())
browser.ask("showAll(); alignStarts()")
settle()
check("their beginnings on one instant", browser.ask(
    "app.traces[0].status.first + app.traces[0].shift === app.traces[1].status.first + app.traces[1].shift"))
small = "0 P 0 P\n1 S P S\n6 0 p P 0 p 0\n" + "".join(f"11 {{{i}}} S p hit a 0\n12 {{{i}}}.5 S p x\n" for i in (0, 1))
header = open("tests/tool/header.trace").read()
show(*(write(f"small{i}.trace", (header + small.format(i, i + 2)).encode()) for i in (1, 2)))
def found_at(back):
    browser.ask(f"byId('spoken').textContent = ''; findNext({back})")
    browser.wait("byId('spoken').textContent")
    return browser.ask("[app.cursor.time, app.traces.indexOf(cursorRow().trace), byId('note').textContent]")
browser.ask("byId('search').value = 'hit'; searchChanged(); setCursor(0, app.rows[0])")
places = [found_at(back) for back in ("false",) * 5 + ("true",) * 3]
check("a search goes through both", [place[:2] for place in places] ==
      [[1, 0], [2, 1], [3, 0], [4, 1], [4, 1], [3, 0], [2, 1], [1, 0]] and places[4][2] == "No other match.", places)
check("nothing is said of their unit", not browser.ask("app.traces.some(it => it.isOtherUnit)"))
show(f"{folder}/small1.trace", write("small3.trace", ("# unit of times: ms\n" + header + small.format(2, 4)).encode()))
check("another unit is said", browser.wait("byId('note').textContent.includes('small3.trace has another unit')", 10),
      browser.text("note"))

changing = write("changing.trace", whole + b"# more than is kept in memory\n" * 300_000)
show(changing, wait=READY + " && app.traces[0].status.finished")
write("changing.trace", whole)
browser.ask("app.traces[0].run('profile', 'TRACE'); 0")
check("a file that was changed: a command does not take what is left for the whole",
      browser.wait("app.traces[0].failure", 10) and "can no longer be read" in browser.text("note"), browser.text("note"))

# ---- servers

shutil.copy(PAGE, f"{folder}/viewer.html")
shutil.copy(STENCIL, f"{folder}/served.trace")
with_parts, without = serve(folder), serve(folder, ranges=False)
for name, address in (("parts of a file", with_parts), ("a server without parts", without)):
    browser.open(f"{address}viewer.html?trace=served.trace")
    browser.wait(READY)
    check(f"?trace= from {name}", browser.ask(EVENTS) == events, browser.text("note"))
browser.open(f"{with_parts}viewer.html?trace=packed.trace.gz")
browser.wait(READY)
check("?trace= of a compressed file", browser.ask(EVENTS) == events, browser.text("note"))
browser.open(f"{with_parts}viewer.html?trace=absent.trace")
browser.wait("app.traces[0].failure")
check("a file that the server does not have", "404" in browser.text("drop"), browser.text("drop"))
browser.open(PAGE)
browser.ask(f"""(data => (data.setData('text', '{with_parts}served.trace'), document.dispatchEvent(
    new ClipboardEvent('paste', {{clipboardData: data, data: '{with_parts}served.trace', dataType: 'text/plain'}}))))(
    new DataTransfer())""")
browser.wait(READY)
check("an address that is pasted", browser.ask(EVENTS) == events, browser.text("note"))
show(STENCIL)
request = "fetch('%sserved.trace').then(reply => reply.status, error => error.message)" % with_parts
refused = browser.ask(request)
check("once a file is open, the policy refuses all requests", isinstance(refused, str), refused)
browser.ask(f"openAddress('{with_parts}served.trace')")
browser.wait(f"location.search.startsWith('?trace=http') && {READY}")
check("an address opens in a page of its own then", browser.ask(EVENTS) == events and browser.ask(request) == 200, browser.text("note"))
browser.ask("openAddress('javascript:alert(1)')")
check("an address of another kind is refused", "begin with http" in browser.text("drop"), browser.text("drop"))
write("grows.trace", whole[:20000])
browser.open(f"{with_parts}viewer.html?trace=grows.trace&live")
browser.wait(f"{EVENTS} > 100 && app.traces[0].status.atEnd")
before = browser.ask(EVENTS)
write("grows.trace", whole)
browser.wait(f"{EVENTS} === {events}", 15)
check("a file that grows is followed", before < events == browser.ask(EVENTS), [before, browser.ask(EVENTS)])

if not is_firefox: # which has no handles of files
    name = write("dropped.trace", whole[:20000])
    browser.open(PAGE)
    browser.drop(640, 400, name)
    browser.wait(f"app.traces.length && {EVENTS} > 100 && app.traces[0].status.finished")
    before = browser.ask(EVENTS)
    write("dropped.trace", whole)
    browser.wait(f"app.traces[0].status.events === {events}", 15)
    check("a dropped file that grows is followed", before < events == browser.ask(EVENTS), [before, browser.ask(EVENTS)])

# ---- paje web

with open(f"{folder}/within.html", "wb") as file:
    subprocess.run(["build/paje", "web", "-s", "0.01", "-e", "0.02", STENCIL], stdout=file, stderr=subprocess.DEVNULL)
browser.open(f"{folder}/within.html")
browser.wait(READY)
check("paje web: the trace is in the page", browser.ask(EVENTS) == events and browser.text("title") == "stencil.trace", browser.text("note"))
check("paje web: with the view", view() == [0.01, 0.02], view())
with open(f"{folder}/named.html", "wb") as file:
    subprocess.run(["build/paje", "web", "--embed", "no", STENCIL], stdout=file, stderr=subprocess.DEVNULL)
browser.open(f"{folder}/named.html")
check("paje web: or its name", "stencil.trace" in browser.text("drop"), browser.text("drop"))

# ---- included files

show("tests/traces/including.trace", wait=READY + " && byId('note').textContent")
check("files that a trace includes are said to be left out", "file that it includes cannot be read here" in browser.text("note") or
      "files that it includes cannot be read here" in browser.text("note"), browser.text("note"))

# ---- user fields

show(write("whole.trace", open("tests/tool/header.trace", "rb").read() + open("tests/tool/body.trace", "rb").read()))
browser.ask("setCursor(1.9, app.rows.find(row => row.node.name === 'Thread one'))")
browser.wait("app.details && app.details.fields")
fields = browser.ask("app.details.fields.map(it => [it[3], it[4], it[5]])")
check("user fields, of beginning and end", ["waiting", {"Mark": "deeper", "Line": "7"}, {"Reason": "done too"}] in fields, fields)

# ---- times below 0, containers of one path, links between containers of the names of others, far zooms

def details_at(time, row):
    browser.ask(f"app.details = null; setCursor({time}, app.rows[{row}])")
    browser.wait("app.details && app.details.fields")
    return browser.ask("[app.rows.indexOf(cursorRow()), app.details.text, app.details.entries.filter(it => it.kind === 'state')"
                       ".map(it => it.text), app.details.links.map(it => it.text), app.details.fields.map(it => it[3])]")

lines = ["0 P 0 'P: Q'", "1 S P S", "4 L 0 P P L", "6 -2 n1 P 0 node 0", "6 -2 n2 P 0 node 0"]
lines += [f"6 -2 {name} P {parent} worker 0" for name, parent in (("a", "n1"), ("b", "n1"), ("c", "n2"))]
lines += [f"11 {time} S {name} {name}{time} m 0" for time in (-2, 5) for name in "abc"]
lines += ["40 -1.5 L 0 a from-a k1 0", "40 -1.5 L 0 c from-c k2 0", "41 6 L 0 b from-a k1 0", "41 6 L 0 c from-c k2 0"]
lines += [f"12 {time} S {name} x" for time in (7, 8) for name in "abc"]
show(write("twins.trace", open("tests/tool/header.trace", "rb").read() + "\n".join(lines).replace("'", '"').encode() + b"\n"))
settle()
places = browser.ask("app.rows.flatMap((row, i) => row.node.name === 'worker' ? i : [])")
for time in (-1, 5.5):
    for row, name, links in zip(places, "abc", ("a", "a", "c")):
        told = details_at(time, row)
        check(f"details of containers of one name: {name} at {time}", told[0] == row and "Q: worker" in told[1] and
              [text.split(",")[0][-len(name) - 3:].strip() for text in told[2]] and
              all(f": {name}" in text for text in told[2]) and len(told[2]) == (1 if time < 0 else 2) and
              len(told[3]) == 1 and f"from-{links}" in told[3][0] and
              all(value[0] == name for value in told[4] if value), told)
browser.ask("setView(5.0001, 5.0001001)")
settle()
tip = browser.ask("(row => tipOf({x: app.gutter + 300, y: screenY(row) + row.height - 2}).map(it => it.textContent ?? it)"
                  f".join(''))(app.rows[{places[0]}])")
check("a tooltip far within a state has its length", tip.endswith(": 2 s") or tip.endswith(": 10 s"), tip)
browser.ask("showAll()")
settle()

# ---- hostile, damaged, none

with open(f"{folder}/hostile.trace", "wb") as file:
    file.write(subprocess.run(["bash", "-c", ". tests/tool/lib-hostile.sh; hostile_trace"], stdout=subprocess.PIPE).stdout)
show(f"{folder}/hostile.trace")
settle()
browser.ask("app.rows.forEach(row => setCursor(app.view.from / 2 + app.view.to / 2, row)); showTab('legend')")
browser.ask("select(app.view.from, app.view.to)")
settle()
check("hostile names: nothing is thrown, nothing runs", not browser.complaints(), browser.complaints()[:1])
check("hostile names: nothing is loaded", not loaded(), loaded())
tags = set(browser.ask("[...document.querySelectorAll('body *')].map(it => it.tagName)"))
check("hostile names: no elements of theirs", not tags & {"B", "IMG", "IFRAME", "OBJECT", "SVG", "A", "STYLE"} - {"B"}, tags)
check("hostile names: they are text", "<b>&amp;</b>" in browser.ask("document.body.textContent"))
check("hostile names: the picture is still XML", len(xml.dom.minidom.parseString(browser.ask("pictureAsSvg()")).documentElement.childNodes) > 2)
nul = whole.replace(b"Main 0", b"Ma\0\xff0").replace(b"compute", b"comp\x1b[31m\xe2\x80\xae")
show(write("bytes.trace", nul))
check("NUL, escapes and invalid UTF-8", browser.ask(EVENTS) == events and not browser.complaints(), browser.text("note"))
show(write("cut.trace", whole[:30011]))
check("a trace that is cut is shown as far as it goes", browser.ask(EVENTS) > 800 and browser.ask("app.rows.length") > 20)
show(write("damaged.trace", whole.replace(b"\n12 ", b"\n99 ")))
check("lines that cannot be used are counted", "could not be used" in browser.text("note"), browser.text("note"))
for name, content, said in (("none.trace", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 400, "no Paj"), ("text.trace", b"hello\n" * 20, "no Paj"),
                            ("empty.trace", b"", "is empty"), ("header.trace", open("tests/tool/header.trace", "rb").read(), "no events")):
    show(write(name, content), wait="!byId('drop').hidden && document.querySelector('.said')")
    check(f"{name}: it says so", said in browser.text("drop"), browser.text("drop"))
show(write("short.gz", gzip.compress(whole)[:5000]), wait="app.traces.length && app.traces[0].failure")
check("a compressed file that is cut", "end early" in browser.text("note"), browser.text("note"))
check("and what there is of it is shown", browser.wait(f"{EVENTS} > 10"), browser.ask("app.traces[0].status"))
browser.open(PAGE)
browser.ask("unpacked.module = Promise.reject(new Error('no SIMD')); 0")
browser.choose(STENCIL)
check("a browser that cannot run the reader: the page says so", browser.wait("document.querySelector('.said')") and
      "needs WebAssembly with SIMD128" in browser.text("drop"), browser.text("drop"))
check("the page is at most 300 KB", os.path.getsize(PAGE) <= 300_000, os.path.getsize(PAGE))

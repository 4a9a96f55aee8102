"""The page of `make web SIMD=0` in a browser without SIMD128.  See viewer.sh.  usage: plain.py FOLDER"""
import os, sys
from browser import Chromium

TRACE, READY = "tests/traces/stencil.trace", "app.traces.length && app.traces[0].status.finished"
failed = []

def check(name, is_well, why=""):
    print(f"PASS viewer without SIMD: {name}" if is_well else f"FAIL viewer without SIMD: {name}: {why!r:.400}")
    if not is_well:
        failed.append(name)

def events(page):
    browser.open(page)
    browser.choose(TRACE)
    browser.wait(f"document.querySelector('.said') || {READY}")
    return browser.ask(f"{READY} ? app.traces[0].status.events : 0")

# V8 has no SIMD128 where the processor has no SSE4.1, which it is made to believe.
browser = Chromium(sys.argv[1], options=("--js-flags=--no-enable-sse4-1",))
browser.ready = "typeof start === 'function' && sizes.size"
check("the other page says which one is needed", events("build/paje-viewer.html") == 0 and
      "make web SIMD=0" in browser.text("drop"), browser.text("drop"))
with open(TRACE, "rb") as file:
    lines = sum(line[:1].isdigit() for line in file)
shown = events("build/paje-viewer-plain.html")
check("every line of a trace is read", shown == lines, (shown, lines))
check("the page is at most 300 KB", os.path.getsize("build/paje-viewer-plain.html") <= 300_000)
browser.close()
sys.exit(bool(failed))

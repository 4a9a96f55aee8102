"""What the tests of the viewer share: the browser with its page, and the tool."""
import os, shutil, subprocess, sys
from browser import Chromium
from firefox import Firefox

folder = sys.argv[1]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
failed = []
PAGE = "build/paje-viewer.html"
STENCIL = "tests/traces/stencil.trace"

def check(name, is_well, why=""):
    if not is_well:
        failed.append(name)
    where = "viewer in Firefox" if is_firefox else "viewer"
    print(f"PASS {where}: {name}" if is_well else f"FAIL {where}: {name}: {why!r:.400}", flush=True)

def paje(*words):
    return subprocess.run(["build/paje", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode(
        errors="replace")

def write(name, content):
    with open(f"{folder}/{name}", "wb") as file:
        file.write(content)
    return f"{folder}/{name}"

is_firefox = sys.argv[2:] == ["firefox"]
browser = (Firefox if is_firefox else Chromium)(folder)
browser.ready = "location.protocol === 'about:' || (typeof start === 'function' && sizes.size)"
READY = ("!growTimer && app.traces.length && "
         "app.traces.every(t => t.status.finished && !t.isWaiting && !t.next && t.pictures.length)")
STATE = ("JSON.stringify([byId('file').files.length, document.readyState, byId('note').textContent, "
         "app.traces.map(it => [it.status, it.failure])])")

def show(*files, wait=READY, page=PAGE):
    """Opens traces in a new page."""
    browser.open(page)
    browser.choose(*files)
    if not browser.wait("app.traces.length || document.querySelector('.said')", 20):
        print(f"chosen again: {browser.ask(STATE)}") # Firefox did not tell the page of the files, once
        browser.choose(*files)
    if not browser.wait(wait):
        check(f"{files} opened in time", False, browser.ask(STATE))
    browser.settle()

def loaded():
    """What was requested but the page itself, of which Firefox does not tell."""
    return [url for url in browser.requests() if not url.endswith(".html")]

def settle():
    """Waits until the picture is that of the view."""
    browser.settle()
    browser.wait("app.traces.every(t => !t.isWaiting && !t.next && !t.status.loading && !t.pictures[0].isLoading)")
    browser.settle()

def view():
    return browser.ask("[app.view.from, app.view.to]")

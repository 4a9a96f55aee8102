"""Browsers that tests drive: what they share, and Chromium, through its debugging pipe.  firefox.py has Firefox."""
import base64, json, os, subprocess, sys, time

class Browser:
    """A browser has call, ask, navigate, choose, complaints, requests, mouse, click, drag, key, shot and close."""
    ready = "" # what is true when a page has begun

    def settle(self):
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def wait(self, condition, seconds=60):
        """Waits until an expression of the page is true; returns whether it was."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.ask(f"Boolean({condition})") is True:
                return True
            time.sleep(0.02)
        return False

    def open(self, url):
        self.events.clear()
        self.ask("window.isOld = true")
        self.navigate(url if ":" in url else "file://" + os.path.abspath(url))
        if self.ready and not self.wait(f"!window.isOld && ({self.ready})"):
            sys.exit(f"{url:.200}: the page does not begin: {self.complaints()[:1]}")
        self.settle()

    def text(self, name):
        return self.ask(f"document.getElementById('{name}').textContent")

    def close(self):
        self.process.terminate()
        self.process.wait()

class Chromium(Browser):
    def __init__(self, folder, size="1280,760", options=()):
        commands, self.commands = os.pipe()
        self.replies, replies = os.pipe()
        def hand_over(): # Chromium reads from 3 and writes to 4
            first, second = os.dup(commands), os.dup(replies)
            os.dup2(first, 3)
            os.dup2(second, 4)
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--remote-debugging-pipe", "--user-data-dir=" + os.path.abspath(folder) + "/profile",
             "--window-size=" + size, *options, "about:blank"],
            preexec_fn=hand_over, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(replies)
        self.number, self.session, self.unread, self.events = 0, None, b"", []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.call(domain + ".enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        width, height = map(int, size.split(","))
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def receive(self):
        while b"\0" not in self.unread:
            piece = os.read(self.replies, 1 << 20)
            if not piece:
                sys.exit("the browser ended")
            self.unread += piece
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def reply_to(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.receive()
            if reply.get("id") == self.number:
                return reply
            self.events.append(reply)

    def call(self, method, **parameters):
        reply = self.reply_to(method, **parameters)
        if "error" in reply:
            sys.exit(f"{method}: {reply['error']['message']}: {parameters!r:.300}")
        return reply["result"]

    def ask(self, code):
        question = {"expression": code, "awaitPromise": True, "returnByValue": True}
        reply = self.reply_to("Runtime.evaluate", **question)
        if "error" in reply: # another page has come in place of the one that was asked
            reply = {"result": self.call("Runtime.evaluate", **question)}
        result = reply["result"]
        if "exceptionDetails" in result:
            return result["exceptionDetails"]
        return result["result"].get("value")

    def navigate(self, url):
        loader = self.call("Page.navigate", url=url).get("loaderId") # none where only the part after # changes
        def has_loaded(event): # this page, as the one before may load late
            about = event.get("params", {})
            return event.get("method") == "Page.lifecycleEvent" and (about["name"], about["loaderId"]) == ("load", loader)
        while loader and not any(map(has_loaded, self.events)):
            self.events.append(self.receive())

    def choose(self, *files):
        """Gives files to the page, as its picker does."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector="#file")["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[os.path.abspath(file) for file in files])

    def drop(self, x, y, *files):
        data = {"items": [], "files": [os.path.abspath(file) for file in files], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def complaints(self):
        return [event for event in self.events if event.get("method") in
                ("Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening")]

    def requests(self):
        return [url for url in (event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent") if not url.startswith("blob:")]

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, **more):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1, **more)

    def double_click(self, x, y):
        self.click(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=2)

    def drag(self, x, y, to_x, to_y, **more):
        self.mouse("mousePressed", x, y, button="left", clickCount=1, **more)
        for i in range(1, 5):
            self.mouse("mouseMoved", x + (to_x - x) * i / 4, y + (to_y - y) * i / 4, button="left", buttons=1, **more)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1, **more)

    def key(self, key, **more):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def pinch(self, x, y, near, far):
        """Two fingers move apart, or together: pixels from the middle."""
        def touch(kind, *points):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": at, "y": y, "id": i} for i, at in enumerate(points)])
        self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        touch("touchStart", x - near, x + near)
        for i in range(1, 5):
            apart = near + (far - near) * i / 4
            touch("touchMove", x - apart, x + apart)
        touch("touchEnd")
        self.call("Emulation.setTouchEmulationEnabled", enabled=False)

    def shot(self, name):
        with open(name, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

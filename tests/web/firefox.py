"""Firefox, driven by WebDriver BiDi, with the methods that browser.py has for Chromium."""
import base64, ctypes, json, os, signal, socket, struct, subprocess, sys, time
from browser import Browser

class WebSocket:
    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.unread = b""
        while b"\r\n\r\n" not in self.unread:
            self.unread += self.socket.recv(1 << 16)
        head, self.unread = self.unread.split(b"\r\n\r\n", 1)
        if b" 101 " not in head:
            sys.exit(f"Firefox refuses: {head!r:.200}")

    def take(self, size):
        while len(self.unread) < size:
            piece = self.socket.recv(1 << 20)
            if not piece:
                sys.exit("the browser ended")
            self.unread += piece
        taken, self.unread = self.unread[:size], self.unread[size:]
        return taken

    def send(self, text):
        mask, data = b"mask", text.encode()
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data)) if len(data) < 65536 \
            else b"\xff" + struct.pack(">Q", len(data))
        self.socket.sendall(b"\x81" + size + mask + bytes(byte ^ mask[i & 3] for i, byte in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            head = self.take(2)
            size = head[1] & 127
            size = struct.unpack(">H", self.take(2))[0] if size == 126 else struct.unpack(">Q", self.take(8))[0] if size == 127 \
                else size
            text += self.take(size)
            if head[0] & 128:
                return text.decode()

def value_of(remote):
    """A value of BiDi as one of Python."""
    kind, value = remote["type"], remote.get("value")
    if kind == "array":
        return [value_of(one) for one in value]
    if kind == "object":
        return {key if isinstance(key, str) else value_of(key): value_of(one) for key, one in value}
    if kind == "number" and isinstance(value, str):
        return float(value.replace("Infinity", "inf"))
    return value if kind in ("number", "string", "boolean") else None

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015", "Shift": "\ue008", "Alt": "\ue00a", "Home": "\ue011", "End": "\ue010", "PageUp": "\ue00e",
        "PageDown": "\ue00f", "Tab": "\ue004"}

class Firefox(Browser):
    def __init__(self, folder, size="1280,760"):
        profile = os.path.abspath(folder) + "/firefox"
        os.makedirs(profile, exist_ok=True)
        with open(profile + "/user.js", "w") as file:
            file.write('user_pref("ui.systemUsesDarkTheme", 0);\nuser_pref("browser.shell.checkDefaultBrowser", false);\n'
                       'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n')
        def end_with_parent():
            ctypes.CDLL(None).prctl(1, signal.SIGTERM) # PR_SET_PDEATHSIG
        self.process = subprocess.Popen(["firefox-esr", "--headless", "--no-remote", "--profile", profile,
                                         "--remote-debugging-port=0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=end_with_parent, env={**os.environ, "MOZ_HEADLESS_WIDTH": "1400", "MOZ_HEADLESS_HEIGHT": "1000"})
        server = profile + "/WebDriverBiDiServer.json"
        while not os.path.exists(server) or not os.path.getsize(server):
            if self.process.poll() is not None:
                sys.exit("Firefox ended before it listened")
            time.sleep(0.05)
        with open(server) as file:
            port = json.load(file)["ws_port"]
        self.socket, self.number, self.events = WebSocket(port, "/session"), 0, []
        self.call("session.new", capabilities={})
        self.page = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        width, height = map(int, size.split(","))
        self.call("browsingContext.setViewport", context=self.page, viewport={"width": width, "height": height})

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            reply = json.loads(self.socket.receive())
            if reply.get("id") == self.number:
                if reply.get("type") == "error":
                    sys.exit(f"{method}: {reply['error']}: {reply['message']}")
                return reply["result"]
            self.events.append(reply)

    def evaluate(self, code, **more):
        return self.call("script.evaluate", expression=code, target={"context": self.page}, awaitPromise=True, **more)

    def ask(self, code):
        reply = self.evaluate(code, serializationOptions={"maxObjectDepth": 9})
        return value_of(reply["result"]) if reply["type"] == "success" else reply["exceptionDetails"]

    def complaints(self):
        return [event for event in self.events if event.get("method") == "log.entryAdded" and
                event["params"]["level"] == "error"]

    def requests(self):
        return [url for url in (event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "network.beforeRequestSent") if not url.startswith("blob:")]

    def navigate(self, url):
        self.call("browsingContext.navigate", context=self.page, url=url, wait="complete")

    def choose(self, *files):
        node = self.evaluate("document.getElementById('file')")["result"]["sharedId"]
        self.call("input.setFiles", context=self.page, element={"sharedId": node},
                  files=[os.path.abspath(file) for file in files])

    def act(self, kind, actions, modifiers=0, **more):
        held = [key for bit, key in ((8, "Shift"), (1, "Alt")) if modifiers & bit]
        keys = [{"type": "key", "id": "k", "actions": [{"type": "keyDown", "value": KEYS[key]} for key in held]}] if held else []
        for one in keys: # other actions begin when the keys are down
            actions = [{"type": "pause"}] * len(held) + actions
        self.call("input.performActions", context=self.page, actions=[*keys, {"type": kind, "id": kind, "actions": actions, **more}])
        if held:
            self.call("input.releaseActions", context=self.page)

    @staticmethod
    def move(x, y):
        return {"type": "pointerMove", "x": round(x), "y": round(y)}

    def mouse(self, kind, x, y, deltaX=0, deltaY=0, modifiers=0, **_):
        if kind == "mouseWheel":
            self.act("wheel", [{"type": "scroll", "x": round(x), "y": round(y), "deltaX": deltaX, "deltaY": deltaY}], modifiers)
        else:
            self.act("pointer", [self.move(x, y)], modifiers)

    def click(self, x, y, modifiers=0, **_):
        self.act("pointer", [self.move(x, y), {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}], modifiers)

    def double_click(self, x, y):
        self.act("pointer", [self.move(x, y), *2 * [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]])

    def drag(self, x, y, to_x, to_y, modifiers=0, **_):
        steps = [self.move(x + (to_x - x) * i / 4, y + (to_y - y) * i / 4) for i in range(1, 5)]
        self.act("pointer", [self.move(x, y), {"type": "pointerDown", "button": 0}, *steps, {"type": "pointerUp", "button": 0}],
                 modifiers)

    def pinch(self, x, y, near, far):
        def finger(side):
            steps = [self.move(x + side * (near + (far - near) * i / 4), y) for i in range(5)]
            return {"type": "pointer", "id": f"finger{side}", "parameters": {"pointerType": "touch"}, "actions": [
                steps[0], {"type": "pointerDown", "button": 0}, *steps[1:], {"type": "pointerUp", "button": 0}]}
        self.call("input.performActions", context=self.page, actions=[finger(-1), finger(1)])

    def key(self, key, modifiers=0, **_):
        value = KEYS.get(key, key)
        self.act("key", [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}], modifiers)

    def shot(self, name):
        with open(name, "wb") as file:
            file.write(base64.b64decode(self.call("browsingContext.captureScreenshot", context=self.page)["data"]))

# SPDX-License-Identifier: BSD-3-Clause
"""A page in Chromium's headless shell, driven by the DevTools protocol over a pipe: no port, no driver."""

import base64
import fcntl
import json
import os
import select
import shutil
import tempfile
import time

PROGRAM = shutil.which("chromium-headless-shell")


class Chromium:
    """Opens one blank tab. Every event of it is kept in `events`."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.requests = os.pipe()
        self.answers, from_browser = os.pipe()

        command = [PROGRAM, "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "--disable-gpu"]
        command += ["--no-sandbox", "--hide-scrollbars", "--force-color-profile=srgb", "about:blank"]
        # The browser reads from descriptor 3 and writes to 4; the pipes' own are moved out of the way of these.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_browser, from_browser)]
        actions = [(os.POSIX_SPAWN_DUP2, end, wanted) for end, wanted in zip(ends, (3, 4))]
        actions += [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
        self.process = os.posix_spawn(PROGRAM, command, os.environ, file_actions=actions)
        for end in (to_browser, from_browser, *ends):
            os.close(end)
        self.buffer, self.events, self.last, self.session = b"", [], 0, None
        tab = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=tab["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        self.session = None
        self.call("Browser.close")
        os.waitpid(self.process, 0)
        os.close(self.requests)
        os.close(self.answers)
        self.profile.cleanup()

    def message(self, seconds):
        """The next message of the browser; None when there is none in this time."""
        until = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, until - time.monotonic()))
            if not ready:
                return None
            read = os.read(self.answers, 1 << 20)
            if not read:
                raise RuntimeError("the browser has ended")
            self.buffer += read
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.last += 1
        request = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.requests, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message(60)
            if message is None:
                raise RuntimeError(f"{method} is not answered")
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            message = self.message(60)
            if message is None:
                raise RuntimeError(f"{method} does not come")
            self.events.append(message)

    def happened(self, *methods):
        """The parameters of the events so far with one of these names."""
        self.evaluate("0")  # whatever came before it has been read then
        return [event["params"] for event in self.events if event.get("method") in methods]

    def open(self, path, width=1280, height=900, scheme="light"):
        self.events = []
        self.resize(width, height)
        self.emulate(scheme=scheme)
        self.call("Page.navigate", url=f"file://{path}")
        self.wait_for("Page.loadEventFired")
        self.settle()

    def settle(self):
        """Until what waits for the next frames is drawn."""
        self.evaluate(
            "new Promise(done => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done), 50)))"
        )

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def emulate(self, media="", scheme="light"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def evaluate(self, expression):
        """The value of an expression in the page; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return answer["result"].get("value")

    def press(self, key, text=""):
        code = {"Enter": 13, "Tab": 9, "Escape": 27, " ": 32}.get(key, ord(text.upper()) if text else 0)
        fields = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **({"text": text} if text else {}), **fields)
        self.call("Input.dispatchKeyEvent", type="keyUp", **fields)

    def type(self, text):
        for character in text:
            self.press(character, character)

    def screenshot(self, width, height):
        """PNG of the top of the page."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

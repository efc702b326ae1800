"""Starts the real program on a port of its own and talks to it."""

import json
import os
import pathlib
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("ONDOL_BIN", str(ROOT / "build" / "release" / "ondol"))
MODELS = pathlib.Path(os.environ.get("ONDOL_MODELS", "~/.local/share/ondol/models")).expanduser()
SMOLLM2 = "smollm2-135m"
QWEN = "qwen2.5-coder-0.5b"


def model_file(name):
    path = MODELS / f"{name}.gguf"
    assert path.exists(), f"{path} is missing: packaging/fetch-model fetches it"
    return str(path)


class Answer:
    """Status, headers and body of one HTTP exchange."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json()["error"]


class Server:
    """`ondol serve` as a child process."""

    def __init__(self, *models, arguments=(), wait_ready=True, environment=None, wrapper=()):
        command = [*wrapper, BINARY, "serve", "--listen", "127.0.0.1:0"]
        for model in models or (model_file(SMOLLM2),):
            command += ["--model", str(model)]
        self.process = subprocess.Popen(
            command + [str(argument) for argument in arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
        )
        self.lines = []
        self._address = threading.Event()
        self.port = None
        threading.Thread(target=self._read, daemon=True).start()
        assert self._address.wait(30), "no address was printed: " + self.output()
        self.url = f"http://127.0.0.1:{self.port}"
        if wait_ready:
            self.wait_ready()

    def _read(self):
        for raw in self.process.stdout:
            line = raw.decode(errors="replace")
            self.lines.append(line)
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found and self.port is None:
                self.port = int(found.group(1))
                self._address.set()

    def output(self):
        return "".join(self.lines)

    def wait_ready(self, timeout_s=120):
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.output()
            if self.request("GET", "/health/ready").status == 200:
                return
            time.sleep(0.05)
        raise AssertionError("not ready in time: " + self.output())

    def request(self, method, path, body=None, headers=None, timeout_s=120):
        data = (
            body if isinstance(body, (bytes, type(None))) else json.dumps(body, ensure_ascii=False).encode()
        )
        sent = {"Content-Type": "application/json"} if data is not None else {}
        request = urllib.request.Request(
            self.url + path, data=data, method=method, headers={**sent, **(headers or {})}
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as reply:
                return Answer(reply.status, reply.headers, reply.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read())

    def post(self, path, body, **more):
        return self.request("POST", path, body, **more)

    def chat(self, content="Say hi.", **fields):
        messages = content if isinstance(content, list) else [{"role": "user", "content": content}]
        body = {"model": SMOLLM2, "messages": messages, "temperature": 0, "max_tokens": 8, **fields}
        return self.post("/v1/chat/completions", body)

    def complete(self, prompt="Once upon a time", **fields):
        body = {"model": SMOLLM2, "prompt": prompt, "temperature": 0, "max_tokens": 8, **fields}
        return self.post("/v1/completions", body)

    def stream(self, path, body):
        """The events of a streamed answer: decoded objects, then "[DONE]"."""
        answer = self.post(path, {**body, "stream": True})
        assert answer.status == 200, answer.body
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        events = []
        for block in answer.body.decode().split("\n\n"):
            data = "\n".join(
                line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")
            )
            if data:
                events.append(data if data == "[DONE]" else json.loads(data))
        return events

    def connect(self, timeout_s=30):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout_s)

    def raw(self, data, timeout_s=30):
        """Sends bytes, returns all that comes back until the server closes or is silent."""
        with self.connect(timeout_s) as peer:
            peer.sendall(data)
            received = b""
            try:
                while chunk := peer.recv(65536):
                    received += chunk
            except (TimeoutError, ConnectionResetError):
                pass
            return received

    def metrics(self):
        """Every sample by its full name with labels."""
        text = self.request("GET", "/metrics").body.decode()
        return {
            name: float(value)
            for name, value in (
                line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#")
            )
        }

    def metric(self, name):
        return sum(value for key, value in self.metrics().items() if key.split("{")[0] == name)

    def wait_idle(self, timeout_s=5):
        """Waits until nothing runs or waits; returns how long that took."""
        started = time.monotonic()
        while time.monotonic() - started < timeout_s:
            if self.metric("vllm:num_requests_running") + self.metric("vllm:num_requests_waiting") == 0:
                return time.monotonic() - started
            time.sleep(0.02)
        raise AssertionError("requests still run after %.1f s" % timeout_s)

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) * 1024

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode

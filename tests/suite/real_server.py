"""A real `ondol serve` for tests that need one beside them, on a port of its own."""
import contextlib
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

READY_TIMEOUT_S = 120
STOP_TIMEOUT_S = 30


class Server:
    """`url` is None if the server did not become ready; `output` is what it said."""

    def __init__(self, log):
        self.url, self.log = None, log

    def output(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace") or "the server said nothing"


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _is_ready(url):
    try:
        return urllib.request.urlopen(url + "/health/ready", timeout=5).status == 200
    except (urllib.error.URLError, OSError):
        return False


@contextlib.contextmanager
def serve(program, model):
    with tempfile.TemporaryFile() as log:
        server, process = Server(log), None
        url = f"http://127.0.0.1:{_free_port()}"
        command = [program, "serve", "--model", model, "--listen", url.removeprefix("http://")]
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        except OSError as error:
            log.write(str(error).encode())
        deadline = time.monotonic() + READY_TIMEOUT_S
        while process and process.poll() is None and time.monotonic() < deadline:
            if _is_ready(url):
                server.url = url
                break
            time.sleep(0.1)
        try:
            yield server
        finally:
            if process and process.poll() is None:
                process.terminate()
                try:
                    process.wait(STOP_TIMEOUT_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

"""The request log: a line a request, nothing of what was said; no failure of the log harms an answer."""

import os
import re
import shutil
import subprocess
import time

import pytest
from server_process import BINARY, SMOLLM2, Server, model_file

PRIVATE = "Zanzibar"
PAIR = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|[^\s"=]+)(?: |$)')
SHELL = ("bash", "-c")


def logged(path, count, timeout_s=5):
    """The request lines as dictionaries, once there are `count`."""
    deadline = time.monotonic() + timeout_s
    while True:
        lines = [line for line in path.read_text().splitlines() if " msg=request " in line]
        if len(lines) >= count or time.monotonic() > deadline:
            break
        time.sleep(0.02)
    assert len(lines) == count, lines
    for line in lines:
        assert "".join(match.group(0) for match in PAIR.finditer(line)) == line  # nothing but pairs
    return [{key: value.strip('"') for key, value in PAIR.findall(line)} for line in lines]


def still_serves(server):
    for _ in range(3):
        assert server.chat().status == 200
    assert server.request("GET", "/health/ready").status == 200


def test_each_answered_request_leaves_one_line(tmp_path):
    path = tmp_path / "requests.log"
    server = Server(arguments=["--ctx", "1024", "--log-file", path])
    try:
        whole = server.chat(f"Say {PRIVATE}.", max_tokens=5, ignore_eos=True).json()
        logged(path, 1)  # a line is written after its answer: without this, the order may be another
        body = {"model": SMOLLM2, "prompt": PRIVATE, "max_tokens": 6, "ignore_eos": True}
        events = server.stream("/v1/completions", {**body, "stream_options": {"include_usage": True}})
        logged(path, 2)
        assert server.complete(PRIVATE * 2000).status == 400
        logged(path, 3)
        assert server.request("GET", f"/{PRIVATE}?key={PRIVATE}").status == 404
        logged(path, 4)
        forged = 'x" level=error \n\x1b[31m'
        assert server.post("/v1/completions", {"model": forged}).status == 404
        done = logged(path, 5)
        with pytest.raises(TimeoutError):
            server.post("/v1/completions", {**body, "max_tokens": 900}, timeout_s=0.5)
        cancelled = logged(path, 6)[5]
    finally:
        assert server.stop() == 0
    assert PRIVATE not in path.read_text()
    assert "\x1b" not in path.read_text()
    assert "is ready" in path.read_text() and "stopping" in path.read_text()
    for line, answer, stream in ((done[0], whole, "false"), (done[1], events[-2], "true")):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert (line["level"], line["method"], line["status"]) == ("info", "POST", "200")
        assert (line["id"], line["model"], line["stream"]) == (answer["id"], SMOLLM2, stream)
        usage = answer["usage"]
        assert line["prompt_tokens"] == str(usage["prompt_tokens"])
        assert line["completion_tokens"] == str(usage["completion_tokens"])
        assert line["cached_tokens"] == str(usage["prompt_tokens_details"]["cached_tokens"])
        assert (line["finish_reason"], line["client"]) == ("length", "127.0.0.1")
        assert 0 <= float(line["queue_ms"]) <= float(line["ttft_ms"]) <= float(line["duration_ms"])
    assert (done[0]["route"], done[1]["route"]) == ("/v1/chat/completions", "/v1/completions")
    refused = [(line["level"], line["route"], line["status"], line.get("error")) for line in done[2:]]
    assert refused == [
        ("info", "/v1/completions", "400", "context_length_exceeded"),
        ("info", "other", "404", None),
        ("info", "/v1/completions", "404", "model_not_found"),
    ]
    ended = (cancelled["level"], cancelled["status"], cancelled["finish_reason"])
    assert ended == ("info", "499", "cancelled")
    assert 0 < int(cancelled["completion_tokens"]) < 900


def test_the_log_goes_on_in_a_new_file_after_sighup(tmp_path):
    path = tmp_path / "requests.log"
    server = Server(arguments=["--log-file", path])
    try:
        assert server.chat().status == 200
        logged(path, 1)
        path.rename(tmp_path / "old.log")
        server.process.send_signal(1)
        assert server.chat().status == 200
        while not path.exists():
            time.sleep(0.02)
        logged(path, 1)
        logged(tmp_path / "old.log", 1)
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("streams", ["2>&-", "<&- 2>&-", "2> >(exit)", "2> /dev/full"])
def test_no_state_of_standard_error_harms_serving(streams):
    server = Server(wrapper=(*SHELL, f'exec "$@" {streams}', "bash"), arguments=["--log-level", "debug"])
    try:
        still_serves(server)
    finally:
        assert server.stop() == 0


def test_a_full_disk_costs_lines_and_they_are_told(tmp_path):
    mount = f"mount -t tmpfs -o size=64k none {tmp_path}"
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", *SHELL, mount]).returncode:
        pytest.skip("this machine lets no test mount a file system")
    wrapper = ("unshare", "-rm", *SHELL, f'{mount} && exec "$@"', "bash")
    server = Server(wrapper=wrapper, arguments=["--log-file", tmp_path / "requests.log"])
    try:
        inside = f"/proc/{server.process.pid}/root{tmp_path}"
        with pytest.raises(OSError), open(f"{inside}/ballast", "wb", buffering=0) as ballast:
            for _ in range(1000):
                ballast.write(bytes(4096))
            raise AssertionError("the file system is not full")
        for _ in range(100):
            assert server.complete(max_tokens=1).status == 200
        still_serves(server)
        assert server.metric("ondol_log_lines_lost_total") > 0
        os.unlink(f"{inside}/ballast")
        still_serves(server)
        time.sleep(0.2)
        with open(f"{inside}/requests.log") as log:
            text = log.read()
        assert "lines of this log were lost" in text
        assert all(re.match(r"time=\S+ level=", line) for line in text.splitlines()[-4:])
    finally:
        assert server.stop() == 0


def test_a_log_file_that_cannot_be_opened_stops_the_start(tmp_path):
    command = [BINARY, "serve", "--listen", "127.0.0.1:0", "--model", model_file(SMOLLM2)]
    command += ["--log-file", tmp_path / "none" / "log"]
    done = subprocess.run(command, capture_output=True, timeout=20)
    assert done.returncode == 1
    assert b"none/log" in done.stderr

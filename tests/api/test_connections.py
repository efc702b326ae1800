"""Cases about connections, addresses, metrics and health."""

import json
import math
import re
import socket
import subprocess
import threading
import time

import pytest
from server_process import BINARY, SMOLLM2, Server, model_file

POST_CHAT = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def health_ms(server, path="/health/live"):
    started = time.monotonic()
    assert server.request("GET", path, timeout_s=10).status == 200
    return (time.monotonic() - started) * 1000


def test_X33_slow_senders_and_open_streams_leave_health_fast():
    server = Server()
    slow, streams, deaf = [], [], []
    try:
        before = server.resident_bytes()
        body = json.dumps(
            {
                "model": SMOLLM2,
                "messages": [{"role": "user", "content": "Tell a long story."}],
                "max_tokens": 1000,
                "stream": True,
                "ignore_eos": True,
            }
        ).encode()
        head = f"{POST_CHAT}Content-Length: {len(body)}\r\n\r\n".encode()
        for _ in range(100):
            peer = server.connect()
            peer.sendall(head + body)
            streams.append(peer)
        for number in range(200):
            peer = server.connect()
            peer.sendall(head[: 20 + number % 40] if number % 2 else head + body[:10])
            slow.append(peer)
        for _ in range(30):
            deaf.append(server.connect())
        times = []
        for _ in range(25):
            for peer in slow:
                try:
                    peer.send(b" ")
                except OSError:
                    pass
            times.append(health_ms(server))
            time.sleep(0.1)
        assert max(times) < 100, times
        assert server.resident_bytes() - before < 600 << 20
    finally:
        for peer in slow + streams + deaf:
            peer.close()
        server.wait_idle(20)
        assert server.stop() == 0


def test_X33_a_header_that_never_ends_is_closed(server):
    with server.connect(40) as peer:
        started = time.monotonic()
        peer.sendall(b"GET /health/live HTTP/1.1\r\n")
        while time.monotonic() - started < 35:
            try:
                peer.sendall(b"X-Slow: 1\r\n")
                peer.settimeout(2)
                if peer.recv(1000) is not None:
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        assert time.monotonic() - started < 30


def test_X34_bodies_are_bounded_and_their_type_does_not_matter(server):
    started = time.monotonic()
    reply = server.raw(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 42949672960\r\n\r\n"
    )
    assert b" 413 " in reply.split(b"\r\n")[0]
    assert time.monotonic() - started < 5
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    with server.connect() as peer:
        peer.sendall(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        sent = 0
        try:
            while sent < 400 << 20:
                peer.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass
        assert sent < 100 << 20
    body = {
        "model": SMOLLM2,
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 1,
        "user": "x" * 20000,
    }
    for kind in ("application/x-www-form-urlencoded", "text/plain", "application/json; charset=utf-8"):
        assert (
            server.request("POST", "/v1/chat/completions", body, headers={"Content-Type": kind}).status == 200
        )
    data = json.dumps(body).encode()
    head = (
        f"{POST_CHAT}Expect: 100-continue\r\nConnection: close\r\n"
        f"Content-Length: {len(data)}\r\n\r\n"
    ).encode()
    with server.connect() as peer:
        peer.sendall(head)
        assert b" 100 " in peer.recv(1000).split(b"\r\n")[0]
        peer.sendall(data)
        assert b" 200 " in peer.recv(100000).split(b"\r\n")[0]
    bomb = server.request(
        "POST", "/v1/chat/completions", b"\x1f\x8b" + bytes(5000), headers={"Content-Encoding": "gzip"}
    )
    assert bomb.status == 415
    assert server.resident_bytes() < 2 << 30


def test_X25_a_used_port_is_said_at_once(server):
    started = time.monotonic()
    done = subprocess.run(
        [BINARY, "serve", "--model", model_file(SMOLLM2), "--listen", f"127.0.0.1:{server.port}"],
        capture_output=True,
        timeout=20,
    )
    assert done.returncode == 1
    assert time.monotonic() - started < 1.0
    assert f"127.0.0.1:{server.port}".encode() in done.stderr + done.stdout
    for bad in ("127.0.0.1:70000", "127.0.0.1:abc", "nonsense host:1", "127.0.0.1:-1"):
        done = subprocess.run(
            [BINARY, "serve", "--model", model_file(SMOLLM2), "--listen", bad],
            capture_output=True,
            timeout=20,
        )
        assert done.returncode == 2, bad


def test_X25_a_restart_on_the_same_port_works_at_once():
    first = Server()
    port = first.port
    peer = first.connect()
    peer.sendall(b"GET /health/live HTTP/1.1\r\nHost: x\r\n")
    assert first.stop() == 0
    process = subprocess.Popen(
        [BINARY, "serve", "--model", model_file(SMOLLM2), "--listen", f"127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        else:
            raise AssertionError("the port could not be taken again")
    finally:
        process.terminate()
        assert process.wait(20) == 0
        peer.close()


@pytest.mark.parametrize(
    "listen,family,host",
    [
        ("localhost:{port}", socket.AF_INET, "127.0.0.1"),
        ("0.0.0.0:{port}", socket.AF_INET, "127.0.0.1"),
        ("[::1]:{port}", socket.AF_INET6, "::1"),
        ("localhost:{port}", socket.AF_INET6, "::1"),
    ],
)
def test_X26_addresses_of_every_form(tmp_path, listen, family, host):
    if family == socket.AF_INET6:
        try:
            probe = socket.socket(family)
            probe.bind(("::1", 0))
            probe.close()
        except OSError:
            pytest.skip("this machine has no IPv6 loopback")
    with socket.socket(socket.AF_INET) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    arguments = ["--insecure-http"] if listen.startswith("0.0.0.0") else []
    process = subprocess.Popen(
        [BINARY, "serve", "--model", model_file(SMOLLM2), "--listen", listen.format(port=port), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                with socket.socket(family) as peer:
                    peer.settimeout(5)
                    peer.connect((host, port))
                    peer.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    assert b" 200 " in peer.recv(1000).split(b"\r\n")[0]
                    break
            except ConnectionRefusedError:
                assert time.monotonic() < deadline and process.poll() is None, process.stdout.read()
                time.sleep(0.05)
    finally:
        process.terminate()
        process.wait(20)


def test_X26_a_unix_socket(tmp_path):
    path = tmp_path / "온돌.sock"
    process = subprocess.Popen(
        [BINARY, "serve", "--model", model_file(SMOLLM2), "--listen", f"unix:{path}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        deadline = time.monotonic() + 20
        while not path.exists():
            assert time.monotonic() < deadline and process.poll() is None, process.stdout.read()
            time.sleep(0.05)
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(path))
            peer.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert b" 200 " in peer.recv(1000).split(b"\r\n")[0]
    finally:
        process.terminate()
        assert process.wait(20) == 0


LABELS = r'\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*\}'
SAMPLE = re.compile(rf"([a-zA-Z_:][a-zA-Z0-9_:]*)({LABELS})? ([0-9eE.+-]+|\+Inf)$")


def parse_exposition(text):
    """A strict reader of the text format 0.0.4."""
    types, samples = {}, {}
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in types, f"{name} is typed twice"
            types[name] = kind
        elif line.startswith("#"):
            assert line.startswith("# HELP ") and len(line.split(" ", 3)) == 4, line
        else:
            found = SAMPLE.match(line)
            assert found, line
            name, labels, value = found.groups()
            base = re.sub(r"_(bucket|sum|count)$", "", name)
            assert name in types or base in types, f"{name} has no TYPE"
            assert (name, labels) not in samples, line
            samples[name, labels] = float(value)
            assert math.isfinite(samples[name, labels])
    return types, samples


def test_X31_metrics_are_well_formed_and_only_go_up():
    server = Server(f'한국어 "모델"={model_file(SMOLLM2)}', wait_ready=False)
    name = '한국어 "모델"'
    try:
        answer = server.request("GET", "/metrics")  # while the model loads
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        seen = [parse_exposition(answer.body.decode())]
        server.wait_ready()
        seen.append(parse_exposition(server.request("GET", "/metrics").body.decode()))
        thread = threading.Thread(target=lambda: server.chat(model=name, max_tokens=60))
        thread.start()
        time.sleep(0.2)
        seen.append(parse_exposition(server.request("GET", "/metrics").body.decode()))
        thread.join()
        assert server.chat(model=name, temperature=99).status == 400
        seen.append(parse_exposition(server.request("GET", "/metrics").body.decode()))
        for number in range(50):
            server.request("GET", f"/no/such/{number}")
        seen.append(parse_exposition(server.request("GET", "/metrics").body.decode()))
        for (_, before), (types, after) in zip(seen, seen[1:]):
            for key, value in before.items():
                kind = types.get(key[0]) or types.get(re.sub(r"_(bucket|sum|count)$", "", key[0]))
                if kind in ("counter", "histogram"):
                    assert after[key] >= value, key
        assert len(seen[-1][1]) - len(seen[-2][1]) < 5, "paths must not become labels"
        names = {key[0] for key in seen[-1][1]}
        assert {
            "vllm:num_requests_running",
            "vllm:num_requests_waiting",
            "vllm:prompt_tokens_total",
            "vllm:generation_tokens_total",
            "vllm:time_to_first_token_seconds_bucket",
        } <= names
    finally:
        assert server.stop() == 0


def test_X32_health_tells_loading_from_ready_and_never_waits():
    server = Server(wait_ready=False)
    try:
        assert server.request("GET", "/health/live").status == 200
        states = set()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            answer = server.request("GET", "/health/ready")
            states.add(answer.status)
            if answer.status == 200:
                break
            assert answer.status == 503
        assert 200 in states
        threads = [
            threading.Thread(target=lambda: server.chat("word " * 1500, max_tokens=4)) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for _ in range(20):
            assert health_ms(server) < 100
            assert health_ms(server, "/health/ready") < 100
            time.sleep(0.02)
        for thread in threads:
            thread.join()
    finally:
        assert server.stop() == 0


def test_a_full_queue_is_a_503_with_retry_after():
    server = Server(arguments=["--parallel", "1", "--queue", "1"])
    try:
        statuses, headers = [], []

        def ask():
            answer = server.chat("Tell a story.", max_tokens=100, ignore_eos=True)
            statuses.append(answer.status)
            if answer.status == 503:
                headers.append(answer.headers["Retry-After"])

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 200 in statuses and 503 in statuses
        assert all(int(header) >= 1 for header in headers)
    finally:
        assert server.stop() == 0


def test_sigterm_lets_a_running_stream_end():
    server = Server()
    result = []

    def ask():
        result.append(
            server.stream(
                "/v1/chat/completions",
                {
                    "model": SMOLLM2,
                    "messages": [{"role": "user", "content": "Tell a story."}],
                    "max_tokens": 60,
                    "temperature": 0,
                    "ignore_eos": True,
                },
            )
        )

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.3)
    assert server.stop() == 0
    thread.join()
    assert result and result[0][-1] == "[DONE]"


def test_only_known_hosts_are_answered(server):
    bad = server.raw(b"GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    assert re.match(rb"HTTP/1.1 (403|421) ", bad)
    good = server.raw(b"GET /v1/models HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n")
    assert good.startswith(b"HTTP/1.1 200 ")
    assert b"Access-Control-Allow-Origin" not in good


def test_the_page_comes_with_a_strict_policy(server):
    page = server.request("GET", "/")
    assert page.status == 200
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    unknown = server.request("GET", "/v1/no-such-thing")
    assert unknown.status == 404 and unknown.error["message"]
    assert server.request("GET", "/v1/chat/completions").status == 405

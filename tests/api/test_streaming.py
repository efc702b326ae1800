"""Cases of the area streaming, and one answer whatever stands beside it."""

import json
import threading
import time

import pytest
from server_process import QWEN, SMOLLM2, Server, model_file

LONG = {
    "model": SMOLLM2,
    "messages": [{"role": "user", "content": "Write a very long story about a river."}],
    "temperature": 0,
    "max_tokens": 1500,
    "ignore_eos": True,
}


def post_bytes(path, body):
    data = json.dumps(body, ensure_ascii=False).encode()
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(data)}\r\n\r\n"
    ).encode() + data


def leave_after(server, body, seconds):
    with server.connect() as peer:
        peer.sendall(post_bytes("/v1/chat/completions", body))
        time.sleep(seconds)


@pytest.mark.parametrize("stream", [True, False])
def test_B17_a_client_that_leaves_frees_its_work(server, stream):
    server.wait_idle()
    for _ in range(3):
        leave_after(server, {**LONG, "stream": stream}, 0.5)
        assert server.wait_idle(3) < 1.0
    assert server.metric("ondol_kv_pages_used") == 0


def test_B17_a_hundred_times_over(server):
    for round_number in range(100):
        leave_after(server, {**LONG, "stream": round_number % 2 == 0}, 0.02)
    server.wait_idle(10)
    assert server.metric("ondol_kv_pages_used") == 0


def test_B18_a_client_that_leaves_during_the_prompt_frees_its_work():
    server = Server(model_file(QWEN), arguments=["--ctx", "32768", "--prefill-chunk", "64"])
    try:
        body = {"model": QWEN, "messages": [{"role": "user", "content": "word " * 20000}], "max_tokens": 5}
        started = time.monotonic()
        leave_after(server, {**body, "stream": True}, 1.0)
        assert server.metric("ondol_prompt_tokens_total") >= 20000  # it was admitted
        server.wait_idle(10)
        assert time.monotonic() - started < 6  # far from the minute that the prompt takes
        assert server.metric("ondol_generated_tokens_total") == 0
    finally:
        server.stop()


def test_B11_an_answer_cut_inside_a_character_is_valid(server):
    prompt = "😀😀😀😀"  # the model goes on in kind, with several tokens a character
    fields = {"temperature": 0, "ignore_eos": True}
    whole = server.complete(prompt, max_tokens=21, **fields).json()["choices"][0]["text"]
    cut_inside = 0
    for count in range(1, 21):
        answer = server.complete(prompt, max_tokens=count, **fields)
        assert answer.status == 200
        choice = answer.json()["choices"][0]  # valid JSON and UTF-8, or this raises
        assert choice["finish_reason"] == "length"
        assert answer.json()["usage"]["completion_tokens"] == count
        shown = choice["text"].removesuffix("\ufffd")
        assert whole.startswith(shown)
        cut_inside += shown != choice["text"]
        body = {"model": SMOLLM2, "prompt": prompt, "max_tokens": count, **fields}
        events = server.stream("/v1/completions", body)
        streamed = "".join(event["choices"][0]["text"] for event in events[:-1] if event["choices"])
        assert streamed == choice["text"]
    assert cut_inside > 0


def test_B07_streamed_words_do_not_run_together(server):
    body = {"model": SMOLLM2, "prompt": "The quick brown", "temperature": 0, "max_tokens": 20}
    whole = server.complete("The quick brown", max_tokens=20).json()["choices"][0]["text"]
    events = server.stream("/v1/completions", body)
    assert "".join(event["choices"][0]["text"] for event in events[:-1] if event["choices"]) == whole
    assert " " in whole.strip()


def answers_of(server, seeds):
    """Greedy and seeded answers with their tokens, asked for all at once."""
    results = {}

    def ask(name, fields):
        body = {"max_tokens": 24, "logprobs": True, **fields}
        answer = server.chat(f"Tell me about the number {name}. " * 12, **body).json()
        results[name] = [entry["bytes"] for entry in answer["choices"][0]["logprobs"]["content"]]

    threads = [
        threading.Thread(target=ask, args=(name, {"temperature": 1, "seed": name} if name % 2 else {}))
        for name in seeds
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_B46_one_answer_alone_in_company_with_any_chunk_threads_and_kernels():
    """Design, invariant 1: the same tokens in every setting."""
    alone = Server(arguments=["--threads", "1", "--prefill-chunk", "512"])
    try:
        kernels = json.loads(alone.request("GET", "/v1/models").body)["data"][0]["meta"]["kernels"]
        expected = {name: answers_of(alone, [name])[name] for name in range(8)}
        assert answers_of(alone, range(8)) == expected
    finally:
        alone.stop()
    assert len({json.dumps(tokens) for tokens in expected.values()}) == 8
    others = ["twin"] if kernels != "twin" else []
    for chunk, threads, isa in [(32, 2, kernels), (512, 2, kernels), (32, 1, kernels)] + [
        (96, 2, isa) for isa in others
    ]:
        server = Server(arguments=["--threads", threads, "--prefill-chunk", chunk, "--isa", isa])
        try:
            names = range(8) if isa == kernels else [0, 1]
            assert answers_of(server, names) == {name: expected[name] for name in names}, (
                chunk,
                threads,
                isa,
            )
        finally:
            server.stop()

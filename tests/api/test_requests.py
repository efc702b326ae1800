"""Cases of the areas API, sampling, stop and long context, each named by its id."""

import json
import time

import pytest
from server_process import QWEN, SMOLLM2, Server, model_file


@pytest.mark.parametrize("stream", [False, True])
def test_B12_broken_bytes_are_a_clean_400(server, stream):
    good = json.dumps(
        {
            "model": SMOLLM2,
            "messages": [{"role": "user", "content": "안녕하세요"}],
            "max_tokens": 2,
            "stream": stream,
        },
        ensure_ascii=False,
    )
    bodies = [
        good.encode("cp949"),
        good.encode().replace("안".encode(), b"\xed\x95"),
        b'{"model":"' + b"\xff\xfe" + b'","messages":[]}',
        json.dumps({"model": SMOLLM2, "messages": "\x00"}).encode() + b"\xc0",
        b'{"model":"smollm2-135m","messages":[{"role":"user","content":"\\ud800"}]}',
        b'{"model":"smollm2-135m","messages":[{"role":"user","content":"x"}],"temperature":"\xc3\x28"}',
        b"",
        b"[",
        b"[" * 100_000,
        b'{"a":' * 50_000,
    ]
    for position in range(0, len(good.encode()), 3):
        mutated = bytearray(good.encode())
        mutated[position] = 0xFF
        bodies.append(bytes(mutated))
    for body in bodies:
        answer = server.post("/v1/chat/completions", body)
        assert 400 <= answer.status < 500, (body[:80], answer.status)
        assert answer.error["message"]
    assert server.request("GET", "/health").status == 200


@pytest.mark.parametrize(
    "fields",
    [
        {"temperature": 9},
        {"max_tokens": -1},
        {"stop": [""]},
        {"n": 0},
        {"messages": [{"role": "user", "content": "word " * 4000}]},
        {"messages": []},
        {"messages": [{"role": "nobody", "content": "x"}]},
    ],
)
def test_B19_a_bad_request_has_the_same_answer_streamed_or_not(server, fields):
    body = {"model": SMOLLM2, "messages": [{"role": "user", "content": "hi"}], **fields}
    plain = server.post("/v1/chat/completions", body)
    streamed = server.post("/v1/chat/completions", {**body, "stream": True})
    assert plain.status == streamed.status == 400
    assert plain.json() == streamed.json()


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_B22_at_most_as_many_tokens_as_asked(server, count):
    answer = server.chat("Tell me a long story.", max_tokens=count).json()
    assert answer["usage"]["completion_tokens"] == count
    assert answer["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize("bad", [0, -1, 2147483648, "5", 1.5, True, [], 10**30])
def test_B22_other_counts_are_refused(server, bad):
    for field in ("max_tokens", "max_completion_tokens"):
        body = {"model": SMOLLM2, "messages": [{"role": "user", "content": "hi"}], field: bad}
        answer = server.post("/v1/chat/completions", body)
        assert answer.status == 400, (field, bad)
        assert answer.error["param"] == field


def test_B23_max_completion_tokens_is_honoured(server):
    body = {
        "model": SMOLLM2,
        "messages": [{"role": "user", "content": "Tell me a long story."}],
        "temperature": 0,
    }
    answer = server.post("/v1/chat/completions", {**body, "max_completion_tokens": 5}).json()
    assert answer["usage"]["completion_tokens"] == 5
    for one, other in ((5, 9), (9, 5)):  # the smaller counts
        fields = {"max_completion_tokens": one, "max_tokens": other}
        answer = server.post("/v1/chat/completions", {**body, **fields}).json()
        assert answer["usage"]["completion_tokens"] == 5


def test_B25_content_in_all_its_forms(server):
    def status(*messages):
        return server.chat(list(messages), max_tokens=1).status

    def prompt_tokens(content):
        return server.chat([{"role": "user", "content": content}], max_tokens=1).json()["usage"][
            "prompt_tokens"
        ]

    part = {"type": "text", "text": "hello"}
    assert prompt_tokens([part]) == prompt_tokens("hello")
    assert prompt_tokens([part, part]) == prompt_tokens("hellohello")
    assert status({"role": "user", "content": []}) == 400
    assert status({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}) == 400
    assert status({"role": "user", "content": [{"type": "nonsense"}]}) == 400
    assert status({"role": "user", "content": 5}) == 400
    assert status({"role": "user"}) == 400
    assert status({"role": "user", "content": None}) == 400


def test_B45_tool_calls_in_the_history_never_break_a_turn():
    def history(arguments, call_id="c1", **more):
        function = {"name": "f", "arguments": arguments}
        call = {"id": "c1", "type": "function", "function": function}
        return [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "tool_calls": [call], **more},
            {"role": "tool", "tool_call_id": call_id, "content": "42"},
            {"role": "user", "content": "and?"},
        ]

    server = Server(model_file(QWEN), arguments=["--ctx", "2048"])  # its template knows tool calls
    try:
        for messages, status in [
            (history("{}"), 200),
            (history("{}", content=None), 200),
            (history("{}", content=""), 200),
            (history({"city": "서울"}), 200),
            (history('{"city": "서울"}'), 200),
            (history("{}", call_id="another"), 200),
            (history("{"), 400),
            (history("not JSON"), 400),
            (history(5), 400),
        ]:
            answer = server.chat(messages, model=QWEN, max_tokens=1)
            assert answer.status == status, (messages[1], answer.body)
            if status == 400:
                assert answer.error["param"].endswith("function.arguments")
        as_text = server.chat(history('{"city": "서울"}'), model=QWEN, max_tokens=1).json()
        as_object = server.chat(history({"city": "서울"}), model=QWEN, max_tokens=1).json()
        assert as_text["usage"] == as_object["usage"]
    finally:
        assert server.stop() == 0


def test_B45_a_template_without_tool_calls_says_so(server):
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    answer = server.chat([{"role": "user", "content": "hi"}, {"role": "assistant", "tool_calls": [call]}])
    assert answer.status == 400
    assert "no place for tool calls" in answer.error["message"]


def test_B29_log_probability_fields_are_checked(server):
    assert server.chat(top_logprobs=3).status == 400
    assert server.chat(logprobs=True, top_logprobs=21).status == 400
    assert server.chat(logprobs=True, top_logprobs=-1).status == 400
    emoji = server.post("/tokenize", {"content": "😀"}).json()["tokens"]
    assert len(emoji) > 1
    for bias in ({}, {str(token): 100 for token in emoji}):  # the second answer is parts of characters
        entries = server.chat(logprobs=True, top_logprobs=5, max_tokens=20, logit_bias=bias).json()
        content = entries["choices"][0]["logprobs"]["content"]
        assert len(content) == entries["usage"]["completion_tokens"]
        text = bytes(byte for entry in content for byte in entry["bytes"]).decode(errors="replace")
        assert text == entries["choices"][0]["message"]["content"]
        assert ("\ufffd" in text) == bool(bias)
        for entry in content:
            tops = [top["logprob"] for top in entry["top_logprobs"]]
            assert len(tops) == 5 and tops == sorted(tops, reverse=True)


def test_B30_seeds_repeat_and_differ(server):
    def text(seed):
        return server.chat("Invent a name.", temperature=1, seed=seed, max_tokens=16).json()["choices"][0][
            "message"
        ]

    assert text(42) == text(42) == text(42)
    assert text(42) != text(43)
    for seed in (0, -1, 2**32, 2**53, 2**63 - 1, -(2**63)):
        assert server.chat(seed=seed).status == 200
    for seed in (2**63, 2**64, 1.5, "7", -(2**63) - 1):
        assert server.chat(seed=seed).status == 400


@pytest.mark.parametrize(
    "field,bad",
    [
        ("temperature", -1),
        ("temperature", 5),
        ("temperature", "hot"),
        ("top_p", 0),
        ("top_p", 1.0001),
        ("top_k", 2**31),
        ("top_k", -2),
        ("min_p", 2),
        ("presence_penalty", 3),
        ("frequency_penalty", -3),
        ("repeat_penalty", 0),
        ("n", 100),
        ("logit_bias", {"x": 1}),
        ("logit_bias", {"1": 101}),
        ("stop", ["a"] * 17),
        ("stop", 5),
        ("stream", "yes"),
        ("seed", 1e30),
        ("logprobs", 3),
    ],
)
def test_B31_out_of_range_is_named(server, field, bad):
    answer = server.chat(**{field: bad})
    assert answer.status == 400, answer.body
    assert answer.error["param"].startswith(field)
    assert answer.error["type"] == "invalid_request_error"


def test_B31_a_tiny_temperature_is_greedy_and_not_a_number_is_refused(server):
    greedy = server.chat(temperature=0).json()["choices"][0]["message"]["content"]
    for tiny in (1e-4, 1e-38):
        assert server.chat(temperature=tiny, seed=9).json()["choices"][0]["message"]["content"] == greedy
    for word in ("NaN", "Infinity", "-Infinity", "1e999"):
        body = '{"model":"%s","messages":[{"role":"user","content":"hi"}],"temperature":%s}' % (SMOLLM2, word)
        assert server.post("/v1/chat/completions", body.encode()).status == 400


def test_B33_the_usage_chunk_comes_only_when_asked(server):
    body = {
        "model": SMOLLM2,
        "messages": [{"role": "user", "content": "hi"}],
        "temperature": 0,
        "max_tokens": 5,
    }

    def usage_chunks(**fields):
        events = server.stream("/v1/chat/completions", {**body, **fields})
        assert events[-1] == "[DONE]"
        return [event for event in events[:-1] if event.get("usage")], events

    with_usage, events = usage_chunks(stream_options={"include_usage": True})
    assert len(with_usage) == 1
    assert events[-2] == with_usage[0]
    assert with_usage[0]["choices"] == []
    assert with_usage[0]["usage"] == server.post("/v1/chat/completions", body).json()["usage"]
    assert usage_chunks()[0] == []
    assert usage_chunks(stream_options={"include_usage": False})[0] == []
    assert usage_chunks(stream_options={})[0] == []
    assert (
        server.post("/v1/chat/completions", {**body, "stream_options": {"include_usage": True}}).status == 400
    )


def test_B34_a_prompt_beyond_the_context_is_refused_with_both_numbers():
    server = Server(arguments=["--ctx", "512"])
    try:
        count = lambda text: len(server.post("/tokenize", {"content": text}).json()["tokens"])  # noqa: E731
        word = " red"
        assert count(word * 100) == 100
        assert server.complete(word * 511, max_tokens=1).status == 200
        for length in (512, 513, 5120):
            answer = server.complete(word * length, max_tokens=1)
            assert answer.status == 400
            assert answer.error["code"] == "context_length_exceeded"
            assert "512" in answer.error["message"]
            assert str(length) in answer.error["message"]
        assert server.complete(word * 500, max_tokens=12).status == 200
        answer = server.complete(word * 500, max_tokens=13)
        assert answer.error["code"] == "context_length_exceeded"
        filler = server.chat(
            "The secret word is maple. " + "Nothing to see here. " * 120 + "What is the word?"
        )
        assert filler.error["code"] == "context_length_exceeded"
    finally:
        assert server.stop() == 0


def test_B35_an_unknown_model_is_a_404_that_lists_what_is_served():
    server = Server(model_file(SMOLLM2), f"other={model_file(SMOLLM2)}")
    try:
        for name in ("no-such-model", "smollm2", "SMOLLM2-135M "):
            answer = server.chat(model=name)
            assert answer.status == 404
            assert answer.error["code"] == "model_not_found"
            assert SMOLLM2 in answer.error["message"] and "other" in answer.error["message"]
        assert server.chat(model="no-such-model", temperature=99).status == 404  # before anything else
        for name in (SMOLLM2, "other"):
            assert server.chat(model=name).json()["model"] == name
        for nothing in ({"model": ""}, {"model": None}, {}):
            body = {"messages": [{"role": "user", "content": "hi"}], **nothing}
            answer = server.post("/v1/chat/completions", body)
            assert answer.status == 404 and SMOLLM2 in answer.error["message"]
    finally:
        assert server.stop() == 0


def test_X43_a_larger_context_than_trained_is_said_aloud():
    server = Server(arguments=["--ctx", "16384"])
    try:
        model = server.request("GET", "/v1/models").json()["data"][0]
        assert model["meta"]["context"] == 16384
        assert model["meta"]["context_trained"] < 16384
        deadline = time.monotonic() + 5  # said when the model is ready, just before or after /health says so
        while "16384" not in server.output() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert "16384" in server.output() and str(model["meta"]["context_trained"]) in server.output()
    finally:
        assert server.stop() == 0


def test_B14_a_stop_string_inside_a_token_cuts_there(server):
    whole = server.complete("One, two, three, four,", max_tokens=6).json()["choices"][0]["text"]
    inner = whole.strip()[1:3]  # the middle of the first word
    cut = server.complete("One, two, three, four,", max_tokens=6, stop=inner).json()["choices"][0]
    assert cut["text"] == whole[: whole.index(inner)]
    assert cut["finish_reason"] == "stop"


def test_tokens_and_text_go_both_ways(server):
    for text in ("Hello, world!", "온돌은 따뜻하다 😀", " two  spaces\n\n", ""):
        tokens = server.post("/tokenize", {"content": text}).json()["tokens"]
        assert server.post("/detokenize", {"tokens": tokens}).json()["content"] == text
    special = "<|im_end|>"
    assert len(server.post("/tokenize", {"content": special, "parse_special": True}).json()["tokens"]) == 1
    assert len(server.post("/tokenize", {"content": special, "parse_special": False}).json()["tokens"]) > 1

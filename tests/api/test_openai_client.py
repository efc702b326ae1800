"""The real openai client against the real server."""

import openai
import pytest
from server_process import SMOLLM2

HELLO = [{"role": "user", "content": "Say hello in one short sentence."}]
KOREAN = [{"role": "user", "content": "안녕하세요! 한국어로 인사해 주세요. 😀"}]


def ask(client, messages=HELLO, **fields):
    return client.chat.completions.create(
        model=SMOLLM2, messages=messages, **{"temperature": 0, "max_tokens": 24, **fields}
    )


def joined(stream):
    return "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)


def test_a_chat_answers_with_usage_and_a_reason(client):
    answer = ask(client)
    assert answer.object == "chat.completion"
    assert answer.id.startswith("chatcmpl-")
    assert answer.model == SMOLLM2
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].message.content
    assert answer.choices[0].finish_reason in ("stop", "length")
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert answer.usage.prompt_tokens_details.cached_tokens == 0


@pytest.mark.parametrize("messages", [HELLO, KOREAN])
@pytest.mark.parametrize("fields", [{}, {"temperature": 1.0, "seed": 11}, {"max_tokens": 90}])
def test_the_joined_stream_is_the_unstreamed_answer(client, messages, fields):
    whole = ask(client, messages, **fields).choices[0].message.content
    assert joined(ask(client, messages, stream=True, **fields)) == whole


def test_an_emoji_and_korean_text_come_through_byte_for_byte(client):
    text = "온돌 😀 따뜻한 바닥 👩‍👩‍👧"
    bias = {}
    prompt = [{"role": "user", "content": f"Repeat exactly: {text}"}]
    whole = ask(client, prompt, max_tokens=60, logit_bias=bias).choices[0].message.content
    assert joined(ask(client, prompt, max_tokens=60, stream=True)) == whole


def test_usage_comes_in_the_stream_when_asked_for(client):
    chunks = list(ask(client, stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].choices == []
    assert chunks[-1].usage.completion_tokens == ask(client).usage.completion_tokens
    assert all(chunk.usage is None for chunk in chunks[:-1])
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-2].choices[0].finish_reason in ("stop", "length")


def test_stop_strings_cut_before_themselves(client):
    whole = ask(client, max_tokens=24).choices[0].message.content
    word = whole.split()[1]
    cut = ask(client, max_tokens=24, stop=[word, "never-said"])
    assert cut.choices[0].message.content == whole[: whole.index(word)]
    assert cut.choices[0].finish_reason == "stop"
    assert joined(ask(client, max_tokens=24, stop=word, stream=True)) == cut.choices[0].message.content


def test_one_token_is_one_token(client):
    answer = ask(client, max_tokens=1)
    assert answer.usage.completion_tokens == 1
    assert answer.choices[0].finish_reason == "length"


def test_three_choices_differ_and_repeat_with_the_seed(client):
    fields = {"n": 3, "seed": 7, "temperature": 1.2, "max_tokens": 16}
    first = client.chat.completions.create(model=SMOLLM2, messages=HELLO, **fields)
    again = client.chat.completions.create(model=SMOLLM2, messages=HELLO, **fields)
    texts = [choice.message.content for choice in first.choices]
    assert [choice.index for choice in first.choices] == [0, 1, 2]
    assert len(set(texts)) == 3
    assert texts == [choice.message.content for choice in again.choices]
    streamed = ["", "", ""]
    for chunk in client.chat.completions.create(model=SMOLLM2, messages=HELLO, stream=True, **fields):
        for choice in chunk.choices:
            streamed[choice.index] += choice.delta.content or ""
    assert streamed == texts


def test_log_probabilities_have_true_bytes_and_sorted_tops(client):
    answer = ask(client, KOREAN, logprobs=True, top_logprobs=5, max_tokens=40)
    entries = answer.choices[0].logprobs.content
    assert len(entries) == answer.usage.completion_tokens
    data = b"".join(bytes(entry.bytes) for entry in entries)
    assert data.decode(errors="replace") == answer.choices[0].message.content
    for entry in entries:
        values = [top.logprob for top in entry.top_logprobs]
        assert len(values) == 5
        assert values == sorted(values, reverse=True)
        assert entry.logprob == pytest.approx(values[0])  # greedy: the best one
    streamed = []
    for chunk in ask(client, KOREAN, logprobs=True, top_logprobs=5, max_tokens=40, stream=True):
        if chunk.choices and chunk.choices[0].logprobs:
            streamed += chunk.choices[0].logprobs.content
    assert [entry.token for entry in streamed] == [entry.token for entry in entries]


def test_content_as_parts_and_null_fields(client):
    parts = [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Say hello in one "},
                {"type": "text", "text": "short sentence."},
            ],
        }
    ]
    assert ask(client, parts).choices[0].message.content == ask(client).choices[0].message.content
    nulls = {
        "stop": None,
        "seed": None,
        "logit_bias": None,
        "top_p": None,
        "n": None,
        "user": None,
        "frequency_penalty": None,
        "presence_penalty": None,
        "response_format": {"type": "text"},
    }
    answer = client.chat.completions.create(
        model=SMOLLM2, messages=HELLO, temperature=0, max_tokens=24, extra_body=nulls
    )
    assert answer.choices[0].message.content == ask(client).choices[0].message.content


def test_completions_with_echo_and_logprobs(client):
    answer = client.completions.create(
        model=SMOLLM2, prompt="The capital of France is", max_tokens=8, temperature=0, logprobs=2
    )
    logprobs = answer.choices[0].logprobs
    assert answer.object == "text_completion"
    assert len(logprobs.tokens) == len(logprobs.token_logprobs) == answer.usage.completion_tokens
    echoed = client.completions.create(
        model=SMOLLM2, prompt="The capital of France is", max_tokens=8, temperature=0, echo=True
    )
    assert echoed.choices[0].text == "The capital of France is" + answer.choices[0].text
    streamed = client.completions.create(
        model=SMOLLM2, prompt="The capital of France is", max_tokens=8, temperature=0, stream=True
    )
    assert "".join(chunk.choices[0].text for chunk in streamed if chunk.choices) == answer.choices[0].text


def test_the_models_are_listed(client):
    listed = client.models.list().data
    assert [model.id for model in listed] == [SMOLLM2]
    assert client.models.retrieve(SMOLLM2).id == SMOLLM2


def test_every_class_of_error_is_the_clients_own(client, server):
    with pytest.raises(openai.NotFoundError) as missing:
        client.chat.completions.create(model="no-such-model", messages=HELLO)
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError) as wrong:
        ask(client, temperature=9)
    assert wrong.value.param == "temperature"
    with pytest.raises(openai.BadRequestError) as long:
        ask(client, [{"role": "user", "content": "word " * 4000}])
    assert long.value.code == "context_length_exceeded"
    with pytest.raises(openai.BadRequestError):
        ask(client, tools=[{"type": "function", "function": {"name": "f", "parameters": {}}}])
    with pytest.raises(openai.BadRequestError):
        ask(client, response_format={"type": "json_object"})
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("no-such-model")

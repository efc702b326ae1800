"""Token ids of the real model files, line by line, as tests/data/golden has them."""

import json

import pytest
from ondol_process import FILES, GOLDEN, json_lines, model_path


@pytest.mark.parametrize("name", FILES)
def test_every_line_of_the_golden_ids_is_met(name):
    cases = [json.loads(line) for line in (GOLDEN / f"tokens.{name}.jsonl").read_text().split("\n") if line]
    assert len(cases) > 300
    answers = json_lines(
        ["tokenize", model_path(name), "--jsonl"],
        [{"text": case["text"], "parse_special": case["parse_special"]} for case in cases],
    )
    wrong = [
        (case["text"], case["ids"], answer["ids"])
        for case, answer in zip(cases, answers)
        if case["ids"] != answer["ids"]
    ]
    assert not wrong, f"{len(wrong)} of {len(cases)} lines differ, the first: {wrong[0]}"


@pytest.mark.parametrize("name", ["smollm2", "qwen2.5-coder-0.5b"])
def test_rendered_chats_have_the_golden_ids(name):
    chats = json.loads((GOLDEN / f"chat.{name}.json").read_text())
    answers = json_lines(
        ["tokenize", model_path(name), "--jsonl"],
        [{"text": chat["rendered"], "parse_special": True} for chat in chats],
    )
    assert [answer["ids"] for answer in answers] == [chat["ids"] for chat in chats]

"""The verbs of the command line, where what they write to is full or closed."""

import subprocess

import pytest
from server_process import BINARY, SMOLLM2, model_file


@pytest.mark.parametrize("line", ["--help", "--version", "help serve", "serve --help", "version"])
def test_a_full_output_is_a_failure(line):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([BINARY, *line.split()], stdout=full, stderr=subprocess.PIPE, timeout=20)
    assert done.returncode == 1
    assert b"standard output" in done.stderr


def test_a_chat_that_cannot_be_written_ends_with_one_message():
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [BINARY, "chat", model_file(SMOLLM2), "--max-tokens", "8"],
            input=b"hi\nhi\n",
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr.count(b"standard output") == 1

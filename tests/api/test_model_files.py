"""Cases of the areas model load and Korean-CJK, on the real program."""

import os
import shutil
import struct
import subprocess
import time
import unicodedata

import pytest
from server_process import BINARY, SMOLLM2, Server, model_file


def refuse(path, *words, arguments=("serve", "--listen", "127.0.0.1:0", "--model")):
    """The program refuses `path` in under a second, with a sentence that has `words`, and no signal."""
    started = time.monotonic()
    done = subprocess.run([BINARY, *arguments, str(path)], capture_output=True, timeout=20)
    output = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode == 1, (done.returncode, output)
    assert time.monotonic() - started < 1.5
    for word in words:
        assert word in output, output
    return output


def header(version=3, tensors=0, values=0, magic=b"GGUF"):
    return magic + struct.pack("<IQQ", version, tensors, values)


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


CRAFTED = {
    "empty": b"",
    "magic only": b"GGUF",
    "html": b"<!DOCTYPE html><html>not found</html>",
    "version 0": header(0),
    "version 99": header(99),
    "big-endian": b"GGUF" + struct.pack(">IQQ", 3, 0, 0),
    "2^63 tensors": header(tensors=2**63),
    "2^63 values": header(values=2**63),
    "string of 2^63 bytes": header(values=1) + struct.pack("<Q", 2**63),
    "empty key": header(values=1) + text("") + struct.pack("<II", 4, 1),
    "unknown value type": header(values=1) + text("k") + struct.pack("<I", 99),
    "array of 2^62": header(values=1) + text("k") + struct.pack("<IIQ", 9, 4, 2**62),
    "nested array": header(values=1) + text("k") + struct.pack("<IIQ", 9, 9, 1),
    "zero dimension": header(tensors=1) + text("t") + struct.pack("<IQIQ", 1, 0, 0, 0) + bytes(64),
    "huge dimension": header(tensors=1)
    + text("t")
    + struct.pack("<IQQIQ", 2, 2**42 + 1, 2**42, 0, 0)
    + bytes(64),
    "nine dimensions": header(tensors=1) + text("t") + struct.pack("<I9QIQ", 9, *[1] * 9, 0, 0) + bytes(64),
    "unknown tensor type": header(tensors=1) + text("t") + struct.pack("<IQIQ", 1, 32, 999, 0) + bytes(64),
    "alignment 3": header(values=1) + text("general.alignment") + struct.pack("<II", 4, 3),
    "alignment 0": header(values=1) + text("general.alignment") + struct.pack("<II", 4, 0),
    "no architecture": header(),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_B60_a_crafted_file_is_refused_in_words(tmp_path, name):
    path = tmp_path / "crafted.gguf"
    path.write_bytes(CRAFTED[name])
    refuse(path, "crafted.gguf")


@pytest.mark.parametrize("share", [0.0001, 0.1, 0.5, 0.999])
def test_X01_a_cut_file_is_refused_with_both_sizes(tmp_path, share):
    path = tmp_path / "cut.gguf"
    size = os.path.getsize(model_file(SMOLLM2))
    with open(model_file(SMOLLM2), "rb") as source, open(path, "wb") as cut:
        cut.write(source.read(int(size * share)))
    output = refuse(path, "cut.gguf")
    if share > 0.05:
        assert str(int(size * share)) in output


def test_X02_a_name_given_twice_is_refused(tmp_path):
    path = tmp_path / "twice.gguf"
    tensor = text("same.weight") + struct.pack("<IQIQ", 1, 8, 0, 0)
    path.write_bytes(header(tensors=2) + tensor + tensor + bytes(128))
    refuse(path, "same.weight")
    value = text("same.key") + struct.pack("<II", 4, 1)
    path.write_bytes(header(values=2) + value + value)
    refuse(path, "same.key")


def test_B03_an_unknown_pre_tokenizer_is_named(tmp_path):
    path = tmp_path / "made-up.gguf"
    data = bytearray(open(model_file(SMOLLM2), "rb").read())
    key = data.index(b"tokenizer.ggml.pre")
    name = data.index(b"smollm", key)
    data[name : name + 6] = b"zzmade"
    path.write_bytes(data)
    done = subprocess.run(
        [BINARY, "tokenize", str(path), "--jsonl"], input=b'{"text":"x"}\n', capture_output=True
    )
    assert done.returncode == 1
    assert b"zzmade" in done.stderr


@pytest.mark.parametrize(
    "folder,name",
    [
        ("모델 폴더 (새)", unicodedata.normalize("NFD", "한글 이름") + ".gguf"),
        ("a'b\"c", "100%d %s.gguf"),
        ("plain", "x" * 245 + ".gguf"),
    ],
)
def test_X03_paths_are_bytes_end_to_end(tmp_path, folder, name):
    (tmp_path / folder).mkdir()
    path = tmp_path / folder / name
    os.symlink(model_file(SMOLLM2), path)
    server = Server(path)
    try:
        listed = server.request("GET", "/v1/models").json()["data"][0]["id"]
        assert listed == unicodedata.normalize("NFC", name[:-5])
        assert server.chat(model=listed, max_tokens=1).status == 200
    finally:
        assert server.stop() == 0


def test_X42_a_decomposed_name_is_found_by_its_composed_form(tmp_path):
    decomposed = unicodedata.normalize("NFD", "온돌 모델")
    path = tmp_path / (decomposed + ".gguf")
    os.symlink(model_file(SMOLLM2), path)
    server = Server(path)
    try:
        for form in ("NFC", "NFD"):
            answer = server.chat(model=unicodedata.normalize(form, "온돌 모델"), max_tokens=1)
            assert answer.status == 200
            assert answer.json()["model"] == unicodedata.normalize("NFC", "온돌 모델")
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("what", ["truncate", "overwrite", "replace", "remove"])
def test_X04_a_model_file_that_changes_while_serving(tmp_path, what):
    path = tmp_path / "model.gguf"
    shutil.copy(model_file(SMOLLM2), path)
    server = Server(path)
    try:
        expected = server.chat(model="model").json()["choices"][0]["message"]
        if what == "truncate":
            os.truncate(path, 1000)
        elif what == "overwrite":
            with open(path, "r+b") as file:
                file.write(os.urandom(1 << 20))
        elif what == "replace":
            (tmp_path / "new").write_bytes(b"something else")
            os.replace(tmp_path / "new", path)
        else:
            path.unlink()
        assert server.chat(model="model").json()["choices"][0]["message"] == expected
    finally:
        assert server.stop() == 0

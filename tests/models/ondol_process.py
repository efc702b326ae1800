"""Runs the built program's machine interfaces: one JSON object a line on stdin and stdout."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("ONDOL_BIN", str(ROOT / "build" / "release" / "ondol"))
MODELS = pathlib.Path(os.environ.get("ONDOL_MODELS", "~/.local/share/ondol/models")).expanduser()
GOLDEN = ROOT / "tests" / "data" / "golden"
FILES = {
    "smollm2": "smollm2-135m.gguf",
    "qwen2.5-coder-0.5b": "qwen2.5-coder-0.5b.gguf",
    "gemma3-270m": "gemma3-270m.gguf",
}


def model_path(name):
    path = MODELS / FILES[name]
    assert path.exists(), f"{path} is missing: packaging/fetch-model fetches it"
    return str(path)


def json_lines(arguments, requests, timeout_s=1500):
    """Feeds `requests` to `ondol ARGUMENTS` and returns its answers, in order."""
    text = "".join(json.dumps(request, ensure_ascii=False) + "\n" for request in requests)
    done = subprocess.run([BINARY, *arguments], input=text.encode(), capture_output=True, timeout=timeout_s)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert len(answers) == len(requests)
    return answers


def kernels():
    """Names of the kernel tables that this machine can run."""
    done = subprocess.run([BINARY, "doctor", "--json"], capture_output=True, timeout=120, check=True)
    return json.loads(done.stdout)["kernels"]["available"]

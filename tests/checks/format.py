#!/usr/bin/env python3
"""The format check: every C++ file is as clang-format leaves it. With --fix it formats instead; paths may be
given to look at those files or folders only. Generated files are left alone."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import source_tree  # noqa: E402
import tidy  # noqa: E402


def main():
    root = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    fix = "--fix" in sys.argv[1:]
    chosen = tuple(argument.rstrip("/") for argument in sys.argv[1:] if not argument.startswith("--"))
    paths = []
    for path in source_tree.files(root):
        first_lines = "\n".join(source_tree.read(root, path).split("\n")[:3]) \
            if path.endswith(source_tree.CPP_SUFFIXES) else None
        if first_lines is None or tidy.GENERATED.search(first_lines):
            continue
        if not chosen or any(path == place or path.startswith(place + "/") for place in chosen):
            paths.append(path)
    if not paths:
        print("format: no file")
        return 0
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    result = subprocess.run(["clang-format", "--style=file", *mode, *paths], cwd=root,
                            capture_output=True, text=True)
    wrong = sorted({line.split(":")[0] for line in result.stderr.splitlines() if ": error: " in line})
    for path in wrong:
        print(f"{path}:1: not as clang-format leaves it")
    if result.returncode != 0 and not wrong:
        print(result.stderr.strip())
    print(f"format: {len(wrong)} of {len(paths)} files (tests/checks/format.py --fix)" if wrong else
          f"format: {len(paths)} files in order" if result.returncode == 0 else "format: clang-format failed")
    return 1 if result.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The tidy check: those rules of style that a script can judge.

Prints one line per fault, "path:line: [rule] what is wrong", and fails if there is any. A line that must
break a rule says so at its end: "// tidy: RULE, reason"; a file that must is in tidy_exemptions.py."""
import os
import re
import sys
import unicodedata

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import source_tree  # noqa: E402
import tidy_exemptions  # noqa: E402

COLUMNS_MAX = 110
COLUMNS_MAX_PROSE = 120  # Markdown
LINES_MAX = 500
CODE_SUFFIXES = (".h", ".cpp", ".cu", ".py", ".ts", ".tsx", ".css", ".cmake", ".mjs", ".sh")
TEXT_SUFFIXES = CODE_SUFFIXES + (".md", ".txt", ".yaml", ".yml", ".json", ".html")
DATA_FOLDERS = ("tests/data/", "tests/golden/", "tests/fuzz/corpus/")
DATA_FILES = ("package-lock.json", "LICENSE")
TEXT_FILES = ("CMakeLists.txt", "requirements.txt", "debian-packages.txt")  # any other .txt is data
GENERATED = re.compile(r"(made|generated) by\b.*do not edit", re.I)
BAD_NAMES = {"util", "utils", "helper", "helpers", "misc", "common"}
ENVIRONMENT_READERS = ("app/commands/", "app/config/", "app/main.cpp", "tests/")

# Written as patterns, so that this file does not contain what it looks for.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(work/(main|tmp|shared)|root/|home/\w+)")
REGISTRY_HOST = re.compile(
    r"\b[a-z0-9-]+\.(debian|pypi|pythonhosted|npmjs|nodesource|crates|golang)\.(org|com|io)\b"
    r"|\bpypi\.(?=org\b)", re.I)
ISSUE_NUMBER = re.compile(r"\b(issue|ticket|pull request|PR) ?#?\d+\b", re.I)

COMMENTED_CODE = re.compile(
    r"^\s*//(?!/)\s{0,2}(?=\S)(?:(?:return|if|for|while|auto|const|int|#include)\b.*|"
    r"[\w:.>\[\]-]+(?:\([^)]*\)|\s*=\s*[^=].*))(?:;|\{|\}|\{\})\s*$")
TYPE = r"[\w:]+(?:<[^()=;]*>)?"
MUTABLE_NAMESPACE_SCOPE = re.compile(
    r"^(?:(?:static|inline|thread_local) )*" + TYPE + r"(?:\s*[*&])?\s+[a-zA-Z_]\w*(?:\[[^\]]*\])?"
    r"\s*(?:=[^=].*|\{[^{}]*\})?;\s*$")
NOT_A_VARIABLE = re.compile(
    r"^(?:(?:inline|static) )*(?:const|constexpr|constinit|using|typedef|namespace|class|struct|enum|union|"
    r"extern|template|friend|return|static_assert|public|private|goto|asm|case|export)\b")
MUTABLE_STATIC = re.compile(
    r"^\s+(?:static|thread_local)\s+(?!const\b|constexpr\b|constinit\b|inline const)"
    r"(?:static |thread_local |inline )?" + TYPE + r"[\s*&]+[a-zA-Z_]\w*\s*(?:\{|=|;|\[)")
# At namespace scope, or static; a plain local may be named as it likes.
CONSTANT = re.compile(
    r"^(?=\S|\s+static\b)\s*(?:(?:static|inline)\s+)*constexpr\s+(?:(?:static|inline)\s+)*" + TYPE +
    r"[\s*&]+(?:const\s+)?([a-zA-Z_]\w*)(?:\[[^\]]*\])*\s*(?:=|\{)")
OWNED_NEW = re.compile(r"\bunique_ptr<[^;]*>\s*\w*\s*[({]\s*new\b")  # a private constructor, owned at once
CONSTANT_NAMES_ALLOWED = {"value", "npos"}  # names that the standard library's templates look for


def width(line):
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


def is_code(path):
    return path.endswith(CODE_SUFFIXES)


def is_text(path):
    name = os.path.basename(path)
    if path.startswith(DATA_FOLDERS) or name in DATA_FILES:
        return False
    if name.endswith(".txt") and name not in TEXT_FILES:
        return False
    return path.endswith(TEXT_SUFFIXES) or "." not in os.path.basename(path)


def is_unit_test(path):
    return re.search(r"_(test|fuzz)\.cpp$", path) is not None


def rule_columns(path, lines, generated):
    for number, line in enumerate(lines, 1):
        columns_max = COLUMNS_MAX_PROSE if path.endswith(".md") else COLUMNS_MAX
        is_table = path.endswith(".json") or (path.endswith(".md") and line.startswith("|"))
        if not generated and not is_table and width(line) > columns_max:
            yield number, "columns", f"{width(line)} columns, {columns_max} at most"


def rule_white_space(path, lines, generated):
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() and not path.endswith(".md"):
            yield number, "white-space", "white space at the end of the line"
        if "\t" in line and path.endswith((".h", ".cpp", ".py", ".ts", ".tsx", ".cmake")):
            yield number, "white-space", "a tab"


def rule_length(path, lines, generated):
    if is_code(path) and not generated and len(lines) > LINES_MAX:
        yield 1, "length", f"{len(lines)} lines, {LINES_MAX} at most: split it by its ideas"


def rule_file_name(path, lines, generated):
    stem = os.path.basename(path).split(".")[0]
    for part in re.split(r"[_-]", stem):
        if part.lower() in BAD_NAMES:
            yield 1, "file-name", f"'{part}' names no idea"


def rule_words(path, lines, generated):
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield number, "unfinished", "a note of unfinished work"
        if MACHINE_PATH.search(line):
            yield number, "machine-path", "a path of one machine"
        if REGISTRY_HOST.search(line):
            yield number, "registry-host", "the host name of a package registry"
        if ISSUE_NUMBER.search(line):
            yield number, "issue-number", "say why, not under which number it was discussed"


def rule_header(path, lines, generated):
    if not path.endswith(".h"):
        return
    if not any(line.strip() == "#pragma once" for line in lines):
        yield 1, "pragma-once", "a header needs #pragma once"
    if not lines or not lines[0].startswith("//"):
        yield 1, "header-comment", "a header begins with a comment: what it does, lifetime, threads, errors"


def rule_statements(path, lines, generated):
    """Rules on C++ text without comments and literals."""
    if not path.endswith(source_tree.CPP_SUFFIXES):
        return
    code = source_tree.strip_cpp("\n".join(lines)).split("\n")
    for number, line in enumerate(code, 1):
        if re.search(r"\bthrow\b", line):
            yield number, "throw", "we throw nothing: return a Result"
        statement = code[number - 2].rstrip() + line.lstrip() if number > 1 else line
        if re.search(r"(?<!operator )(?<!::)\bnew\b", line) and not OWNED_NEW.search(statement) \
                and not line.lstrip().startswith("#"):
            yield number, "naked-new", "no naked new: std::make_unique, a container"
        if re.search(r"(?<!operator )\bdelete\b(?!\s*;?\s*$)(?!\s*[;,)])", line) or \
                re.search(r"\bdelete\s*\[", line):
            yield number, "naked-delete", "no naked delete"
        if re.search(r"\bstd::(basic_)?regex\b|<regex>", line):
            yield number, "std-regex", "std::regex recurses by the length of its input"
        if re.search(r"\busing namespace\b", line) and path.endswith(".h"):
            yield number, "using-namespace", "no using namespace in a header"
        if re.search(r"\b(secure_)?getenv\b", line) and not path.startswith(ENVIRONMENT_READERS) \
                and not is_unit_test(path):
            yield number, "getenv", "only app/commands and app/config read the environment"
        name = match.group(1) if (match := CONSTANT.match(line)) else "kNone"
        if not re.match(r"k[A-Z0-9]", name) and name not in CONSTANT_NAMES_ALLOWED:
            yield number, "constant-name", f"a constant is called kName, not {name}"
        if not generated and not is_unit_test(path) and (MUTABLE_STATIC.match(line) or (
                MUTABLE_NAMESPACE_SCOPE.match(line) and not NOT_A_VARIABLE.match(line))):
            yield number, "mutable-global", "no mutable globals and no singletons"


def rule_commented_code(path, lines, generated):
    if not path.endswith(source_tree.CPP_SUFFIXES):
        return
    for number, line in enumerate(lines, 1):
        if COMMENTED_CODE.match(line):
            yield number, "commented-code", "commented-out code"


def rule_test_names(path, lines, generated):
    if not is_unit_test(path):
        return
    for number, line in enumerate(lines, 1):
        match = re.search(r'\bTEST_CASE(?:_TEMPLATE)?\(\s*"([^"]*)"', line)
        if match and " " not in match.group(1).strip():
            yield number, "test-name", f'"{match.group(1)}" is no sentence'


RULES = (rule_columns, rule_white_space, rule_length, rule_file_name, rule_words, rule_header,
         rule_statements, rule_commented_code, rule_test_names)


def check_text(path, text):
    """Faults (line, rule, message) of one file."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    generated = any(GENERATED.search(line) for line in lines[:3])
    for rule in RULES:
        for number, name, message in rule(path, lines, generated):
            line = lines[number - 1] if lines else ""
            if not re.search(rf"(//|#) tidy: {re.escape(name)}, \w", line):
                yield number, name, message


def check_rooms(root, paths):
    for path in paths:
        if path.endswith("/CMakeLists.txt") and "ondol_room(" in source_tree.read(root, path):
            if f"{os.path.dirname(path)}/README.md" not in paths:
                yield path, 1, "room-readme", "the room has no README.md"


def check(root, exemptions=None):
    exemptions = tidy_exemptions.EXEMPTIONS if exemptions is None else exemptions
    paths = source_tree.files(root)
    found = [(path, *fault) for path in paths if is_text(path)
             for fault in check_text(path, source_tree.read(root, path))]
    found += check_rooms(root, set(paths))
    used = {(path, rule) for path, _, rule, _ in found} & set(exemptions)
    faults = [f"{path}:{number}: [{rule}] {message}" for path, number, rule, message in sorted(found)
              if (path, rule) not in exemptions]
    for path, rule in sorted(set(exemptions) - used):
        if path in paths or path.count("/") == 0:
            faults.append(f"tests/checks/tidy_exemptions.py:1: {path} needs no exemption from [{rule}] now")
    return faults


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                           os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    faults = check(root)
    for fault in faults:
        print(fault)
    print(f"tidy: {len(faults)} faults" if faults else "tidy: in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""The files of the project as the checks see them: everything but what is built, fetched or data."""
import os

IGNORED_FOLDERS = {".git", "build", "node_modules", "dist", ".venv", "__pycache__", ".pytest_cache",
                   "test-results", "playwright-report"}
CPP_SUFFIXES = (".h", ".cpp", ".cu")


def files(root):
    """Paths relative to `root`, with '/', sorted."""
    found = []
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders if name not in IGNORED_FOLDERS)
        for name in names:
            found.append(os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/"))
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def strip_cpp(text):
    """C++ text with comments and the insides of literals blanked; lines and columns stay where they are."""
    out, index, length = [], 0, len(text)
    while index < length:
        two = text[index:index + 2]
        if two == "//":
            end = text.find("\n", index)
            end = length if end < 0 else end
            out.append(" " * (end - index))
        elif two == "/*":
            end = text.find("*/", index + 2)
            end = length if end < 0 else end + 2
            out.append(_blank(text[index:end]))
        elif two == 'R"':
            mark = text.find("(", index)
            close = ")" + text[index + 2:mark] + '"'
            end = text.find(close, mark)
            end = length if end < 0 else end + len(close)
            out.append('R"' + _blank(text[index + 2:end - 1]) + '"')
        elif text[index] == '"' or (text[index] == "'" and not _is_digit_separator(text, index)):
            end = _literal_end(text, index)
            out.append(text[index] + _blank(text[index + 1:end - 1]) + text[index])
        else:
            end = index + 1
            out.append(text[index])
        index = end
    return "".join(out)


def _blank(text):
    return "".join("\n" if char == "\n" else " " for char in text)


def _is_digit_separator(text, index):
    return index > 0 and text[index - 1].isalnum() and index + 1 < len(text) and text[index + 1].isalnum() \
        and text[index - 1] not in "uUL"


def _literal_end(text, start):
    index = start + 1
    while index < len(text) and text[index] != text[start] and text[index] != "\n":
        index += 2 if text[index] == "\\" else 1
    return min(index + 1, len(text))

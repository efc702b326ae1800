#!/usr/bin/env python3
"""The layer check: kernels <- core <- app, along the edges of ROOMS only.

Reads the #includes of every room and the DEPS of every CMakeLists.txt. Prints one line per fault,
"path:line: what is wrong", and fails if there is any."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import source_tree  # noqa: E402
import third_party  # noqa: E402

# What each room may include; edges are transitive, and every room of core and app may include core/base.
ROOMS = {
    "kernels/base": [],
    "kernels/reference": ["kernels/base"],
    "kernels/cpu": ["kernels/reference"],
    "kernels/cuda": ["kernels/base"],
    "core/base": [],
    "core/gguf": ["core/base", "kernels/base"],
    "core/tokenizer": ["core/gguf"],
    "core/chat": ["core/tokenizer"],
    "core/grammar": ["core/tokenizer"],
    "core/model": ["core/gguf", "kernels/base", "kernels/reference", "kernels/cpu"],
    "core/kv": ["kernels/base"],
    "core/sampling": ["core/grammar"],
    "core/runner": ["core/model", "core/kv"],
    "core/speculative": ["core/runner", "core/sampling"],
    "core/scheduler": ["core/speculative"],
    "core/engine": ["core/scheduler", "core/chat"],
    "core/cluster": ["core/engine"],
    "core/plan": ["core/engine", "core/gguf"],
    "core/quantize": ["core/engine", "core/gguf"],
    "core/eval": ["core/engine", "core/gguf"],
    "core/distill": ["core/engine", "core/gguf"],
    "app/config": ["core/cluster", "core/plan", "core/quantize", "core/eval", "core/distill"],
    "app/store": ["core/base"],
    "app/auth": ["app/store"],
    "app/intents": ["core/base"],
    "app/router": ["core/cluster"],
    "app/metrics": ["core/base"],
    "app/api": ["app/router", "app/auth", "app/intents", "app/metrics"],
    "app/commands": ["app/config", "app/api", "core/plan", "core/quantize", "core/eval", "core/distill"],
    "app": ["app/commands"],  # main.cpp alone
}
LAYERS = ("kernels", "core", "app")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CMAKE_ROOM = re.compile(r"ondol_room\(\s*(\S+?)\s*(?:\s([^)]*))?\)", re.S)


def room_of(path, rooms):
    """The room that owns a file: the deepest room whose folder holds it, or None."""
    folder = os.path.dirname(path)
    while folder:
        if folder in rooms and not (folder == "app" and os.path.dirname(path) != "app"):
            return folder
        folder = os.path.dirname(folder)
    return None


def reachable(rooms):
    """For each room all that it may include: itself, its edges' closure, and core/base above the kernels."""
    closure = {}
    for room in rooms:
        seen, waiting = set(), [room]
        while waiting:
            current = waiting.pop()
            if current not in seen:
                seen.add(current)
                waiting.extend(rooms.get(current, []))
        if not room.startswith("kernels/"):
            seen.add("core/base")
        closure[room] = seen
    return closure


def find_cycle(edges):
    """One cycle in {node: set of nodes}, as a list that ends where it begins, or None."""
    done = set()

    def visit(node, trail):
        if node in trail:
            return trail[trail.index(node):] + [node]
        if node in done:
            return None
        for following in sorted(edges.get(node, ())):
            if cycle := visit(following, trail + [node]):
                return cycle
        done.add(node)
        return None

    for start in sorted(edges):
        if cycle := visit(start, []):
            return cycle
    return None


def is_test(path):
    return re.search(r"_(test|fuzz)\.(cpp|cu)$", path) is not None


def listed(header, table):
    """The rooms of the table's entry for a header, or None if it has none."""
    for key, rooms in table.items():
        if header == key or (key[-1] in "/_" and header.startswith(key)):
            return rooms
    return None


def may_use(path, room, rooms):
    if is_test(path) and "tests" in rooms:
        return True
    return any(room == allowed or room.startswith(allowed + "/") for allowed in rooms)


def check_foreign_header(path, room, header):
    """What is wrong with including a header that is not the project's, or None."""
    for table, kind in ((third_party.THIRD_PARTY, "third-party"), (third_party.SYSTEM, "system")):
        rooms = listed(header, table)
        if rooms is not None:
            if may_use(path, room, rooms):
                return None
            return (f"{kind} header <{header}> is not for {room} "
                    f"(tests/checks/third_party.py: {', '.join(rooms) or 'no room'})")
    if header in third_party.ANYWHERE or header.startswith(third_party.ANYWHERE_PREFIXES):
        return None
    return f"header <{header}> is listed nowhere in tests/checks/third_party.py"


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match.group(1), match.group(2)


def check_file(path, text, root_files, rooms, closure, edges):
    """Faults of one source file; what it includes is added to `edges`."""
    room = room_of(path, rooms)
    if room is None:
        return [f"{path}:1: this folder is no room of tests/checks/layers.py"]
    faults = []
    for number, quote, header in includes(text):
        place = f"{path}:{number}"
        if header.split("/")[0] in LAYERS:
            target = room_of(header, rooms)
            if target is None:
                faults.append(f"{place}: {header} lies in no room of tests/checks/layers.py")
                continue
            if target != room:
                edges.setdefault(room, set()).add(target)
            if target not in closure[room]:
                faults.append(f"{place}: {room} may not include {target} ({header})")
        elif quote == '"' and header.startswith("tests/"):
            if not is_test(path):
                faults.append(f"{place}: only tests include {header}")
        elif quote == '"' and f"{os.path.dirname(path)}/{header}" in root_files:
            faults.append(f'{place}: write the path from the root: "{os.path.dirname(path)}/{header}"')
        elif fault := check_foreign_header(path, room, header):
            faults.append(f"{place}: {fault}")
    return faults


def cmake_rooms(text):
    """(room, DEPS, line) of each ondol_room() call; a comment is not a call."""
    text = re.sub(r"#[^\n]*", lambda match: " " * len(match.group()), text)
    for match in CMAKE_ROOM.finditer(text):
        words, deps, keyword = (match.group(2) or "").split(), [], None
        for word in words:
            if word in ("DEPS", "LIBS", "SOURCES", "GENERATED"):
                keyword = word
            elif keyword == "DEPS":
                deps.append(word)
        yield match.group(1), deps, text.count("\n", 0, match.start()) + 1


def check_cmake(path, text, rooms, closure):
    faults = []
    for room, deps, number in cmake_rooms(text):
        if room.startswith("${"):
            continue
        if room not in rooms:
            faults.append(f"{path}:{number}: {room} is no room of tests/checks/layers.py")
            continue
        if room != os.path.dirname(path):
            faults.append(f"{path}:{number}: {room} is declared outside its folder")
        for dep in deps:
            if dep not in closure[room]:
                faults.append(f"{path}:{number}: {room} may not depend on {dep}")
    return faults


def check(root, rooms=None):
    """All faults of the tree below `root`."""
    rooms = ROOMS if rooms is None else rooms
    closure = reachable(rooms)
    faults, edges = [], {}
    if cycle := find_cycle({room: set(targets) for room, targets in rooms.items()}):
        faults.append(f"tests/checks/layers.py:1: the table itself has a cycle: {' -> '.join(cycle)}")
    files = source_tree.files(root)
    names = set(files)
    for path in files:
        if path.split("/")[0] not in LAYERS:
            continue
        text = source_tree.read(root, path)
        if path.endswith(source_tree.CPP_SUFFIXES):
            faults += check_file(path, text, names, rooms, closure, edges)
        elif os.path.basename(path) == "CMakeLists.txt":
            faults += check_cmake(path, text, rooms, closure)
    if cycle := find_cycle(edges):
        faults.append(f"{cycle[0]}:1: rooms include each other in a cycle: {' -> '.join(cycle)}")
    return faults


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                           os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    faults = check(root)
    for fault in faults:
        print(fault)
    print(f"layers: {len(faults)} faults" if faults else "layers: in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""Which test and fuzz programs there must be, read from the source tree: what is not built is missed."""
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "checks"))
import source_tree  # noqa: E402

LAYERS = ("kernels/", "core/", "app/")


def _room(path, paths):
    """The folder of the nearest CMakeLists.txt that declares a room."""
    folder = os.path.dirname(path)
    while folder:
        cmake = f"{folder}/CMakeLists.txt"
        if cmake in paths and "ondol_room(" in source_tree.read(ROOT, cmake):
            return folder
        folder = os.path.dirname(folder)
    return os.path.dirname(path)


def unit_programs():
    """{target: path below the build folder}, one for each room that holds a *_test.cpp."""
    paths = set(source_tree.files(ROOT))
    rooms = sorted({_room(path, paths) for path in paths
                    if path.startswith(LAYERS) and path.endswith("_test.cpp")})
    return {room.replace("/", "_") + "_test": f"{room}/{room.replace('/', '_')}_test" for room in rooms}


def fuzz_programs():
    """{target: path below the build folder}, one for each *_fuzz.cpp."""
    paths = set(source_tree.files(ROOT))
    found = {}
    for path in sorted(paths):
        if path.startswith(LAYERS) and path.endswith("_fuzz.cpp"):
            room = _room(path, paths)
            target = f"{room.replace('/', '_')}_{os.path.basename(path).removesuffix('.cpp')}"
            found[target] = f"{room}/{target}"
    return found


def fuzz_seeds(target):
    """The folder of a target's seeds: tests/fuzz/corpus/NAME for NAME_fuzz.cpp. It need not exist."""
    stems = [os.path.basename(path).removesuffix("_fuzz.cpp") for path in source_tree.files(ROOT)
             if path.startswith(LAYERS) and path.endswith("_fuzz.cpp")]
    return "tests/fuzz/corpus/" + next(stem for stem in stems if target.endswith(f"_{stem}_fuzz"))


def room_sources():
    """C++ files of the rooms that clang-tidy looks at: no tests, no generated tables."""
    return [path for path in source_tree.files(ROOT)
            if path.startswith(LAYERS) and re.search(r"(?<!_test)(?<!_fuzz)\.cpp$", path)]

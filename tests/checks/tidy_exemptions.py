"""Where a rule of tidy.py does not hold, and why: (path, rule) -> reason. An entry that is no longer
needed is itself a fault."""

EXEMPTIONS = {
    ("core/base/bus_error.cpp", "mutable-global"): "a signal handler is given no state",
    ("core/base/clock.cpp", "mutable-global"): "the system clock has no state",
    ("core/base/temporary_folder.cpp", "getenv"): "tests only: TMPDIR says where temporary files go",
    ("core/base/file.cpp", "mutable-global"): "the real file system has no state",
}

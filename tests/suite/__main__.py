"""Runs the parts in order and sums up. Called by tests/run."""
import argparse
import fnmatch
import os
import sys
import time

import parts
import report as results

# name, what it does, in --quick too
PARTS = [
    ("dependencies", parts.dependencies, True),
    ("checks", parts.checks, True),
    ("models", parts.models, True),
    ("page-build", parts.page_build, True),
    ("page-unit", parts.page_unit, True),
    ("unit", parts.unit_release, True),
    ("static", parts.static_program, True),
    ("quickstart", parts.quickstart, True),
    ("black-box", parts.black_box, False),
    ("page-browser", parts.page_browser, False),
    ("asan", parts.unit_asan, False),
    ("tsan", parts.unit_tsan, False),
    ("fuzz", parts.fuzz, False),
    ("clang-tidy", parts.clang_tidy, False),
]
NEEDED_ALWAYS = ("dependencies",)


class Run:
    """What the parts know about this run."""

    def __init__(self, options):
        self.report = results.Report()
        self.quick, self.pattern = options.quick, options.only
        self.fuzz_seconds, self.tidy_seconds = options.fuzz_seconds, options.tidy_seconds
        self.part = ""

    def wants(self, item):
        """Whether --only asks for an item of the current part: by part, by "part:item", or by item."""
        if not self.pattern:
            return True
        part_pattern, _, item_pattern = self.pattern.partition(":")
        if item_pattern:
            return self.part == part_pattern and fnmatch.fnmatch(item, f"*{item_pattern}*")
        return self.part == self.pattern or fnmatch.fnmatch(item, f"*{self.pattern}*")

    def choose(self, programs):
        return {name: place for name, place in programs.items() if self.wants(name)}


def selected(options):
    if not options.only:
        return [part for part in PARTS if part[2] or not options.quick]
    wanted = options.only.partition(":")[0]
    names = [name for name, _, _ in PARTS]
    chosen = [wanted] if wanted in names else ["unit", "black-box"]  # a room's or a folder's name
    return [part for part in PARTS if part[0] in chosen or part[0] in NEEDED_ALWAYS]


def main():
    parser = argparse.ArgumentParser(
        prog="tests/run", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Installs what the tests need, builds, runs every test, and sums up.",
        epilog="parts: " + " ".join(name for name, _, _ in PARTS) +
               "\nThe last line is 'N passed, N failed'; the exit code is 0 only if nothing failed.")
    parser.add_argument("--quick", action="store_true", help="checks, unit tests and one question; minutes")
    parser.add_argument("--only", metavar="PATTERN", help="a part (asan), one item of it (asan:core_kv), "
                        "or the unit and black-box tests whose names match (core_kv, api)")
    parser.add_argument("--fuzz-seconds", type=int, default=20, metavar="N",
                        help="for each fuzz target (20)")
    parser.add_argument("--tidy-seconds", type=int, default=420, metavar="N",
                        help="for clang-tidy in all (420)")
    options = parser.parse_args()
    os.makedirs(parts.path("build"), exist_ok=True)
    run = Run(options)
    for name, function, _ in selected(options):
        print(f"\n{name}", flush=True)
        run.part, started = name, time.monotonic()
        try:
            function(run)
        except Exception as error:  # a fault of the suite itself must not look like success
            run.report.add(results.Outcome(name, 0, 1, output=f"the test suite failed: {error!r}"))
        run.report.part(name, time.monotonic() - started)
    return run.report.close()


sys.exit(main())

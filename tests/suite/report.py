"""What happened, counted honestly: a crash, a time-out, a missing program and an unreadable result are
failures; what was skipped is named with its reason and is not among the passed."""
import os
import re
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree

SUMMARY = re.compile(r"\[doctest\] test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed\s*\|"
                     r"(?:\s*(\d+) skipped)?")
SKIP = re.compile(r"^ondol-skip: (.*)$", re.M)
OUTPUT_LINES_SHOWN = 60


class Outcome:
    """The outcome of one item (a program, a check): counts, reasons and what to show."""

    def __init__(self, name, passed=0, failed=0, skips=(), output=""):
        self.name, self.passed, self.failed = name, passed, failed
        self.skips, self.output, self.seconds = list(skips), output, 0.0


class Report:
    """Collects outcomes; any thread may add one."""

    def __init__(self):
        self.lock = threading.Lock()
        self.outcomes, self.parts = [], []

    def add(self, outcome):
        with self.lock:
            self.outcomes.append(outcome)
            counts = ", ".join(f"{count} {what}" for count, what in (
                (outcome.passed, "passed"), (outcome.failed, "FAILED"), (len(outcome.skips), "skipped"))
                if count) or "done"
            word = "FAIL" if outcome.failed else "ok  "
            print(f"  {word} {outcome.name}: {counts} ({outcome.seconds:.1f} s)")
            if outcome.failed:
                lines = outcome.output.strip().splitlines()
                for line in lines[-OUTPUT_LINES_SHOWN:]:
                    print(f"       | {line}")
            print(end="", flush=True)

    def part(self, name, seconds):
        self.parts.append((name, seconds))

    def close(self):
        """Prints the times, the skips, the failures and the closing line; returns the exit code."""
        print("\nTime by part:")
        for name, seconds in self.parts:
            print(f"  {name:14} {seconds:7.1f} s")
        skips = [f"{outcome.name}: {reason}" for outcome in self.outcomes for reason in outcome.skips]
        if skips:
            print("\nSkipped:")
            for line in skips:
                print(f"  {line}")
        failures = [outcome for outcome in self.outcomes if outcome.failed]
        if failures:
            print("\nFailed:")
            for outcome in failures:
                print(f"  {outcome.name}: {outcome.failed}")
        passed = sum(outcome.passed for outcome in self.outcomes)
        failed = sum(outcome.failed for outcome in self.outcomes)
        if passed + failed == 0:
            print("\nno test was run")
            failed = 1
        skipped = f", {len(skips)} skipped" if skips else ""
        print(f"\n{passed} passed, {failed} failed{skipped}", flush=True)
        return 1 if failed else 0


def run(command, timeout_s, cwd=None, environment=None):
    """(exit code, output, seconds); the exit code is None after a time-out. The whole process group ends
    with it. Exit codes below zero are signals."""
    started = time.monotonic()
    try:
        process = subprocess.Popen(command, cwd=cwd, env={**os.environ, **(environment or {})},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
    except OSError as error:
        return 127, str(error), 0.0
    try:
        output, _ = process.communicate(timeout=timeout_s)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        output += f"\nno end within {timeout_s} s\n".encode()
        code = None
    return code, output.decode(errors="replace"), time.monotonic() - started


def describe(code):
    if code is None:
        return "timed out"
    return f"ended by signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"exit code {code}"


def from_command(name, command, timeout_s, cwd=None, environment=None):
    """One item that is one test: it passes if the command ends with 0."""
    code, output, seconds = run(command, timeout_s, cwd, environment)
    good = code == 0
    outcome = Outcome(name, int(good), int(not good), output=output + ("" if good else f"\n{describe(code)}"))
    outcome.seconds = seconds
    return outcome


def from_setup(name, command, timeout_s, cwd=None, environment=None):
    """A step that prepares the tests: it counts when it fails, and is no passed test when it works."""
    outcome = from_command(name, command, timeout_s, cwd, environment)
    outcome.passed = 0
    return outcome


def read_doctest(name, code, output):
    """Counts test cases from doctest's summary; those that say "ondol-skip:" (tests/skip.h) did not pass."""
    match = SUMMARY.search(output)
    if not match:
        return Outcome(name, 0, 1, output=f"{output}\nno summary; {describe(code)}")
    total, passed, failed, hidden = (int(group or 0) for group in match.groups())
    skips = sorted(set(SKIP.findall(output)))
    skips += ["a test case that is marked as skipped in its source"] * hidden
    if code != 0 and failed == 0:
        failed, output = 1, f"{output}\nthe summary is good, but: {describe(code)}"
    if total == 0 and failed == 0:
        failed, output = 1, f"{output}\nthe program holds no test case"
    return Outcome(name, max(0, passed - len(set(SKIP.findall(output)))), failed, skips, output)


def read_unittest(name, code, output):
    match = re.search(r"^Ran (\d+) tests? in", output, re.M)
    if not match:
        return Outcome(name, 0, 1, output=f"{output}\nno summary; {describe(code)}")
    words = dict(re.findall(r"(failures|errors|skipped)=(\d+)", output.splitlines()[-1]))
    failed = int(words.get("failures", 0)) + int(words.get("errors", 0))
    skipped = int(words.get("skipped", 0))
    if (code != 0 or int(match.group(1)) == 0) and failed == 0:
        failed = 1
    return Outcome(name, max(0, int(match.group(1)) - failed - skipped), failed,
                   ["a skipped check"] * skipped, output)


def read_junit(name, code, output, path):
    """Counts from pytest's JUnit file."""
    try:
        suites = list(xml.etree.ElementTree.parse(path).getroot().iter("testsuite"))
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        return Outcome(name, 0, 1, output=f"{output}\nno result file ({error}); {describe(code)}")
    passed, failed, skips = 0, 0, []
    for case in (case for suite in suites for case in suite.iter("testcase")):
        label = f"{case.get('classname')}.{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif skipped is not None:
            skips.append(f"{label}: {skipped.get('message') or 'no reason given'}")
        else:
            passed += 1
    if failed == 0 and (code != 0 or passed + len(skips) == 0):
        failed, output = 1, f"{output}\n{describe(code)}, {passed} passed"
    return Outcome(name, passed, failed, skips, output)


def read_vitest(name, code, output, data):
    """Counts from vitest's JSON reporter."""
    passed, failed = data.get("numPassedTests", 0), data.get("numFailedTests", 0)
    skips = [f"{case['fullName']}: marked as {case['status']} in its source"
             for result in data.get("testResults", []) for case in result.get("assertionResults", [])
             if case["status"] not in ("passed", "failed")]
    if failed == 0 and (code != 0 or not data.get("success") or passed == 0):
        failed, output = 1, f"{output}\n{describe(code)}, {passed} passed"
    return Outcome(name, passed, failed, skips, output)


def read_playwright(name, code, output, data):
    """Counts from Playwright's JSON reporter; a test that needed a second try counts as failed."""
    stats = data.get("stats", {})
    passed, failed = stats.get("expected", 0), stats.get("unexpected", 0) + stats.get("flaky", 0)
    skips = ["a page test that is marked as skipped in its source"] * stats.get("skipped", 0)
    if failed == 0 and (code != 0 or data.get("errors") or passed == 0):
        failed, output = 1, f"{output}\n{describe(code)}, {passed} passed"
    return Outcome(name, passed, failed, skips, output)

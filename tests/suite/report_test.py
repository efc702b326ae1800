"""The counting is honest: what crashed, is missing, or was skipped never counts as passed."""
import sys
import tempfile
import unittest

import report

DOCTEST_GOOD = "[doctest] test cases:  3 |  3 passed | 0 failed | 0 skipped\n[doctest] Status: SUCCESS!\n"


class DoctestTest(unittest.TestCase):
    def counts(self, code, output):
        outcome = report.read_doctest("room", code, output)
        return outcome.passed, outcome.failed, len(outcome.skips)

    def test_the_cases_of_the_summary_are_counted(self):
        self.assertEqual(self.counts(0, DOCTEST_GOOD), (3, 0, 0))
        self.assertEqual(self.counts(1, DOCTEST_GOOD.replace("3 passed | 0", "1 passed | 2")), (1, 2, 0))

    def test_a_crash_without_a_summary_is_a_failure(self):
        self.assertEqual(self.counts(-11, "Segmentation fault\n"), (0, 1, 0))
        self.assertEqual(self.counts(None, "no end"), (0, 1, 0))

    def test_a_good_summary_with_a_bad_exit_code_is_a_failure(self):
        self.assertEqual(self.counts(66, DOCTEST_GOOD), (3, 1, 0))

    def test_a_skipped_case_is_not_passed_and_is_counted_once(self):
        line = "ondol-skip: kernels: AVX-512 rows: this processor has none\n"
        self.assertEqual(self.counts(0, line + line + DOCTEST_GOOD), (2, 0, 1))

    def test_a_program_without_cases_is_a_failure(self):
        self.assertEqual(self.counts(0, DOCTEST_GOOD.replace("3", "0")), (0, 1, 0))


class OtherReadersTest(unittest.TestCase):
    def test_unittest(self):
        outcome = report.read_unittest("checks", 1, "Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=2)")
        self.assertEqual((outcome.passed, outcome.failed), (2, 3))
        self.assertEqual(report.read_unittest("checks", 1, "ImportError").failed, 1)

    def test_junit(self):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write('<testsuites><testsuite><testcase classname="a" name="b"/>'
                       '<testcase classname="a" name="c"><failure/></testcase>'
                       '<testcase classname="a" name="d"><skipped message="no GPU"/></testcase>'
                       "</testsuite></testsuites>")
            file.flush()
            outcome = report.read_junit("api", 1, "", file.name)
        self.assertEqual((outcome.passed, outcome.failed, outcome.skips), (1, 1, ["a.d: no GPU"]))
        self.assertEqual(report.read_junit("api", 0, "", "/nonexistent").failed, 1)

    def test_vitest_and_playwright(self):
        outcome = report.read_vitest("page", 0, "", {"numPassedTests": 4, "success": True})
        self.assertEqual((outcome.passed, outcome.failed), (4, 0))
        self.assertEqual(report.read_vitest("page", 1, "", {}).failed, 1)
        stats = {"expected": 2, "unexpected": 0, "flaky": 1, "skipped": 1}
        outcome = report.read_playwright("page", 0, "", {"stats": stats})
        self.assertEqual((outcome.passed, outcome.failed, len(outcome.skips)), (2, 1, 1))


class RunTest(unittest.TestCase):
    def test_a_command_that_is_not_there_fails(self):
        self.assertEqual(report.from_command("x", ["/nonexistent"], 5).failed, 1)

    def test_a_command_that_does_not_end_fails(self):
        outcome = report.from_command("x", [sys.executable, "-c", "import time; time.sleep(60)"], 1)
        self.assertEqual((outcome.passed, outcome.failed), (0, 1))
        self.assertIn("no end within 1 s", outcome.output)

    def test_a_set_up_step_counts_only_when_it_fails(self):
        good, bad = [[sys.executable, "-c", f"raise SystemExit({code})"] for code in (0, 1)]
        outcome = report.from_setup("x", good, 60)
        self.assertEqual((outcome.passed, outcome.failed), (0, 0))
        self.assertEqual(report.from_setup("x", bad, 60).failed, 1)


if __name__ == "__main__":
    unittest.main()

"""Every package that is installed has its reason in DEPENDENCIES.md."""
import json
import os
import re
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(FOLDER)


def text_of(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


class DependenciesTest(unittest.TestCase):
    def setUp(self):
        rows = [line for line in text_of(FOLDER, "DEPENDENCIES.md").splitlines() if line.startswith("| ")]
        self.named = set(re.findall(r"`([^`]+)`", "\n".join(row.split("|")[1] for row in rows)))

    def assert_named(self, packages):
        self.assertEqual(sorted(set(packages) - self.named), [], "not in the first column of DEPENDENCIES.md")

    def test_debian_packages(self):
        lines = text_of(FOLDER, "debian-packages.txt").splitlines()
        self.assert_named(line.split()[1] for line in lines if line.strip() and not line.startswith("#"))

    def test_python_packages(self):
        lines = text_of(ROOT, "tests", "requirements.txt").splitlines()
        direct = [line for line in lines if line and not line.startswith("#") and "# via" not in line]
        self.assert_named(line.split("==")[0] for line in direct)

    def test_page_packages(self):
        if not os.path.exists(os.path.join(ROOT, "web", "package.json")):
            self.skipTest("there is no page yet")
        package = json.loads(text_of(ROOT, "web", "package.json"))
        self.assert_named([*package.get("dependencies", {}), *package.get("devDependencies", {})])


if __name__ == "__main__":
    unittest.main()

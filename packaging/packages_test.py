"""Every package that is installed has its reason in DEPENDENCIES.md, and every one that is shipped its notice
in THIRD_PARTY.txt."""
import json
import os
import re
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(FOLDER)
SHIPPED = ("In the program", "In the browser page")  # headings of DEPENDENCIES.md


def text_of(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def rows_of_dependencies():
    """(heading, cells) of every package's row."""
    heading, rows = "", []
    for line in text_of(FOLDER, "DEPENDENCIES.md").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("| `"):
            rows.append((heading, [cell.strip().strip("`") for cell in line.strip("| ").split(" | ")]))
    return rows


class DependenciesTest(unittest.TestCase):
    def setUp(self):
        self.rows = rows_of_dependencies()
        self.named = {cells[0] for _, cells in self.rows}

    def assert_named(self, packages):
        self.assertEqual(sorted(set(packages) - self.named), [], "not in the first column of DEPENDENCIES.md")

    def test_debian_packages(self):
        lines = text_of(FOLDER, "debian-packages.txt").splitlines()
        self.assert_named(line.split()[1] for line in lines if line.strip() and not line.startswith("#"))

    def test_python_packages(self):
        lines = text_of(ROOT, "tests", "requirements.txt").splitlines()
        direct = [line for line in lines if line and not line.startswith("#") and "# via" not in line]
        self.assert_named(line.split("==")[0] for line in direct)

    def test_page_packages_with_version_and_licence(self):
        package = json.loads(text_of(ROOT, "web", "package.json"))
        lock = json.loads(text_of(ROOT, "web", "package-lock.json"))["packages"]
        written = {heading: {cells[0]: (cells[1], cells[3]) for at, cells in self.rows if at == heading}
                   for heading in ("In the browser page", "To build and to test the page")}
        for heading, key in zip(written, ("dependencies", "devDependencies")):
            installed = {}
            for name, version in package[key].items():
                locked = lock["node_modules/" + name]
                self.assertEqual(locked["version"], version, name)
                licences = sorted(locked["license"].strip("()").split(" OR "))
                installed[name] = (version, " or ".join(licences))
            self.assertEqual(written[heading], installed)

    def test_what_the_page_bundles_is_what_is_named(self):
        lock = json.loads(text_of(ROOT, "web", "package-lock.json"))["packages"]
        bundled = {path.removeprefix("node_modules/") for path, entry in lock.items()
                   if path and not entry.get("dev") and not entry.get("optional")}
        self.assertEqual(bundled, set(json.loads(text_of(ROOT, "web", "package.json"))["dependencies"]))

    def test_what_is_shipped_has_its_notice(self):
        notices = text_of(FOLDER, "THIRD_PARTY.txt")
        for heading, cells in self.rows:
            if heading in SHIPPED:
                name = cells[0] + (" " + cells[1] if heading == "In the browser page" else "")
                self.assertRegex(notices, rf"(?m)^{re.escape(name)} \(.+\)\n  Copyright ")

    def test_notices_are_those_of_the_packages(self):
        modules = os.path.join(ROOT, "web", "node_modules")
        if not os.path.isdir(modules):
            self.skipTest("web/node_modules is not installed")
        notices = text_of(FOLDER, "THIRD_PARTY.txt").lower().replace("©", "(c)")
        for name in json.loads(text_of(ROOT, "web", "package.json"))["dependencies"]:
            folder = os.path.join(modules, name)
            for file in (file for file in os.listdir(folder) if re.match(r"licen[cs]e(\.\w+)?$", file, re.I)):
                for line in text_of(folder, file).lower().replace("©", "(c)").splitlines():
                    if re.match(r"copyright \(c\) \d", line):
                        self.assertIn(line.rstrip(". "), notices, name)


if __name__ == "__main__":
    unittest.main()

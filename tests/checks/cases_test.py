"""Every fault that users of comparable servers reported, in the areas built so far, is a test with the case's
id in its name; the few that need a later part are listed here with that part."""

import os
import re
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
CASES = {
    "tokenizer": ["B01", "B03"],
    "template": ["B04", "B05", "B09"],
    "streaming": ["B07", "B11", "B17", "B18", "B19"],
    "API": ["B12", "B22", "B23", "B25", "B33", "B35", "X26", "X33", "X34", "X45"],
    "stop": ["B14"],
    "sampling": ["B29", "B30", "B31"],
    "tools": ["B45"],
    "batching": ["B46", "B52"],
    "long context": ["B34", "X43"],
    "model load": ["B60", "X01", "X02", "X03", "X04"],
    "metrics": ["X31", "X32"],
    "Korean-CJK": ["B42", "X14", "X42"],
    "packaging": ["X25"],
    "UI": ["X15", "X16", "X18", "X19", "X27"],
}
LATER = {
    "B42": "constrained output (core/grammar)",
    "X45": "files the server writes (app/store, the cache on disk): it writes none yet",
}
TEST_LINE = re.compile(r'(?:TEST_CASE\(|\bdef test_|\btest\(|\bit\(|describe\()\s*["\'`]?[^"\'`\n]*')


def test_names():
    names = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in (".git", "build", "node_modules", "dist")]
        for name in files:
            if re.search(r"(_test\.cpp|^test_.*\.py|\.(test|spec)\.(ts|tsx|mjs|js))$", name):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    names += TEST_LINE.findall(file.read())
    return names


class CasesTest(unittest.TestCase):
    def test_every_case_is_a_test_or_waits_for_a_named_part(self):
        names = "\n".join(test_names())
        missing = [
            f"{case} ({area})"
            for area, cases in CASES.items()
            for case in cases
            if case not in LATER and not re.search(rf"(?<![A-Z0-9]){case}(?![0-9])", names)
        ]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()

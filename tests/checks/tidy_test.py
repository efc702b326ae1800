"""The tidy check catches what it is there to catch, and lets good lines pass."""
import os
import tempfile
import unittest

import source_tree
import tidy


def rules(path, text):
    return [rule for _, rule, _ in tidy.check_text(path, text)]


def rules_cpp(*lines):
    return rules("core/base/thing.cpp", "\n".join(lines) + "\n")


class TidyTest(unittest.TestCase):
    def test_a_good_file_has_no_fault(self):
        header = "// What it does.\n#pragma once\n\nnamespace ondol {\nint f(int x);\n}  // namespace ondol\n"
        self.assertEqual(rules("core/base/thing.h", header), [])

    def test_columns(self):
        self.assertEqual(rules_cpp("// " + "x" * 107), [])
        self.assertEqual(rules_cpp("// " + "x" * 108), ["columns"])
        self.assertEqual(rules_cpp("// " + "\uac00" * 54), ["columns"])  # Hangul is two columns wide
        self.assertEqual(rules("a.md", "| " + "x" * 120 + " |\n"), [])

    def test_length(self):
        self.assertEqual(rules_cpp(*["int f();"] * 500), [])
        self.assertEqual(rules_cpp(*["int f();"] * 501), ["length"])

    def test_a_generated_file_may_be_long_and_wide(self):
        self.assertEqual(rules_cpp("// Made by make_tables.py; do not edit.", *["// " + "x" * 150] * 600), [])

    def test_white_space(self):
        self.assertEqual(rules_cpp("int f(); "), ["white-space"])
        self.assertEqual(rules_cpp("\tint f();"), ["white-space"])

    def test_file_names(self):
        for name in ("utils.cpp", "string_helpers.cpp", "misc.cpp", "common.cpp"):
            self.assertEqual(rules("core/base/" + name, "\n"), ["file-name"], name)
        self.assertEqual(rules("core/base/commonplace.cpp", "\n"), [])

    def test_headers(self):
        self.assertEqual(rules("core/base/a.h", "// A.\nint f();\n"), ["pragma-once"])
        self.assertEqual(rules("core/base/a.h", "#pragma once\nint f();\n"), ["header-comment"])

    def test_throw_is_refused_outside_comments_and_literals(self):
        self.assertEqual(rules_cpp("  throw 1;"), ["throw"])
        self.assertEqual(rules_cpp("// We throw nothing."), [])
        self.assertEqual(rules_cpp('log("throw");'), [])
        self.assertEqual(rules_cpp('  auto x = R"(throw)";'), [])

    def test_naked_new_and_delete(self):
        self.assertEqual(rules_cpp("  auto* p = new Thing;"), ["naked-new"])
        self.assertEqual(rules_cpp("  std::unique_ptr<File> file(new File);"), [])
        self.assertEqual(rules_cpp("  std::unique_ptr<File> file(", "      new File(name));"), [])
        self.assertEqual(rules_cpp("  delete p;"), ["naked-delete"])
        self.assertEqual(rules_cpp("  delete[] p;"), ["naked-delete"])
        self.assertEqual(rules_cpp("  Thing(const Thing&) = delete;"), [])
        self.assertEqual(rules_cpp("#include <new>"), [])

    def test_std_regex(self):
        self.assertEqual(rules_cpp("std::regex word;")[0], "std-regex")
        self.assertEqual(rules_cpp("#include <regex>"), ["std-regex"])

    def test_commented_out_code(self):
        self.assertEqual(rules_cpp("  // value = compute(x);"), ["commented-code"])
        self.assertEqual(rules_cpp("// return 1;"), ["commented-code"])
        self.assertEqual(rules_cpp("// if (x) {"), ["commented-code"])
        self.assertEqual(rules_cpp("// Returns the count; never negative."), [])
        self.assertEqual(rules_cpp("//     auto file = open(path);"), [])  # an example, indented

    def test_mutable_globals_and_singletons(self):
        self.assertEqual(rules_cpp("int counter = 0;"), ["mutable-global"])
        self.assertEqual(rules_cpp("static std::map<int, int> cache;"), ["mutable-global"])
        self.assertEqual(rules_cpp("std::atomic<int> live{0};"), ["mutable-global"])
        self.assertEqual(rules_cpp("  static Cache cache;"), ["mutable-global"])
        self.assertEqual(rules_cpp("  thread_local int depth = 0;"), ["mutable-global"])
        for line in ("constexpr int kMax = 3;", "const Table kTable = make();",
                     "using A = std::map<int, int>;", "int f(int x);", "  static const Table kTable;",
                     "  static constexpr int kMax = 3;",
                     "  static int parse(int x);", "  int count_ = 0;", "namespace fs = std::filesystem;",
                     "extern const int kMax;"):
            self.assertEqual(rules_cpp(line), [], line)

    def test_constants_are_called_k_name(self):
        self.assertEqual(rules_cpp("constexpr int maximum = 3;"), ["constant-name"])
        self.assertEqual(rules_cpp("  static constexpr std::array<int, 2> sizes{1, 2};"), ["constant-name"])
        self.assertEqual(rules_cpp("inline constexpr double kPi = 3.1;"), [])
        self.assertEqual(rules_cpp("constexpr int twice(int x) { return 2 * x; }"), [])
        self.assertEqual(rules_cpp("  constexpr bool is_signed = true;"), [])

    def test_the_environment_is_read_by_commands_and_config_only(self):
        line = '  auto home = std::getenv("HOME");\n'
        self.assertEqual(rules("core/base/a.cpp", line), ["getenv"])
        self.assertEqual(rules("app/commands/a.cpp", line), [])
        self.assertEqual(rules("core/base/a_test.cpp", line), [])

    def test_test_names_are_sentences(self):
        self.assertEqual(rules("core/base/a_test.cpp", 'TEST_CASE("queue") {}\n'), ["test-name"])
        self.assertEqual(rules("core/base/a_test.cpp", 'TEST_CASE("queue: a full one refuses") {}\n'), [])

    def test_unfinished_work(self):
        self.assertEqual(rules_cpp("// TO" "DO: later"), ["unfinished"])
        self.assertEqual(rules_cpp("// FIX" "ME"), ["unfinished"])

    def test_words_of_one_machine(self):
        self.assertEqual(rules("a.md", "see /wo" "rk/main/x\n"), ["machine-path"])
        self.assertEqual(rules("a.md", "see /ho" "me/kim/x\n"), ["machine-path"])
        self.assertEqual(rules("a.md", "~/.local/share/ondol/models and $HOME/x and web/src\n"), [])
        self.assertEqual(rules("a.md", "from files.pythonhosted." "org\n"), ["registry-host"])
        self.assertEqual(rules("a.md", "from deb.debian." "org\n"), ["registry-host"])
        self.assertEqual(rules_cpp("// see issue " "12"), ["issue-number"])

    def test_a_line_may_say_why_it_breaks_a_rule(self):
        self.assertEqual(rules_cpp("int counter = 0;  // tidy: mutable-global, the log's sink"), [])
        self.assertEqual(rules_cpp("int counter = 0;  // tidy: throw, the wrong rule"), ["mutable-global"])
        self.assertEqual(rules_cpp("int counter = 0;  // tidy: mutable-global"), ["mutable-global"])


class TreeTest(unittest.TestCase):
    def check(self, files, exemptions):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                whole = os.path.join(folder, path)
                os.makedirs(os.path.dirname(whole), exist_ok=True)
                with open(whole, "w", encoding="utf-8") as file:
                    file.write(text)
            return tidy.check(folder, exemptions)

    def test_a_room_has_a_readme(self):
        room = {"core/kv/CMakeLists.txt": "ondol_room(core/kv)\n"}
        self.assertEqual(len(self.check(room, {})), 1)
        self.assertEqual(self.check({**room, "core/kv/README.md": "Pages.\n"}, {}), [])

    def test_an_exemption_holds_and_one_without_use_is_a_fault(self):
        files = {"core/base/a.cpp": "int counter = 0;\n"}
        self.assertEqual(len(self.check(files, {})), 1)
        self.assertEqual(self.check(files, {("core/base/a.cpp", "mutable-global"): "why"}), [])
        faults = self.check({"core/base/a.cpp": "int f();\n"}, {("core/base/a.cpp", "throw"): "why"})
        self.assertEqual(len(faults), 1)
        self.assertIn("needs no exemption", faults[0])


class StripTest(unittest.TestCase):
    def test_comments_and_literals_are_blanked_and_places_kept(self):
        text = "int a; // b\n/* c\n d */ char e = '\\''; f(\"g\\\"h\"); int i = 1'000'000;\n"
        bare = source_tree.strip_cpp(text)
        self.assertEqual(len(bare), len(text))
        self.assertEqual(bare.count("\n"), text.count("\n"))
        for gone in ("b", "c\n", "d ", "g", "h\""):
            self.assertNotIn(gone, bare.replace("char", ""))
        self.assertIn("int i = 1'000'000;", bare)


if __name__ == "__main__":
    unittest.main()

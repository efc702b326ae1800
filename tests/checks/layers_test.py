"""The layer check catches what it is there to catch."""
import os
import tempfile
import unittest

import layers


class Tree:
    """A small source tree in a temporary folder."""

    def __init__(self, files):
        self.folder = tempfile.TemporaryDirectory()
        for path, text in files.items():
            whole = os.path.join(self.folder.name, path)
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with open(whole, "w", encoding="utf-8") as file:
                file.write(text)

    def faults(self, rooms=None):
        with self.folder:
            return layers.check(self.folder.name, rooms)


def faults_of(path, *include_lines):
    return Tree({path: "\n".join(include_lines) + "\n"}).faults()


class LayersTest(unittest.TestCase):
    def assert_fault(self, faults, *parts):
        self.assertEqual(len(faults), 1, faults)
        for part in parts:
            self.assertIn(part, faults[0])

    def test_an_edge_of_the_table_is_allowed_also_through_others(self):
        self.assertEqual(faults_of("core/gguf/a.cpp", '#include "kernels/base/dtype.h"'), [])
        self.assertEqual(faults_of("core/engine/a.cpp", '#include "core/gguf/reader.h"'), [])

    def test_every_core_room_may_include_core_base(self):
        self.assertEqual(faults_of("core/kv/a.h", '#include "core/base/result.h"'), [])
        self.assertEqual(faults_of("app/store/a.h", '#include "core/base/result.h"'), [])

    def test_kernels_include_nothing_of_core(self):
        faults = faults_of("kernels/cpu/a.cpp", "", '#include "core/base/result.h"')
        self.assert_fault(faults, "kernels/cpu/a.cpp:2:", "may not include core/base")

    def test_core_includes_nothing_of_app(self):
        faults = faults_of("core/engine/a.cpp", '#include "app/api/json.h"')
        self.assert_fault(faults, "may not include app/api")

    def test_a_sideways_edge_is_refused(self):
        faults = faults_of("core/kv/a.h", '#include "core/model/model.h"')
        self.assert_fault(faults, "may not include core/model")

    def test_a_subfolder_belongs_to_its_room(self):
        faults = faults_of("kernels/cpu/avx2/a.cpp", '#include "core/base/a.h"')
        self.assert_fault(faults, "kernels/cpu may not")

    def test_an_unknown_room_is_a_fault(self):
        self.assert_fault(faults_of("core/stray/a.cpp", "#include <vector>"), "no room")
        self.assert_fault(faults_of("app/stray/a.cpp", "#include <vector>"), "no room")
        self.assert_fault(faults_of("core/base/a.cpp", '#include "core/stray/a.h"'), "no room")

    def test_a_cycle_between_rooms_is_named(self):
        faults = Tree({"core/kv/a.h": '#include "core/runner/b.h"\n',
                       "core/runner/b.h": '#include "core/kv/a.h"\n'}).faults()
        self.assertTrue(any("cycle: core/kv -> core/runner -> core/kv" in fault for fault in faults), faults)

    def test_a_cycle_in_the_table_is_named(self):
        faults = Tree({"core/base/a.h": "\n"}).faults({"core/base": ["core/kv"], "core/kv": ["core/base"]})
        self.assert_fault(faults, "the table itself has a cycle")

    def test_the_table_has_no_cycle(self):
        self.assertIsNone(layers.find_cycle({room: set(edges) for room, edges in layers.ROOMS.items()}))

    def test_a_third_party_header_stays_in_its_rooms(self):
        self.assertEqual(faults_of("app/api/a.cpp", "#include <httplib.h>"), [])
        for header in ("<httplib.h>", '"httplib.h"'):
            faults = faults_of("core/engine/a.cpp", f"#include {header}")
            self.assert_fault(faults, "httplib.h", "not for core/engine")

    def test_core_knows_no_http_yaml_sql_or_sockets(self):
        for header in ("httplib.h", "yaml-cpp/yaml.h", "sqlite3.h", "sys/socket.h", "netdb.h"):
            self.assert_fault(faults_of("core/scheduler/a.cpp", f"#include <{header}>"), header)

    def test_an_unlisted_header_is_a_fault(self):
        self.assert_fault(faults_of("core/base/a.cpp", "#include <boost/any.hpp>"), "listed nowhere")

    def test_doctest_is_for_tests_only(self):
        self.assertEqual(faults_of("core/base/a_test.cpp", "#include <doctest/doctest.h>"), [])
        self.assert_fault(faults_of("core/base/a.cpp", "#include <doctest/doctest.h>"), "not for core/base")

    def test_vector_instructions_are_for_the_kernels(self):
        self.assertEqual(faults_of("kernels/cpu/avx2/a.cpp", "#include <immintrin.h>"), [])
        self.assert_fault(faults_of("core/model/a.cpp", "#include <immintrin.h>"), "not for core/model")

    def test_a_path_is_written_from_the_root(self):
        faults = Tree({"core/base/a.cpp": '#include "b.h"\n', "core/base/b.h": "\n"}).faults()
        self.assert_fault(faults, 'write the path from the root: "core/base/b.h"')

    def test_cmake_may_not_depend_on_more(self):
        call = "ondol_room(core/kv\n  DEPS core/base core/model LIBS m)\n"
        faults = Tree({"core/kv/CMakeLists.txt": call}).faults()
        self.assert_fault(faults, "core/kv/CMakeLists.txt:1:", "core/kv may not depend on core/model")

    def test_cmake_rooms_are_those_of_the_table_in_their_folders(self):
        faults = Tree({"core/odd/CMakeLists.txt": "ondol_room(core/odd)\n"}).faults()
        self.assert_fault(faults, "is no room")
        faults = Tree({"core/kv/CMakeLists.txt": "ondol_room(core/gguf)\n"}).faults()
        self.assert_fault(faults, "outside its folder")

    def test_a_comment_in_cmake_is_not_a_call(self):
        call = "# ondol_room(core/odd)\nondol_room(core/kv)\n"
        self.assertEqual(Tree({"core/kv/CMakeLists.txt": call}).faults(), [])


if __name__ == "__main__":
    unittest.main()

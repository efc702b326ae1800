#!/usr/bin/env python3
"""Fails if an object compiled for one instruction set could lend code to another.

An inline function that the compiler leaves out of line becomes a weak symbol; the linker keeps one copy of
each for the whole program; if that is the copy with AVX-512 in it, the program dies on processors without it.
So the objects of kernels/cpu/avx2 and kernels/cpu/avx512 may define their table and nothing else.

Usage: check_symbols.py BUILD_FOLDER
"""
import pathlib
import re
import subprocess
import sys

TABLES = {"avx2_table": "kAvx2Table", "avx512_table": "kAvx512Table"}


def defined_symbols(path):
    nm = subprocess.run(["nm", "--defined-only", str(path)], check=True, capture_output=True, text=True)
    for line in nm.stdout.splitlines():
        kind, name = line.split()[-2:]
        # Lower case: local to the object, except weak ones (v, w) and unique ones (u).
        if kind.isupper() or kind in "vwu":
            yield kind, name


def faults_of(path, table):
    found = False
    for kind, name in defined_symbols(path):
        if re.search(rf"\d+{table}$|\d+{table}E$", name):
            found = True
        else:
            yield f"{path}: defines {name} ({kind})"
    if not found:
        yield f"{path}: does not define {table}"


def main(build):
    faults, objects = [], 0
    for path in pathlib.Path(build).rglob("*.cpp.o"):
        table = TABLES.get(path.name.removesuffix(".cpp.o"))
        if table and "kernels_cpu.dir" in path.parts:
            objects += 1
            faults += faults_of(path, table)
    if objects != len(TABLES):
        faults.append(f"{build}: {objects} objects of vector tables, expected {len(TABLES)}")
    print("\n".join(faults) or f"{objects} objects define their table and nothing else")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

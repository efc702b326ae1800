#!/usr/bin/env python3
"""Writes unicode_tables.cpp: the properties of code points that the pre-tokenizers ask for.

Run with the Python whose unicodedata has the wanted Unicode version (3.13: Unicode 15.1):
    python3.13 make_unicode_tables.py > unicode_tables.cpp
"""
import unicodedata

# White_Space of PropList.txt; unicodedata has no access to it. Unchanged since Unicode 6.3.
WHITE_SPACE = {*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F,
               0x205F, 0x3000}
LETTER, MARK, NUMBER, PUNCTUATION, SYMBOL, SPACE, UPPER, LOWER, NEWLINE, DIGIT, CONNECTOR, LETTER_NUMBER = (
    1 << bit for bit in range(12))
ANY = 1 << 15


def flags(code_point):
    category = unicodedata.category(chr(code_point))
    value = ANY | {"L": LETTER, "M": MARK, "N": NUMBER, "P": PUNCTUATION, "S": SYMBOL}.get(category[0], 0)
    if category in ("Lu", "Lt"):
        value |= UPPER
    if category == "Ll":
        value |= LOWER
    if category == "Nd":
        value |= DIGIT
    if category == "Pc":
        value |= CONNECTOR
    if category == "Nl":
        value |= LETTER_NUMBER
    if code_point in WHITE_SPACE:
        value |= SPACE
    if code_point in (0x0A, 0x0D):
        value |= NEWLINE
    return value


def main():
    ranges = []
    for code_point in range(0x110000):
        value = flags(code_point)
        if not ranges or ranges[-1][1] != value:
            ranges.append((code_point, value))
    print("// Made by make_unicode_tables.py; do not edit. Unicode " + unicodedata.unidata_version + ".")
    print('#include "core/tokenizer/unicode_tables.h"\n')
    print("#include <algorithm>\n#include <iterator>\n")
    print("namespace ondol {\nnamespace {\n")
    print("struct Range {\n  uint32_t first;  // the range ends where the next one begins")
    print("  uint16_t flags;\n};\n")
    print("constexpr Range kRanges[] = {")
    line = "   "
    for first, value in ranges:
        cell = " {0x%x,0x%x}," % (first, value)
        if len(line) + len(cell) > 108:
            print(line)
            line = "   "
        line += cell
    print(line)
    print("};\n\nconstexpr uint16_t kAscii[128] = {")
    for row in range(0, 128, 12):
        print("    " + " ".join("0x%x," % flags(c) for c in range(row, min(row + 12, 128))))
    print("};\n\n}  // namespace\n")
    print("uint16_t unicode_flags(uint32_t code_point) {")
    print("  if (code_point < 128) return kAscii[code_point];")
    print("  const auto after = std::upper_bound(std::begin(kRanges), std::end(kRanges), code_point,")
    compare = "[](uint32_t c, const Range& range) { return c < range.first; });"
    print(" " * 38 + compare)
    print("  return std::prev(after)->flags;\n}\n\n}  // namespace ondol")


if __name__ == "__main__":
    main()

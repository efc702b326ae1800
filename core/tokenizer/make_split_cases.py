#!/usr/bin/env python3
"""Writes tests/data/split_cases.txt: texts as the published patterns of the pre-tokenizers cut them.

The patterns run in the `regex` module (pip install regex), which knows look-ahead and Unicode categories.
    make_split_cases.py > ../../tests/data/split_cases.txt
    make_split_cases.py --random 5000 1      # that many random texts a family, for a differential run
A line: a pre-tokenizer's name, a tab, the pieces with a broken bar between them; the escapes are
\\n \\r \\t \\\\ and \\u{hex}.
"""
import random
import sys
import unicodedata

import regex

# Parts that many patterns share.
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
SIGNS = r" ?[^\s\p{L}\p{N}]+"
SPACES = r"\s+(?!\S)|\s+"
LINE_SPACES = r"\s*[\r\n]+|" + SPACES
PREFIX = r"[^\r\n\p{L}\p{N}]?"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


def any_of(*alternatives):
    return "|".join(alternatives)


def by_word(digits, signs=SIGNS + r"[\r\n]*"):
    return any_of(CONTRACTIONS, PREFIX + r"\p{L}+", digits, signs, LINE_SPACES)


def by_case(contractions, digits):
    return any_of(f"{PREFIX}{UPPER}*{LOWER}+{contractions}", f"{PREFIX}{UPPER}+{LOWER}*{contractions}",
                  digits, SIGNS + r"[\r\n/]*", LINE_SPACES)


def ranges(text):
    """The inside of a character class, from "41-5A B5"."""
    return "".join("-".join(chr(int(end, 16)) for end in part.split("-")) for part in text.split())


GPT2 = any_of("'s|'t|'re|'ve|'m|'ll|'d", r" ?\p{L}+", r" ?\p{N}+", SIGNS, SPACES)
QWEN2 = by_word(r"\p{N}")
QWEN35 = any_of(CONTRACTIONS, PREFIX + r"[\p{L}\p{M}]+", r"\p{N}",
                r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*", LINE_SPACES)
DEEPSEEK3 = any_of(r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+",
                   r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+", r" ?[\p{P}\p{S}]+[\r\n]*", LINE_SPACES)
EXAONE_MOE = any_of(CONTRACTIONS, PREFIX + r"(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+", r"\p{N}",
                    SIGNS + r"[\r\n/]?", r"\s*[\r\n]", SPACES)
BAILING = any_of(r"'(?i:[sdmt]|ll|ve|re)", r"[^\r\n\p{L}\p{N}]?+\p{L}+", r"\p{N}",
                 r" ?[^\s\p{L}\p{N}]++[\r\n]*", r"\s*[\r\n]", SPACES)
CASED = "[" + ranges(
    "41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376 377 37B-37D 37F 386 388-38A 38C "
    "38E-3A1 3A3-3F5 3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA 1CBD-1CBF 1D00-1D2B "
    "1D6B-1D77 1D79-1D9A 1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D 1F5F-1F7D "
    "1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 "
    "2107 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2134 2139 213C-213F 2145-2149 214E 2183 "
    "2184 2C00-2C7B 2C7E-2CE4 2CEB-2CEE 2CF2 2CF3 A640-A66D A680-A69B A722-A76F A771-A787 A78B-A78E "
    "AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A FF41-FF5A 10400-1044F 104B0-104D3 104D8-104FB 10C80-10CB2 "
    "10CC0-10CF2 118A0-118DF 1E900-1E943") + "]+"
LISTED_SIGNS = "[" + ranges("21-2F 3A-7E 2018-201F 3000-3002 FF01-FF0F FF1A-FF5E") + "]+"
CJK_KANA = "[" + ranges("4E00-9FA5 3040-309F 30A0-30FF") + "]+"
CJK_HANGUL = "[" + ranges("4E00-9FA5 800-4E00 AC00-D7FF") + "]+"
YOUTU_SCRIPTS = any_of(
    "[" + ranges("AC00-D7A3 3131-318E") + "]+",
    "[" + ranges("FF01 2026 201C 201D 2018 2019 2014 FF1A FF1B FF0C 3001-303F FE30-FE4F") + "]+",
    "[" + ranges("3105-312F") + "]+", CJK_KANA)
BLOOM = r" ?[^(\s|.,!?" + ranges("2026 3002 FF0C 3001 964 6D4 60C") + ")]+"

PATTERNS = {
    "default": [r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"],
    "gpt-2": [GPT2],
    "smollm": [r"\p{N}", GPT2],
    "falcon": [r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"],
    "llama-bpe": [by_word(r"\p{N}{1,3}")],
    "minicpm5": [r"\p{N}{1,3}", by_word(r"\p{N}+")],
    "qwen2": [QWEN2],
    "bailingmoe": [BAILING],
    "qwen35": [QWEN35],
    "seed-coder": [by_word(r"\p{N}{1}", r" ?[^\s\p{L}\p{N}\r\n]+")],
    "laguna": [r"[^\n]+|[\n]+", QWEN2],
    "gpt-4o": [by_case(CONTRACTIONS + "?", r"\p{N}{1,3}")],
    "tekken": [by_case("", r"\p{N}")],
    "tiny_aya": [r"\d{1,3}(?=(?:\d{3})*\b)", by_case(CONTRACTIONS + "?", r"\p{N}{1,3}")],
    "youtu": [YOUTU_SCRIPTS, by_case(CONTRACTIONS + "?", r"\p{N}")],
    "deepseek-llm": ["[\r\n]", r"\s?" + CASED, r"\s?" + LISTED_SIGNS, r"\s+$", CJK_HANGUL, r"\p{N}+"],
    "deepseek-coder": ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CJK_HANGUL, r"\p{N}"],
    "deepseek-v3": [r"\p{N}{1,3}", CJK_KANA, DEEPSEEK3],
    "exaone-moe": [EXAONE_MOE],
    "bloom": [BLOOM],
    "viking": [BLOOM, r"\p{N}"],
    "gemma4": [r"[^\n]+|[\n]+"],
}
# Names that share a family's patterns, tried once each.
SAME = {"exaone": "smollm", "starcoder": "smollm", "command-r": "smollm", "refact": "smollm",
        "exaone4": "gpt-2", "a.x-4.0": "gpt-2", "trillion": "gpt-2", "midm-2.0": "llama-bpe",
        "smaug-bpe": "llama-bpe", "kormo": "qwen2", "solar-open": "qwen2", "deepseek-r1-qwen": "qwen2",
        "kanana2": "gpt-4o", "llama4": "gpt-4o"}

TEXTS = [
    "Hello, world!", "  two  spaces   three ", "line\nline\n\n\nline", "a\r\nb\r\n\r\nc",
    "\tif (x):\n\t\treturn 1;\n", "   \n  x", "x \n \n", "trailing   ", "   ", "\n", "\n\n\n", " \n",
    "1234567890 12 3.14 1,000,000", "v1.2.3-rc4", "I'm you're he'll we've it's don't he'd",
    "I'M YOU'RE HE'LL WE'VE IT'S DON'T HE'D", "'S 'twas o'Reilly ''s", "안녕하세요, 세계!",
    "온돌은 한국의 전통 난방 방식이다.\n방이 따뜻하다.", "대한민국2026년 12월1일",
    "ㅋㅋㅋ ㅠㅠ 가나다ABC", "\u1112\u1161\u11ab\u1100\u1173\u11af 조합형", "漢字とかなカナ",
    "中文，标点。「引用」", "注音ㄅㄆㄇ…‘’", "🙂🙂 👩‍👩‍👧 🇰🇷!", "a\u0301e\u0301 cafe\u0301 café",
    "\ufeffBOM first", "naïve façade—em dash… 123 🙂", "हिन्दी में १२३", "ภาษาไทย ๑๒๓", "العربية ١٢٣ ،",
    "İstanbul ǅ ŉ ſ'ſ", "camelCaseHTTPServer XMLHttpRequest ABC abcABC",
    "foo_bar(baz)[0] += $x->y; // comment", "http://example.com/a/b?c=d#e",
    "<|im_start|>user\nhi<|im_end|>\n", "a  b\u00a0c\u3000d\u2003e", "x=1;\r\ny=2;\r\n/* z */\n/\n",
    "\x00\x01\x1f\x7f", "１２３ ⅷ ½ ²", "...!!!???", "don’t ’s", "$100 + 50% = ^~|`", "한 글 자 씩 A B C",
]
# What the random texts are made of: a few characters of every kind that a pattern tells apart.
ALPHABET = [*" " * 6, *"\n\r\t\u00a0\u3000\u2028\u0085\x1c\x00", *"''''’\"`$+<=>^~|/\\_-.,!?()[]{}#%&*@:;",
            *"stmdrevlSTMDREVLabzABZéÉßǅʰªſK", *"0123456789٣१²½ⅷ", *"가나다한글ㄱㅏ漢字一龥かカㄅ、。，…“”",
            *"\u0301\u0308\u093e\u094d\u1100\u1161\u200d\ufe0f\ufeff\u00ad\ue000", *"🙂👩€©←", *"अไا،۔।"]


def cut(pattern, text):
    pieces, done = [], 0
    for match in regex.finditer(pattern, text):
        if match.end() == match.start():
            continue
        if match.start() > done:
            pieces.append(text[done:match.start()])
        pieces.append(match.group())
        done = match.end()
    if done < len(text):
        pieces.append(text[done:])
    return pieces


def split(name, text):
    pieces = [text]
    for pattern in PATTERNS[name]:
        pieces = [finer for piece in pieces for finer in cut(pattern, piece)]
    return pieces


def escape(text):
    out = ""
    for c in text:
        plain = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}.get(c)
        if plain is None:
            shown = c == " " or unicodedata.category(c)[0] in "LNPS" and c != "¦"
            plain = c if shown else "\\u{%x}" % ord(c)
        out += plain
    return out


def write(name, family, text):
    print(name + "\t" + "¦".join(escape(piece) for piece in split(family, text)))


def main():
    if len(sys.argv) > 1:
        rng = random.Random(int(sys.argv[3]))
        assigned = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cs", "Cn")]
        assigned = [c for c in assigned if regex.match(r"\p{%s}" % unicodedata.category(c), c)]
        for name in PATTERNS:
            for _ in range(int(sys.argv[2])):
                length = rng.randint(1, 24)
                source = (ALPHABET if rng.random() < 0.95 else assigned for _ in range(length))
                write(name, name, "".join(rng.choice(characters) for characters in source))
        return
    for name in PATTERNS:
        for text in TEXTS:
            write(name, name, text)
    for name, family in SAME.items():
        for text in TEXTS:
            write(name, family, text)


if __name__ == "__main__":
    main()

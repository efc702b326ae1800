#!/usr/bin/env python3
"""Writes split_cases.txt: texts as the published patterns of the pre-tokenizers cut them.

The patterns run in the `regex` module (pip install regex), which knows look-ahead and Unicode categories.
    make_split_cases.py > split_cases.txt
    make_split_cases.py --random 5000 1      # that many random texts a family, for a differential run
A line: a pre-tokenizer's name, a tab, the pieces with a broken bar between them; \\n \\r \\t \\\\ and \\u{hex} are escapes.
"""
import random
import sys
import unicodedata

import regex

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN35 = (CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


def by_case(contractions, digits):
    return (rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{contractions}|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{contractions}"
            rf"|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


DEEPSEEK3 = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
             r"|\s*[\r\n]+|\s+(?!\S)|\s+")
EXAONE_MOE = (CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?"
              r"|\s*[\r\n]|\s+(?!\S)|\s+")
CASED = ("\\s?[A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373"
         "\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f"
         "\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77"
         "\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d"
         "\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4"
         "\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139"
         "\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d"
         "\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a"
         "\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2"
         "\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943]+")
CJK_KANA, CJK_HANGUL = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
BLOOM = " ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"

PATTERNS = {
    "default": [r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"],
    "gpt-2": [GPT2],
    "smollm": [r"\p{N}", GPT2],
    "falcon": [r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"],
    "llama-bpe": [LLAMA3],
    "minicpm5": [r"\p{N}{1,3}", LLAMA3.replace("{1,3}", "+")],
    "qwen2": [QWEN2],
    "bailingmoe": [r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]"
                   r"|\s+(?!\S)|\s+"],
    "qwen35": [QWEN35],
    "seed-coder": [CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+"],
    "laguna": [r"[^\n]+|[\n]+", QWEN2],
    "gpt-4o": [by_case(CONTRACTIONS + "?", r"\p{N}{1,3}")],
    "tekken": [by_case("", r"\p{N}")],
    "tiny_aya": [r"\d{1,3}(?=(?:\d{3})*\b)", by_case(CONTRACTIONS + "?", r"\p{N}{1,3}")],
    "youtu": ["[\uac00-\ud7a3\u3131-\u318e]+|[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c\u3001-\u303f"
              "\ufe30-\ufe4f]+|[\u3105-\u312f]+|" + CJK_KANA, by_case(CONTRACTIONS + "?", r"\p{N}")],
    "deepseek-llm": ["[\r\n]", CASED, "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+", r"\s+$",
                     CJK_HANGUL, r"\p{N}+"],
    "deepseek-coder": ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CJK_HANGUL, r"\p{N}"],
    "deepseek-v3": [r"\p{N}{1,3}", CJK_KANA, DEEPSEEK3],
    "exaone-moe": [EXAONE_MOE],
    "bloom": [BLOOM],
    "viking": [BLOOM, r"\p{N}"],
    "gemma4": [r"[^\n]+|[\n]+"],
}
# Names that share a family's patterns, tried once each.
SAME = {"exaone": "smollm", "starcoder": "smollm", "command-r": "smollm", "refact": "smollm", "exaone4": "gpt-2",
        "a.x-4.0": "gpt-2", "trillion": "gpt-2", "midm-2.0": "llama-bpe", "smaug-bpe": "llama-bpe", "kormo": "qwen2",
        "solar-open": "qwen2", "deepseek-r1-qwen": "qwen2", "kanana2": "gpt-4o", "llama4": "gpt-4o"}

TEXTS = [
    "Hello, world!", "  two  spaces   three ", "line\nline\n\n\nline", "a\r\nb\r\n\r\nc", "\tif (x):\n\t\treturn 1;\n",
    "   \n  x", "x \n \n", "trailing   ", "   ", "\n", "\n\n\n", " \n", "1234567890 12 3.14 1,000,000", "v1.2.3-rc4",
    "I'm you're he'll we've it's don't he'd", "I'M YOU'RE HE'LL WE'VE IT'S DON'T HE'D", "'S 'twas o'Reilly ''s",
    "안녕하세요, 세계!", "온돌은 한국의 전통 난방 방식이다.\n방이 따뜻하다.", "대한민국2026년 12월1일", "ㅋㅋㅋ ㅠㅠ 가나다ABC",
    "\u1112\u1161\u11ab\u1100\u1173\u11af 조합형", "漢字とかなカナ", "中文，标点。「引用」", "注音ㄅㄆㄇ…‘’", "🙂🙂 👩‍👩‍👧 🇰🇷!", "a\u0301e\u0301 cafe\u0301 café",
    "\ufeffBOM first", "naïve façade—em dash… 123 🙂", "हिन्दी में १२३", "ภาษาไทย ๑๒๓", "العربية ١٢٣ ،", "İstanbul ǅ ŉ ſ'ſ",
    "camelCaseHTTPServer XMLHttpRequest ABC abcABC", "foo_bar(baz)[0] += $x->y; // comment", "http://example.com/a/b?c=d#e",
    "<|im_start|>user\nhi<|im_end|>\n", "a  b\u00a0c\u3000d\u2003e", "x=1;\r\ny=2;\r\n/* z */\n/\n", "\x00\x01\x1f\x7f",
    "１２３ ⅷ ½ ²", "...!!!???", "don’t ’s", "$100 + 50% = ^~|`", "한 글 자 씩 A B C",
]
# What the random texts are made of: a few characters of every kind that a pattern tells apart.
ALPHABET = (list(" " * 6 + "\n\r\t\u00a0\u3000\u2028\u0085\x1c\x00") + list("''''’\"`$+<=>^~|/\\_-.,!?()[]{}#%&*@:;") +
            list("stmdrevlSTMDREVLabzABZéÉßǅʰªſK") + list("0123456789٣१²½ⅷ") + list("가나다한글ㄱㅏ漢字一龥かカㄅ、。，…“”") +
            list("\u0301\u0308\u093e\u094d\u1100\u1161\u200d\ufe0f\ufeff\u00ad\ue000") + list("🙂👩€©←") + list("अไا،۔।"))


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
            plain = c if unicodedata.category(c)[0] in "LNPS" and c != "¦" or c == " " else "\\u{%x}" % ord(c)
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
                write(name, name, "".join(rng.choice(ALPHABET) if rng.random() < 0.95 else rng.choice(assigned)
                                          for _ in range(length)))
        return
    for name in PATTERNS:
        for text in TEXTS:
            write(name, name, text)
    for name, family in SAME.items():
        for text in TEXTS:
            write(name, family, text)


if __name__ == "__main__":
    main()

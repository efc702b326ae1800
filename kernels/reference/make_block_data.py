#!/usr/bin/env python3
"""Writes tests/data/blocks/blocks.txt: for each quantized type a line with its name, its number, two random
blocks and what the `gguf` package's own dequantization makes of them (little-endian floats), in hexadecimal.
Committed with its result, so that the tests need neither numpy nor gguf.

Usage: pip install gguf; make_block_data.py OUT.txt
"""
import struct
import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as T
from gguf.quants import dequantize

TYPES = [T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0, T.Q2_K, T.Q3_K, T.Q4_K, T.Q5_K, T.Q6_K, T.IQ4_NL, T.IQ4_XS]
# Byte offsets of the f16 fields; the rest of a block may hold any bits.
HALVES = {T.Q4_1: [0, 2], T.Q5_1: [0, 2], T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q2_K: [80, 82], T.Q3_K: [108],
          T.Q6_K: [208]}


def random_block(random, kind, size):
    block = bytearray(random.integers(0, 256, size, dtype=np.uint8).tobytes())
    for at in HALVES.get(kind, [0]):
        block[at:at + 2] = np.float16(random.normal(0, 0.1)).tobytes()
    return bytes(block)


def main(out):
    random = np.random.default_rng(20240607)
    lines = []
    for kind in TYPES:
        elements, size = GGML_QUANT_SIZES[kind]
        blocks = b"".join(random_block(random, kind, size) for _ in range(2))
        values = dequantize(np.frombuffer(blocks, dtype=np.uint8).reshape(1, -1), kind).astype(np.float32)
        assert values.size == 2 * elements
        floats = struct.pack(f"<{values.size}f", *values.reshape(-1))
        lines.append(f"{kind.name} {int(kind)} {blocks.hex()} {floats.hex()}\n")
    with open(out, "w") as file:
        file.writelines(lines)


if __name__ == "__main__":
    main(sys.argv[1])

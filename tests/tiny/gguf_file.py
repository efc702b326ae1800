"""Writes GGUF files, version 3, from torch tensors."""

import struct
from pathlib import Path

import torch


class Gguf:
    """Writes GGUF version 3: metadata in the order given, float32 tensors."""

    def __init__(self):
        self.values, self.tensors = [], []

    def text(self, value):
        data = value.encode()
        return struct.pack("<Q", len(data)) + data

    def scalar(self, value):
        if isinstance(value, bool):
            return 7, struct.pack("<?", value)
        if isinstance(value, int):
            return 4, struct.pack("<I", value)
        if isinstance(value, float):
            return 6, struct.pack("<f", value)
        return 8, self.text(value)

    def add(self, key, value):
        if isinstance(value, list):
            kind = self.scalar(value[0])[0]
            data = struct.pack("<IQ", kind, len(value)) + b"".join(self.scalar(v)[1] for v in value)
            self.values.append(self.text(key) + struct.pack("<I", 9) + data)
        else:
            kind, data = self.scalar(value)
            self.values.append(self.text(key) + struct.pack("<I", kind) + data)

    def tensor(self, name, data):
        self.tensors.append((name, data.detach().to(torch.float32).contiguous()))

    def write(self, path):
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(self.values)) + b"".join(self.values)
        body = b""
        for name, data in self.tensors:
            shape = list(reversed(data.shape))
            head += self.text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
            head += struct.pack("<IQ", 0, len(body))
            raw = data.numpy().tobytes()
            body += raw + b"\0" * (-len(raw) % 32)
        Path(path).write_bytes(head + b"\0" * (-len(head) % 32) + body)

#!/usr/bin/env python3
"""Turns a folder of static files into C++ that embeds them: embedded_files.cpp and, beside it, the
compressed copies. Called by the build:
embed_web.py [--licenses=FILE]... DIST_FOLDER OUTPUT_FOLDER [FILE ...]

The files of --licenses, one after the other, become /licenses.txt: the notices that have to travel with
every copy of the program and of the page. Without a FILE the page was not built, and one page that says so
is embedded. The bytes come in through .incbin, so that compiling takes no time however large the page is.
The same input gives the same output."""
import argparse
import gzip
import hashlib
import os
import sys

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}

NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Ondol</title>
<h1>Ondol</h1>
<p>This build holds no browser page: <code>web/dist</code> was missing when it was compiled. The API under
<code>/v1</code> works. <code>packaging/quickstart --build</code> builds both.</p>
<p lang="ko">이 빌드에는 브라우저 화면이 들어 있지 않습니다. <code>/v1</code> API는 사용할 수 있습니다.</p>
</html>
"""


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def write_if_changed(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path) and bytes_of(path) == data:
        return
    with open(path, "wb") as file:
        file.write(data)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def asm_blob(symbol, path):
    inner = path.replace("\\", "\\\\").replace('"', '\\"')
    lines = [f".global {symbol}", f".hidden {symbol}", ".balign 16", f"{symbol}:",
             f".incbin {quoted(inner)}", f".global {symbol}_end", f".hidden {symbol}_end",
             f"{symbol}_end:", ".byte 0"]
    return "\n".join("    " + quoted(line + "\n").replace("\n", "\\n") for line in lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dist")
    parser.add_argument("output")
    parser.add_argument("--licenses", action="append", default=[])
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    dist, output = os.path.abspath(arguments.dist), os.path.abspath(arguments.output)
    files = {"/" + os.path.relpath(path, dist).replace(os.sep, "/"): os.path.abspath(path)
             for path in arguments.files}
    if not files:
        files["/index.html"] = os.path.join(output, "not_built", "index.html")
        write_if_changed(files["/index.html"], NOT_BUILT.encode())
    if arguments.licenses:
        files["/licenses.txt"] = os.path.join(output, "licenses.txt")
        write_if_changed(files["/licenses.txt"], b"\n\n".join(map(bytes_of, arguments.licenses)))

    asm, declarations, entries = [], [], []
    for index, (name, path) in enumerate(sorted(files.items())):
        extension = os.path.splitext(name)[1].lower()
        if extension not in CONTENT_TYPES:
            sys.exit(f"embed_web.py: {name}: no content type is known for '{extension}'; "
                     "add it to CONTENT_TYPES")
        data = bytes_of(path)
        etag = '"' + hashlib.sha256(data).hexdigest()[:32] + '"'
        compressed = gzip.compress(data, 9, mtime=0)
        symbols = [f"ondol_embedded_{index}"]
        asm.append(asm_blob(symbols[0], path))
        zipped = "{}"
        if len(compressed) < 0.9 * len(data):
            packed = os.path.join(output, "gzip", f"{index}.gz")
            write_if_changed(packed, compressed)
            symbols.append(f"ondol_embedded_{index}_gzip")
            asm.append(asm_blob(symbols[1], packed))
            zipped = f"{{{symbols[1]}, {symbols[1]}_end}}"
        for symbol in symbols:
            declarations.append(f"extern const unsigned char {symbol}[];\n"
                                f"extern const unsigned char {symbol}_end[];")
        entries.append(f"      {{{quoted(name)}, {quoted(CONTENT_TYPES[extension])}, {quoted(etag)},\n"
                       f"       {{{symbols[0]}, {symbols[0]}_end}}, {zipped}}},")

    newline = "\n"
    source = f"""// Made by app/api/embed_web.py. Do not edit.
#include "app/api/embedded_files.h"

asm(
    ".pushsection .rodata\\n"
{newline.join(asm)}
    ".popsection\\n");

extern "C" {{
{newline.join(declarations)}
}}

namespace ondol {{

std::span<const EmbeddedFile> embedded_files() {{
  static const EmbeddedFile kFiles[] = {{
{newline.join(entries)}
  }};
  return kFiles;
}}

}}  // namespace ondol
"""
    # The file's time has to move even when its text does not: the bytes behind .incbin may have changed.
    with open(os.path.join(output, "embedded_files.cpp"), "w", encoding="utf-8") as file:
        file.write(source)


main()

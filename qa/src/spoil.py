# SPDX-License-Identifier: GPL-2.0-or-later
"""Spoil a module's object as the fuzzer once did, when the agent did not survive it.

usage: spoil.py OBJECT CASE
The spoiled object goes to the standard output. CASE:
  misaligned	estat_module lies where no variable of its type can
  nameless	the members of the first key that BTF has with two have no name
"""
import struct
import sys


def sections(data):
    """Yield (name, header, offset, size) of each section of a 64-bit ELF file."""
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
    strings = headers[names][4]
    for header in headers:
        begin = strings + header[0]
        yield data[begin : data.index(b"\0", begin)].decode(), header


def misaligned(data):
    """Move the symbol estat_module by a byte."""
    found = dict(sections(data))
    symbols, strings = found[".symtab"], found[".strtab"]
    for at in range(symbols[4], symbols[4] + symbols[5], 24):
        name, = struct.unpack_from("<I", data, at)
        if data[strings[4] + name :].startswith(b"estat_module\0"):
            value, = struct.unpack_from("<Q", data, at + 8)
            struct.pack_into("<Q", data, at + 8, value + 1)
            return
    sys.exit("no estat_module")


def nameless(data):
    """Let BTF's names of a key's members begin with a 0."""
    btf = dict(sections(data))[".BTF"]
    end = btf[4] + btf[5]
    for name in b"disk", b"op":
        at = data.find(b"\0" + name + b"\0", btf[4], end)
        if at < 0:
            sys.exit("no member " + name.decode())
        data[at + 1] = 0


contents = bytearray(open(sys.argv[1], "rb").read())
{"misaligned": misaligned, "nameless": nameless}[sys.argv[2]](contents)
sys.stdout.buffer.write(contents)

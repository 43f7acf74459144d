#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: long_recording.py FILE OUT BYTES

Writes a recording of that many bytes: FILE, of which three segments are repeated until it is so long, each time later and with
the steps counted on. 10 GB take 75 s of CPU time. FILE must be finished and have at least five segments (150 MB), none given back.
"""
import ctypes
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import evtdump

zstd = ctypes.CDLL("libzstd.so.1")
for function in (zstd.ZSTD_createCCtx, zstd.ZSTD_createDCtx):
    function.restype = ctypes.c_void_p
for function in (zstd.ZSTD_compressBound, zstd.ZSTD_compress2, zstd.ZSTD_decompressDCtx):
    function.restype = ctypes.c_size_t
zstd.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
context, decompressing = ctypes.c_void_p(zstd.ZSTD_createCCtx()), ctypes.c_void_p(zstd.ZSTD_createDCtx())
zstd.ZSTD_CCtx_setParameter(context, 100, 1)  # level
zstd.ZSTD_CCtx_setParameter(context, 201, 1)  # checksum
room = ctypes.create_string_buffer(32 << 20)


def compress(data):
    length = zstd.ZSTD_compress2(context, room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)))
    return ctypes.string_at(room, length)


def decompress(data):
    size = zstd.ZSTD_getFrameContentSize(data, ctypes.c_size_t(len(data)))
    length = zstd.ZSTD_decompressDCtx(decompressing, room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)))
    assert length == size, (length, size)
    return ctypes.string_at(room, length)


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


STEP = 64 + 16 * 90


class Template:
    """A frame's content, cut where a copy differs."""

    def __init__(self, content, types, shifts_books=True):
        self.shifts_books = shifts_books
        cursor = evtdump.Cursor(content)
        self.tag, head = cursor.take(4), cursor.u32()
        self.fixed = list(struct.unpack_from("<5Q", content, 8))
        cursor.take(head - 8)
        kinds, table = struct.unpack_from("<II", content, 56)
        nodes = struct.unpack_from("<I", content, 64)[0] if head >= 72 else 0
        self.head_rest = content[48:head]
        k = evtdump.Cursor(content[head:head + table])
        self.blocks = []
        self.is_heap = []
        for _ in range(kinds):
            t = types[k.varint()]
            code = k.varint() if nodes else 0
            if not code and t.has_caller:
                k.varint()
            self.is_heap.append(any(c in (evtdump.BORN, evtdump.DIES, evtdump.BLOCK) for _, c in t.fields))
        assert not k.left()
        node_bytes = struct.unpack_from("<I", content, 68)[0] if head >= 72 else 0
        self.tables = content[head:head + table + node_bytes]
        cursor = evtdump.Cursor(content)
        cursor.at = head + table + node_bytes
        while cursor.left():
            stream, count = cursor.varint(), cursor.varint()
            directory = [(cursor.varint(), cursor.varint()) for _ in range(cursor.varint())]
            columns = [(key, cursor.take(length)) for key, length in directory]
            self.blocks.append((stream, count, columns))

    def copy(self, ns, frames, steps, tsc):
        out = [self.tag, struct.pack("<I", 48 + len(self.head_rest))]
        sequence, watermark, clock, mono, real = self.fixed
        if clock or mono:
            clock, mono, real = clock + tsc, mono + ns, real + ns
        out.append(struct.pack("<5Q", sequence + frames, watermark + ns, clock, mono, real))
        out += [self.head_rest, self.tables]
        for stream, count, columns in self.blocks:
            shift = ns if stream or self.shifts_books else 0
            byte = dict(columns)
            first = evtdump.Cursor(byte[0]).varint()
            time_key, unit = (7, 32) if self.is_heap[first] and 7 in byte else (1, 1)
            new = []
            for key, data in columns:
                if key == time_key:
                    cursor = evtdump.Cursor(data)
                    data = varint(cursor.varint() + shift // unit) + data[cursor.at:]
                elif key == STEP:
                    cursor, values = evtdump.Cursor(data), []
                    while cursor.left():
                        values.append(varint(cursor.varint() + steps))
                    data = b"".join(values)
                new.append((key, data))
            out.append(varint(stream) + varint(count) + varint(len(new)) +
                       b"".join(varint(key) + varint(len(data)) for key, data in new))
            out += [data for _, data in new]
        return b"".join(out)


def skippable(magic, payload):
    return struct.pack("<II", magic, len(payload)) + payload


def head_bytes(numbers):
    payload = b"SEGM" + struct.pack("<I", 1) + struct.pack("<14Q", *numbers)
    return skippable(evtdump.MAGIC_SEGMENT, payload + struct.pack("<Q", evtdump.xxh64(payload)))


def main(path, out_path, size):
    size = int(size)
    data = open(path, "rb").read()
    at, types, seek, segments, heads, end = 0, None, [], [], [], None
    hz = struct.unpack_from("<Q", data, 40)[0]
    first_frame = None
    while at < len(data):
        magic, piece = evtdump.piece_at(data, at)
        if magic == evtdump.MAGIC_ZSTD:
            if types is None:
                types = evtdump.read_schema(decompress(piece))
                first_frame = at + len(piece)
            elif segments:
                segments[-1]["frames"].append((at, len(piece)))
            seek.append((at, len(piece), zstd.ZSTD_getFrameContentSize(piece, ctypes.c_size_t(len(piece)))))
        elif magic == evtdump.MAGIC_SEGMENT:
            segments.append({"at": at, "head": list(evtdump.tagged_payload(piece, b"SEGM", 14)), "frames": [], "digest": None})
        elif magic == evtdump.MAGIC_DIGEST and segments and not segments[-1]["frames"]:
            segments[-1]["digest"] = piece
        elif magic == evtdump.MAGIC_END:
            end = struct.unpack_from("<4Q", piece, 8)
            break
        at += len(piece)
    if not end or len(segments) < 4:
        sys.exit("long_recording.py: '%s' is not finished, or has fewer than five segments" % path)
    full, last = segments[:-1], segments[-1]
    unit = full[-3:]
    # head: number sequence begin frames records lost | bytes end own_frames own_records own_lost families first_step last_step
    ns = unit[-1]["head"][7] - unit[0]["head"][2]
    ns += -ns % 32
    gap = ns - (unit[-1]["head"][7] - unit[0]["head"][2])
    own_frames = sum(s["head"][8] for s in unit)
    own_records = sum(s["head"][9] for s in unit)
    steps = max(s["head"][13] for s in unit) - min(s["head"][12] for s in unit if s["head"][12]) + 1
    print("unit of", len(unit), "segments,", ns / 1e9, "s,", steps, "steps", own_frames, "frames")
    for i, s in enumerate(unit):
        state = decompress(data[s["frames"][0][0]:sum(s["frames"][0])])
        assert state[:4] == b"STAT"
        s["state"] = Template(state, types, shifts_books=False)
        s["copy"] = [Template(decompress(data[a:a + n]), types) for a, n in s["frames"][1:]]
        follower = unit[i + 1] if i + 1 < len(unit) else last
        s["own_digest"] = Template(decompress(follower["digest"][24:]), types)
    out = open(out_path, "wb")
    out.write(data[:last["at"]])
    position = last["at"]
    entries = [(s["at"], s["head"]) for s in segments if s["at"] < last["at"]]
    if segments[0]["head"][0] == 2:
        n = segments[0]["head"]
        # its families are not known here; those of the next one are as good, since nothing reads them
        entries.insert(0, (first_frame, [1, 0, 0, 0, 0, 0, segments[0]["at"] - first_frame, *n[2:6], n[11], 1, n[12] - 1]))
    seek = [(n, c) for a, n, c in seek if a < last["at"]]
    previous, copy = (unit[-1], 0), 0
    while position < size:
        copy += 1
        for s in unit:
            shift = (ns * copy, own_frames * copy, steps * copy, ns * copy * hz // 1000000000)
            p, n = previous
            digest = compress(p["own_digest"].copy(ns * n, own_frames * n, steps * n, ns * n * hz // 1000000000))
            head = list(s["head"])
            head[0] += len(unit) * copy
            head[1] += own_frames * copy
            head[2] += ns * copy - (gap if s is unit[0] else 0)
            head[3] += own_frames * copy
            head[4] += own_records * copy
            head[7] += ns * copy
            head[12] += steps * copy if head[12] else 0
            head[13] += steps * copy if head[13] else 0
            parts = [skippable(evtdump.MAGIC_DIGEST, b"DGST" + struct.pack("<IQ", 3, head[0] - 1) + digest)]
            for template in [s["state"]] + s["copy"]:
                content = template.copy(*shift)
                parts.append(compress(content))
                seek.append((len(parts[-1]), len(content)))
            head[6] = 136 + sum(map(len, parts))
            out.write(head_bytes(head))
            for part in parts:
                out.write(part)
            entries.append((position, head))
            position += head[6]
            previous = (s, copy)
    p, n = previous
    digest = compress(p["own_digest"].copy(ns * n, own_frames * n, steps * n, ns * n * hz // 1000000000))
    last_head = entries[-1][1]
    piece = skippable(evtdump.MAGIC_DIGEST, b"DGST" + struct.pack("<IQ", 3, last_head[0]) + digest)
    index_at = position + len(piece)
    out.write(piece)
    payload = b"INDX" + struct.pack("<I", 1) + b"".join(struct.pack("<15Q", index_at - a, *h) for a, h in entries)
    payload += struct.pack("<Q", len(entries))
    out.write(skippable(evtdump.MAGIC_INDEX, payload + struct.pack("<Q", evtdump.xxh64(payload))))
    lost = last_head[5] + last_head[10]
    payload = struct.pack("<4Q", last_head[3] + last_head[8], last_head[4] + last_head[9], lost, last_head[7])
    out.write(skippable(evtdump.MAGIC_END, payload + struct.pack("<Q", evtdump.xxh64(payload))))
    payload = b"".join(struct.pack("<II", *e) for e in seek) + struct.pack("<IBI", len(seek), 0, 0x8F92EAB1)
    out.write(skippable(0x184D2A5E, payload))
    out.seek(entries[-1][0])
    out.write(head_bytes(last_head))
    out.close()
    print(len(entries), "segments", os.path.getsize(out_path), "bytes", last_head[7] / 1e9, "s", last_head[13], "steps")


main(*sys.argv[1:])

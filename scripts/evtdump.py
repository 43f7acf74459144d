#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: evtdump.py FILE

A second reader of run.evt, written from docs/FORMAT.md alone: prints what `prof-report dump FILE` prints, so
that a test can compare them. Slow and plain on purpose; for anything else use prof-report. Needs Python 3.8
and either the module zstandard or the program zstd. Exit status 1 when something is damaged or missing:
what can be read is printed, the rest is told on stderr. The seek table is not looked at.
"""
import json
import re
import struct
import subprocess
import sys

try:
    import zstandard
except ImportError:
    zstandard = None

MASK = 2 ** 64 - 1
MAGIC_ZSTD = 0xFD2FB528
MAGIC_HEADER, MAGIC_END = 0x184D2A50, 0x184D2A51
MAGIC_SEGMENT, MAGIC_GONE = 0x184D2A53, 0x184D2A54
MAGIC_DIGEST, MAGIC_INDEX = 0x184D2A56, 0x184D2A57
# Of which events digests have each.
DIGEST_FAMILIES = ("system", "steps", "capture")
# the version of digests from which on they have an event
DIGEST_EVENTS = {name: version for version, names in enumerate((
    ("fact", "nvtx_category", "nvtx_thread_name", "gpu_device", "gpu_limits", "torch_sampling", "function_interpreter",
     "device_card", "device_refused"),
    ("io_open", "io_fd", "osrt_fd"),
    ("map_anonymous", "unmap", "remap", "io_close", "io_map", "io_unmap", "tensor_totals", "tensor_oom",
     "teardown_begin")), 1) for name in names}
SIGNATURE = b"\x89EVT\r\n\x1a\n"
VERSION = 7
FRAME_MAX = 16 << 20
RECORDS_MAX, KINDS_MAX, FIELDS_MAX, WINDOW = 32768, 65536, 16, 4096
NODES_MAX, DEPTH_MAX = 262144, 32768
WRAPPER = 2  # flag of a node
UINT, SINT, ADDR, NAME, TEXT, BORN, DIES, SIZE, CALLER, BLOCK, DELTA, SERIAL = range(1, 13)
KEY_KINDS, KEY_TIMES, KEY_SIZES, KEY_HEAP_TIMES = 0, 1, 6, 7
HEAP_TIME_UNIT = 32  # ns
KEY_BORN, KEY_DIES = 2, 4  # of the codes; the far addresses have the next key


class Damage(Exception):
    """Bytes that no writer can have written."""


def unzigzag(value):
    return (value >> 1) ^ -(value & 1)


def address_from(code, base):
    low, high = code >> 60, code & (2 ** 60 - 1)
    return (base + (unzigzag(high) << 4) + low) & MASK


def step_from(code, last):
    """The number whose code against the last one that was not 0 this is."""
    zero = -last - 1 & MASK
    zero = (zero << 1 ^ -(zero >> 63)) & MASK
    if code == 1:
        return 0
    if code == zero:
        code = 1
    return last + 1 + unzigzag(code) & MASK


def xxh64(data):
    """XXH64 with seed 0."""
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                          0x27D4EB2F165667C5)

    def rotate(value, bits):
        return (value << bits | value >> (64 - bits)) & MASK

    def mix(lane, value):
        return rotate((lane + value * p2) & MASK, 31) * p1 & MASK
    at, lanes = 0, [(p1 + p2) & MASK, p2, 0, -p1 & MASK]
    while len(data) - at >= 32:
        lanes = [mix(lane, value) for lane, value in zip(lanes, struct.unpack_from("<4Q", data, at))]
        at += 32
    result = p5
    if len(data) >= 32:
        result = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            result = ((result ^ mix(0, lane)) * p1 + p4) & MASK
    result = (result + len(data)) & MASK
    while len(data) - at >= 8:
        result = (rotate(result ^ mix(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & MASK
        at += 8
    if len(data) - at >= 4:
        result = (rotate(result ^ struct.unpack_from("<I", data, at)[0] * p1 & MASK, 23) * p2 + p3) & MASK
        at += 4
    for byte in data[at:]:
        result = rotate(result ^ byte * p5 & MASK, 11) * p1 & MASK
    for shift, factor in ((33, p2), (29, p3), (32, 1)):
        result = (result ^ result >> shift) * factor & MASK
    return result


class Cursor:
    """Reads forward through bytes; leaving them is damage."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, length):
        if length > self.left():
            raise Damage("a value ends behind its bytes")
        self.at += length
        return self.data[self.at - length:self.at]

    def u32(self):
        return struct.unpack("<I", self.take(4))[0]

    def u64(self):
        return struct.unpack("<Q", self.take(8))[0]

    def varint(self):
        value = 0
        for i in range(10):
            byte = self.take(1)[0]
            if i == 9 and byte > 1:
                break
            value |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                return value
        raise Damage("a varint of more than 64 bits")

    def text(self):
        return self.take(self.varint())

    def sub(self):
        return Cursor(self.text())


# --- the file -----------------------------------------------------------------------------------


def zstd_frame_length(data, at):
    """Bytes of the zstd frame at `at` (RFC 8878: header, blocks, checksum), or None when it is cut."""
    try:
        descriptor = data[at + 4]
        single = descriptor >> 5 & 1
        end = at + 5 + (not single) + (0, 1, 2, 4)[descriptor & 3] + ((single, 2, 4, 8)[descriptor >> 6])
        last = 0
        while not last:
            head = int.from_bytes(data[end:end + 3], "little")
            last = head & 1
            end += 3 + (1 if head >> 1 & 3 == 1 else head >> 3)
            if end > len(data):
                return None
        end += 4 * (descriptor >> 2 & 1)
        return end - at if end <= len(data) else None
    except IndexError:
        return None


def decompress(data):
    """The content of one whole zstd frame, its checksum verified."""
    if zstandard:
        try:
            return zstandard.ZstdDecompressor().decompress(data, max_output_size=FRAME_MAX)
        except zstandard.ZstdError as error:
            raise Damage(str(error))
    done = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise Damage(done.stderr.decode(errors="replace").strip())
    return done.stdout


def checked_payload(data, at, least):
    """Payload of the skippable frame at `at`, its own checksum verified and taken off."""
    payload = data[at + 8:at + 8 + struct.unpack_from("<I", data, at + 4)[0]]
    if len(payload) < least or xxh64(payload[:-8]) != struct.unpack("<Q", payload[-8:])[0]:
        raise Damage("checksum of a skippable frame is wrong")
    return Cursor(payload[:-8])


def tagged_payload(piece, tag, count):
    """The numbers of a skippable frame about segments; what follows them and their checksum means nothing."""
    cursor = Cursor(piece[8:])
    payload = cursor.take(8 + 8 * count)
    if payload[:4] != tag or xxh64(payload) != cursor.u64():
        raise Damage("%s is damaged" % tag.decode())
    return struct.unpack("<%dQ" % count, payload[8:])


def read_header(data):
    if data[8:16] != SIGNATURE or struct.unpack_from("<I", data)[0] != MAGIC_HEADER:
        sys.exit("evtdump: not a recording")
    cursor = checked_payload(data, 0, 58)
    cursor.take(8)
    version = cursor.u32()
    if version > VERSION:
        sys.exit("evtdump: version %d is newer than this reader" % version)


def piece_at(data, at):
    """(magic, bytes) of what begins at `at`, whole."""
    if len(data) - at < 8:
        raise Damage("cut at byte %d" % at)
    magic, length = struct.unpack_from("<II", data, at)
    if 0x184D2A50 <= magic <= 0x184D2A5F:
        length += 8
    elif magic == MAGIC_ZSTD:
        length = zstd_frame_length(data, at) or len(data) + 1
    else:
        raise Damage("no frame at byte %d" % at)
    if at + length > len(data):
        raise Damage("cut inside the frame at byte %d" % at)
    return magic, data[at:at + length]


def verifies(data, at):
    """Whether a frame or the end marker begins at `at` beyond doubt."""
    try:
        magic, piece = piece_at(data, at)
        if magic == MAGIC_END:
            return bool(checked_payload(data, at, 40))
        return magic == MAGIC_ZSTD and decompress(piece)[:4] in (b"DATA", b"SCHM")
    except Damage:
        return False


def next_piece(data, at):
    """Where reading goes on behind damage that ends before `at`; the end of the file when nothing verifies."""
    starts = re.compile(rb"\x28\xb5\x2f\xfd|\x51\x2a\x4d\x18").finditer(data, at)
    return next((match.start() for match in starts if verifies(data, match.start())), len(data))


# --- schema -------------------------------------------------------------------------------------


class Type:
    """An event type of the file: its name and the names and codecs of its fields."""

    def __init__(self, cursor):
        self.id = cursor.varint()
        self.name = cursor.text().decode()
        self.family = cursor.text().decode()
        cursor.text()
        count = cursor.varint()
        if not (1 <= self.id <= 127 or 256 <= self.id <= 65535) or count > FIELDS_MAX:
            raise Damage("event entry out of range")
        self.fields = []
        for _ in range(count):
            entry = cursor.sub()
            self.fields.append((entry.text().decode(), entry.varint()))
            if not UINT <= self.fields[-1][1] <= SERIAL:
                raise Damage("codec %d is unknown" % self.fields[-1][1])
        self.has_caller = any(codec == CALLER for _, codec in self.fields)


def read_schema(content):
    cursor = Cursor(content)
    if cursor.take(4) != b"SCHM":
        raise Damage("no schema where it belongs")
    types = {}
    for _ in range(cursor.varint()):
        entry = Type(cursor.sub())
        types[entry.id] = entry
    return types


# --- frames -------------------------------------------------------------------------------------


class Kind:
    def __init__(self, type_, caller, stack):
        self.type, self.caller, self.stack, self.size = type_, caller, stack, 0


class Record:
    def __init__(self, time, stream, kind, values):
        self.time, self.stream, self.type, self.values, self.stack = time, stream, kind.type, values, kind.stack

    def content(self):
        return (self.time, self.stream, self.type.name, self.values)


class Block:
    """One block: its columns, and the heap addresses seen in it."""

    def __init__(self, cursor, kinds):
        self.kinds = kinds
        self.stream = cursor.varint()
        self.count = cursor.varint()
        if not 1 <= self.count <= RECORDS_MAX:
            raise Damage("a block of %d records" % self.count)
        directory = [(cursor.varint(), cursor.varint()) for _ in range(cursor.varint())]
        self.columns = {key: Cursor(cursor.take(length)) for key, length in directory}
        if len(self.columns) != len(directory):
            raise Damage("a column stands twice")
        self.seen = {BORN: [], DIES: []}
        self.last_far = {BORN: 0, DIES: 0}
        self.last_address = {}
        self.time = 0

    def column(self, key):
        if key not in self.columns:
            raise Damage("column %d is missing" % key)
        return self.columns[key]

    def heap_address(self, codec):
        key, other = (KEY_BORN, DIES) if codec == BORN else (KEY_DIES, BORN)
        code = self.column(key).varint()
        if code < 8:
            far = int.from_bytes(self.column(key + 1).take(code + 1), "little")
            address = self.last_far[codec] = address_from(far, self.last_far[codec])
        elif code - 7 > min(WINDOW, len(self.seen[other])):
            raise Damage("an address further back than there are any")
        else:
            address = self.seen[other][-(code - 7)]
        self.seen[codec].append(address)
        return address

    def size(self, kind):
        code = self.column(KEY_SIZES).varint()
        if code == 0:
            return kind.size
        kind.size = 0 if code == kind.size else code
        return kind.size

    def own(self, key, codec):
        """A value from a column of the field's own."""
        column = self.column(key)
        if codec == TEXT:
            return column.text()
        value = column.varint()
        if codec == SINT:
            return unzigzag(value)
        if codec in (ADDR, BLOCK):
            value = self.last_address[key] = address_from(value, self.last_address.get(key, 0))
        if codec in (DELTA, SERIAL):
            last = self.last_address.get(key, 0)
            value = step_from(value, last)
            self.last_address[key] = value or last
            if codec == DELTA and value >> 63:
                value -= 1 << 64
        return value

    def value(self, kind, index, codec):
        if codec in (BORN, DIES):
            return self.heap_address(codec)
        if codec == SIZE:
            return self.size(kind)
        if codec == CALLER:
            return kind.caller
        return self.own(64 + 16 * kind.type.id + index, codec)

    def record(self):
        number = self.column(KEY_KINDS).varint()
        if number >= len(self.kinds):
            raise Damage("kind %d of %d" % (number, len(self.kinds)))
        kind = self.kinds[number]
        is_heap = any(codec in (BORN, DIES, BLOCK) for _, codec in kind.type.fields)
        if is_heap and KEY_HEAP_TIMES in self.columns:
            passed = self.column(KEY_HEAP_TIMES).varint() * HEAP_TIME_UNIT
        else:
            passed = self.column(KEY_TIMES).varint()
        self.time = (self.time + passed) & MASK
        values = [self.value(kind, index, codec) for index, (_, codec) in enumerate(kind.type.fields)]
        return Record(self.time, self.stream, kind, values)

    def records(self):
        records = [self.record() for _ in range(self.count)]
        known = {KEY_KINDS, KEY_TIMES, KEY_BORN, KEY_BORN + 1, KEY_DIES, KEY_DIES + 1, KEY_SIZES,
                 KEY_HEAP_TIMES}
        for kind in self.kinds:
            known.update(64 + 16 * kind.type.id + index for index in range(len(kind.type.fields)))
        if any(column.left() for key, column in self.columns.items() if key in known):
            raise Damage("a column has bytes left")
        return records


class Frame:
    """The records of one frame, by block and in a block as stored."""

    def __init__(self, content, types):
        cursor = Cursor(content)
        self.is_state = content[:4] == b"STAT"
        if cursor.take(4) not in (b"DATA", b"STAT"):
            raise Damage("a zstd frame that is no data")
        head = cursor.u32()
        self.sequence, self.watermark = cursor.u64(), cursor.u64()
        self.sync = (cursor.u64(), cursor.u64(), cursor.u64())
        count, kinds, table = cursor.u64(), cursor.u32(), cursor.u32()
        nodes, nodes_bytes = (cursor.u32(), cursor.u32()) if head >= 72 else (0, 0)
        cursor.take(head - (72 if head >= 72 else 64))
        kinds_cursor = Cursor(cursor.take(table))
        stacks = self.read_stacks(Cursor(cursor.take(nodes_bytes)), nodes)
        kinds = self.read_kinds(kinds_cursor, kinds, types, stacks)
        self.records = []
        while cursor.left():
            self.records += Block(cursor, kinds).records()
        if len(self.records) != count:
            raise Damage("%d records where %d were promised" % (len(self.records), count))

    @staticmethod
    def read_stacks(cursor, count):
        """Of each node (address, flags, the node that called it); 0 is None."""
        if count > NODES_MAX:
            raise Damage("%d nodes of stacks" % count)
        parents, depths, address = [0], [0], 0
        for number in range(1, count + 1):
            back = cursor.varint()
            if not 1 <= back <= number:
                raise Damage("a frame of a stack that nothing before it called")
            parents.append(number - back)
            depths.append(depths[number - back] + 1)
            if depths[-1] > DEPTH_MAX:
                raise Damage("a stack of more than %d frames" % DEPTH_MAX)
        addresses, nodes = [], [None]
        for _ in range(count):
            address = (address + unzigzag(cursor.varint())) & MASK
            addresses.append(address)
        for address, parent in zip(addresses, parents[1:]):
            nodes.append((address, cursor.varint(), nodes[parent]))
        if cursor.left():
            raise Damage("the stack table has bytes left")
        return nodes

    @staticmethod
    def stack_caller(node):
        while node[1] & WRAPPER and node[2]:
            node = node[2]
        return node[0]

    def read_kinds(self, cursor, count, types, stacks):
        kinds, caller, last = [], 0, 0
        if count > KINDS_MAX:
            raise Damage("%d kinds" % count)
        for _ in range(count):
            type_ = types.get(cursor.varint())
            if not type_:
                raise Damage("an event that the schema lacks")
            code = cursor.varint() if len(stacks) > 1 else 0
            stack = last + unzigzag(code - 1) if code else 0
            if code and not 1 <= stack < len(stacks):
                raise Damage("stack %d of %d" % (stack, len(stacks) - 1))
            last = stack or last
            if not code and type_.has_caller:
                caller = (caller + unzigzag(cursor.varint())) & MASK
            of_kind = self.stack_caller(stacks[stack]) if code else caller
            kinds.append(Kind(type_, of_kind if type_.has_caller else 0, stacks[stack]))
        if cursor.left():
            raise Damage("the kind table has bytes left")
        return kinds


class Recording:
    """All of a file that can be read; `damage` says what could not."""

    def __init__(self, data):
        self.damage, self.frames, self.types = [], [], None
        self.given_back = False  # and what follows has not begun yet
        self.sequence = 0  # of the last frame
        self.data = data
        self.begun, self.process_of = {}, {}  # requests of the open segment, by process and method; processes of streams
        self.summed = []  # of the events of the open segment those that its digest must have
        self.segments = []  # (offset, numbers of the head) as far as they have been read
        at = 0
        while at < len(data) or not at:
            try:
                at = self.take(at)
            except (Damage, struct.error) as error:
                self.damage.append("at byte %d: %s" % (at, error))
                at = next_piece(data, at + 1) if at else len(data)

    def take(self, at):
        """Where what follows the piece at `at` begins."""
        if at == 0:
            read_header(self.data)
        magic, piece = piece_at(self.data, at)
        if magic == MAGIC_ZSTD:
            self.take_frame(decompress(piece))
        elif magic == MAGIC_END:
            checked_payload(self.data, at, 40)
        elif magic == MAGIC_GONE and not self.frames:
            self.given_back = bool(tagged_payload(piece, b"GONE", 6))
        elif magic == MAGIC_SEGMENT:
            head = tagged_payload(piece, b"SEGM", 14)
            if self.given_back:
                self.sequence = head[1]
            self.segments.append((at, head))
        elif magic == MAGIC_DIGEST:
            self.take_digest(piece)
        elif magic == MAGIC_INDEX:
            self.take_index(piece, at)
        return at + len(piece)

    def is_in_digest(self, record):
        return record.type.family in DIGEST_FAMILIES or record.type.name in DIGEST_EVENTS

    def take_digest(self, piece):
        """It stands behind the head of the next segment, and has what the segment before that had."""
        version = struct.unpack_from("<I", piece, 12)[0]
        if piece[8:12] != b"DGST" or version not in (1, 2, 3):
            raise Damage("a digest of another version")
        frame = Frame(decompress(piece[24:]), self.types)
        sums = {tuple(record.values[:2]): record.values[2] for record in frame.records if record.type.name == "request_sum"}
        begun, self.begun = self.begun, {}
        if "request_sum" in (event.name for event in self.types.values()) and not self.given_back and not self.damage and sums != begun:
            raise Damage("a digest that has other requests than its segment")
        whole = sorted(repr(content) for content in self.summed if DIGEST_EVENTS.get(content[2], 1) <= version)
        self.summed = []
        if self.given_back:
            return
        if frame.sequence != self.sequence:
            raise Damage("a digest up to frame %d behind frame %d" % (frame.sequence, self.sequence))
        if not self.damage and sorted(repr(record.content()) for record in frame.records if record.type.name != "request_sum") != whole:
            raise Damage("a digest that is not what its segment has")

    def take_index(self, piece, at):
        """It repeats the heads; `back` leads to each from where the index begins."""
        if xxh64(piece[8:-8]) != struct.unpack("<Q", piece[-8:])[0] or piece[8:12] != b"INDX":
            raise Damage("the index is damaged")
        count = struct.unpack_from("<Q", piece, len(piece) - 16)[0]
        entries = [struct.unpack_from("<15Q", piece, 16 + 120 * number) for number in range(count)]
        heads = {offset: head for offset, head in self.segments}
        for back, *head in entries:
            if heads.get(at - back, tuple(head)) != tuple(head) or at - back > at:
                raise Damage("the index says another thing of segment %d than its head" % head[0])
        if [head[0] for head in heads.values()] != [entry[1] for entry in entries][-len(heads):]:
            raise Damage("the index has other segments than the file")

    def take_frame(self, content):
        if self.types is None:
            self.types = read_schema(content)
            return
        if content[:4] == b"STAT" and not self.given_back:
            return
        frame = Frame(content, self.types)
        for record in frame.records:
            if record.type.name == "thread":
                self.process_of[record.values[0]] = record.values[1]
        for record in frame.records if not frame.is_state else ():
            if record.type.name == "request_begin":
                key = self.process_of.get(record.stream), record.values[2]
                self.begun[key] = self.begun.get(key, 0) + 1
        if not frame.is_state:
            self.summed += [record.content() for record in frame.records if self.is_in_digest(record)]
        self.given_back = False
        if self.frames and not frame.is_state and frame.sequence != self.sequence + 1:
            self.damage.append("frame %d follows frame %d" % (frame.sequence, self.sequence))
        self.sequence = frame.sequence
        self.frames.append(frame)


# --- text ---------------------------------------------------------------------------------------


class Dump:
    """Lines as `prof-report dump` writes them; what a frame defines holds for all of that frame and later."""

    def __init__(self):
        self.names, self.threads = {0: b""}, {}

    def learn(self, frame):
        for record in frame.records:
            if record.type.name == "string":
                self.names.setdefault(record.values[0], record.values[1])
            elif record.type.name == "thread":
                self.threads.setdefault(record.values[0], "%d:%d" % tuple(record.values[1:3]))

    def value(self, codec, value):
        if codec == NAME:
            value = self.names.get(value, b"<lost #%d>" % value)
        if codec in (NAME, TEXT):
            return json.dumps(value.decode("utf-8", "surrogateescape"))
        return "0x%x" % value if codec in (ADDR, BORN, DIES, CALLER, BLOCK, SERIAL) else str(value)

    def line(self, record):
        who = self.threads.get(record.stream, str(record.stream))
        fields = ["%s=%s" % (name, self.value(codec, value))
                  for (name, codec), value in zip(record.type.fields, record.values)]
        if record.stack:
            fields.append("stack=" + self.stack(record.stack))
        return " ".join([str(record.time), who, record.type.name] + fields)

    @staticmethod
    def stack(node):
        frames = []
        while node:
            address, flags, node = node
            frames.append("0x%x" % address + ("/%d" % flags if flags else ""))
        return ",".join(frames)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n")[0])
    with open(sys.argv[1], "rb") as file:
        recording = Recording(file.read())
    dump = Dump()
    for frame in recording.frames:
        dump.learn(frame)
        sys.stdout.writelines(dump.line(record) + "\n" for record in frame.records)
    for text in recording.damage:
        print("evtdump: '%s': %s" % (sys.argv[1], text), file=sys.stderr)
    sys.exit(bool(recording.damage))


if __name__ == "__main__":
    main()

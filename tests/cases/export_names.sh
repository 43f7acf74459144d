#!/bin/bash
# Names of all things stay data in every format of export: its reader finds those of the reports, no record more, nothing that steers.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
need_program names_file
for tool in callgrind_annotate ms_print; do
	need_tool $tool
done
locale -a | grep -qix 'C\.utf-\?8' || skip "no locale C.UTF-8"
export LC_ALL=C.UTF-8
cat >names.py <<'END_OF_PYTHON'
names = ["plain", "\x1b[31mred\x07\b\x7f", "\x9b31mred", "a\"b'c`d", "back\\slash \\n \\x1b", "two\nlines", "\r\nthree", "x;y;z", "tab\there",
         "=cmd()|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\tcell", "\rcell", "'); DROP TABLE StringIds;--", "</script><img src=x onerror=alert(1)>",
         "<![CDATA[ ]]> <!-- --> &amp; &#0;", "a" * 10000, "a" * 9999 + "b", "\u05e9" * 5001, "b c" * 3000, "\x1b" * 9000, "\u202egnp.exe", "\u2066\u2069\u200b\ufeff", "\u2028\u2029\x85",
         "\u05e9\u05dc\u05d5\u05dd", "\U0001f600\U000e0041", "fn=(1) calls=1 2", "snapshot=0", "%s%n{}${x}", ",,\",\"\n\"", "a,b", " ends ", "../../etc/passwd",
         "a 12", "\u0301", "|", "#"]
raw = [b"\xff\xfe\xc3", b"\xed\xa0\x80 half", b"cut \xe2\x82", b"\xc0\xaf", b"\x1b\xff;\n"]
open("names", "wb").write(b"".join(name + b"\0" for name in [one.encode() for one in names] + raw))
END_OF_PYTHON
python3 -S names.py
"$PROGRAMS/names_file" names run.evt || fail "names_file: status $?"
"$REPORT" check run.evt >out || fail "check: $(cat out)"

cat >read.py <<'END_OF_PYTHON'
"""read.py FORMAT PATH: what its reader has of the names is what the reports have."""
import collections, csv, glob, gzip, json, os, pstats, re, sqlite3, subprocess, sys, xml.etree.ElementTree
format, path = sys.argv[1:]

def table(report, *options):
    done = subprocess.run([os.environ["REPORT"], report, "--format", "json", "--limit", "0", *options, "run.evt"], capture_output=True, timeout=600)
    return json.loads(done.stdout)["rows"]

given = [name.decode("utf-8", "replace") for name in open("names", "rb").read().split(b"\0")[:-1]]
wanted = [row["name"] for row in table("nvtx")]
assert len(wanted) == len(given) and {name for name in given if "\ufffd" not in name} <= set(wanted)
texts = {"ops": "name", "kernels": "name", "nvtx": "name", "io": "file", "threads": "name", "processes": "command", "lines": "function"}

def same(what, found, names=wanted):
    found, names = collections.Counter(list(found)), collections.Counter(list(names))
    assert found == names, (what, [ascii(name)[:60] for name in found - names][:9], [ascii(name)[:60] for name in names - found][:9])

def seen(character):  # as docs/prof-report.1 has it: \n, \xNN, \u{N}
    known = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    at = ord(character)
    if character in known:
        return known[character]
    if at < 0x20 or at == 0x7f:
        return "\\x%02x" % at
    return "\\u{%x}" % at if re.match("[\x80-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]", character) else character

def shown(name):
    return "".join(map(seen, name))

def is_plain(text, line=False):
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff]", text), ascii(text)[:200]
    assert not line or "\n" not in text, text

def text_of(path):  # what is written for people and for readers of lines: no byte steers, and it is UTF-8
    text = open(path, encoding="utf-8", newline="").read()
    is_plain(text)
    return text

def tables_of_csv():
    for name, column in texts.items():
        rows = list(csv.reader(open(f"{path}/{name}.csv", newline="", encoding="utf-8")))
        assert len(rows) == 1 + len(given) and all(len(row) == len(rows[0]) for row in rows), name
        cells = [row[rows[0].index(column)] for row in rows[1:]]
        guarded = [one for one in map(shown, (row[column] for row in table(name)))]
        guarded = ["'" + one if one[0] in "=+-@" or one[:2] in ("\\t", "\\r") and one not in ("\\r", "\\t") and given_first(name, column, one) else one for one in guarded]
        # bytes that are no UTF-8 are written out here, in JSON they are U+FFFD
        same(name, [cell for cell in cells if not re.search(r"\\x[89a-f]", cell)], [one for one in guarded if "\ufffd" not in one])
    for name in glob.glob(path + "/*.csv"):
        for row in csv.reader(open(name, newline="", encoding="utf-8")):
            for cell in row:
                is_plain(cell, line=True)
                assert cell[:1] not in tuple("=+@\t\r") and (cell[:1] != "-" or re.fullmatch(r"-[\d.e+-]+", cell)), (name, cell)

def given_first(name, column, cell):  # it began with that character, not with a backslash
    return any(shown(row[column]) == cell and row[column][0] in "\t\r" for row in table(name))

def tables_of_json():
    for name in glob.glob(path + "/*.json"):
        is_plain(open(name, encoding="utf-8").read().replace("\n", ""), line=True)
    for name, column in texts.items():
        same(name, (row[column] for row in json.load(open(f"{path}/{name}.json"))["rows"]), (row[column] for row in table(name)))

def chrome():
    is_plain(open(path, encoding="utf-8").read())
    events = json.load(open(path))["traceEvents"]
    for category in "kernel", "cpu_op":
        same(category, (event["name"] for event in events if event["ph"] == "X" and event["cat"] == category))
    for phase in "X", "i":
        same("range", (event["name"] for event in events if event["ph"] == phase and event["cat"] == "user_annotation"))
    same("files", (event["args"]["path"] for event in events if event.get("cat") == "io" and "path" in event["args"]))

def sqlite():
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    def column(query):
        return [row[0] for row in db.execute(query)]
    assert "StringIds" in column("SELECT name FROM sqlite_master")
    same("ranges", column("SELECT IFNULL(text, value) FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId WHERE end IS NOT NULL"))
    same("operators", column("SELECT value FROM TORCH_OPERATORS JOIN StringIds ON id = nameId"))
    same("kernels", column("SELECT value FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName"))
    same("threads", column("SELECT value FROM ThreadNames JOIN StringIds ON id = nameId"))

def parquet():
    import duckdb
    def column(family, name):
        return [row[0] for row in duckdb.sql(f"SELECT {name} FROM read_parquet('{path}/*/*/family={family}/*.parquet')").fetchall()]
    same("ranges", column("ranges", "name"), wanted * 2)  # and marks
    for family, name in ("operators", "name"), ("kernels", "name"), ("threads", "name"), ("processes", "command"):
        same(family, column(family, name))

def looked(row):
    return f"{row['function']} ({row['file'].rpartition('/')[2]}:2)"

def perfetto():
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
    trace = schema.Trace()
    trace.ParseFromString(open(path, "rb").read())
    words = [word.name for packet in trace.packet for word in packet.interned_data.event_names]
    spans = [word for word in words if not word.endswith(":2)")]  # those are lines of Python
    assert set(wanted) <= set(spans) and len(words) == len(set(words)) and len(spans) <= len(wanted) + 5, [ascii(word)[:60] for word in set(wanted) ^ set(spans)]
    same("looks", (word for word in words if word.endswith(":2)")), (looked(row) for row in table("lines")))
    tracks = [packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")]
    assert set(wanted) <= {track.thread.thread_name for track in tracks} and set(wanted) <= {track.process.process_name for track in tracks}

def stacks():  # each of one frame; half of them are lines of Python
    rows = table("flame")
    assert len(rows) == 2 * len(given)
    return rows

def framed(name):  # as a frame of a stack: a ; ends it, and the middle of what is very long is left out
    name = shown(name).replace(";", ":").encode()
    return (name if len(name) < 512 else name[:200] + b"..." + name[-300:]).decode("utf-8")

def folded():
    lines = [line.rpartition(" ") for line in text_of(path).split("\n")[:-1]]
    assert len(lines) == len(stacks()) and {value for _, _, value in lines} == {"1000", "2000"}
    assert len({stack for stack, _, _ in lines}) == len(lines)
    names = [framed(name) for name in wanted if "\ufffd" not in name]
    if format == "stacks":  # which has no blanks in names
        names = [name.replace(" ", "_") for name in names]
    same("lines", (stack for stack, _, value in lines if value == "1000" and not re.search(r"\\x[89a-f]", stack)), names)

def speedscope():
    scope = json.load(open(path))
    is_plain(open(path, encoding="utf-8").read())
    same("frames", (frame["name"] for frame in scope["shared"]["frames"] if "file" in frame))
    assert len(scope["shared"]["frames"]) == len(stacks()) and sum(scope["profiles"][0]["weights"]) == 3000 * len(given)

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at

def pprof():  # field 6 is the table of strings, field 2 a sample
    data, at, strings, samples = gzip.open(path).read(), 0, [], 0
    while at < len(data):
        key, at = varint(data, at)
        length, at = varint(data, at)
        if key & 7 == 2:
            if key >> 3 == 6:
                strings.append(data[at:at + length].decode())
            samples += key >> 3 == 2
            at += length
    assert samples == len(stacks()) and strings[0] == ""
    for string in strings:
        is_plain(string, line=True)
    assert {framed(name) for name in wanted if "\ufffd" not in name} <= {string.replace(";", ":") for string in strings}

def opened_by(*command):
    done = subprocess.run([*command, path], capture_output=True, timeout=600)
    assert done.returncode == 0 and not done.stderr, (command, done.stderr[-400:])
    text = done.stdout.decode("utf-8")
    is_plain(text)
    return text

def callgrind():
    lines = text_of(path).split("\n")
    assert sum(line.startswith("fn=") for line in lines) == len(stacks())
    assert not any(line.startswith(("calls=", "cfn=", "cfi=", "jump=")) for line in lines)
    said = opened_by("callgrind_annotate", "--threshold=100", "--auto=no")
    rows = re.findall(r"^ *([\d,]+) \( *[\d.]+%\)  (.*)$", said, re.MULTILINE)
    assert rows.pop(0) == (f"{3000 * len(given):,}", "PROGRAM TOTALS") and len(rows) == len(stacks()), rows[:3]

def massif():
    text = text_of(path)
    numbers = [int(number) for number in re.findall("^snapshot=([0-9]+)$", text, re.MULTILINE)]
    assert numbers == list(range(len(numbers))) and text.count("\n#-----------\n") == 2 * len(numbers)
    assert f"{3000 * len(given):,}" in opened_by("ms_print", "--threshold=0")

def svg():
    root = xml.etree.ElementTree.parse(path).getroot()
    is_plain(open(path, encoding="utf-8").read().replace("\t", ""))  # of its script
    kinds = collections.Counter(node.tag.rpartition("}")[2] for node in root.iter())
    assert set(kinds) == {"svg", "style", "script", "rect", "text", "g", "title", "foreignObject", "input"} and kinds["script"] == kinds["input"] == 1, kinds
    assert not [key for node in root.iter() for key in node.attrib if key.rpartition("}")[2] in ("href", "onerror", "onload") and node is not root]
    assert kinds["title"] >= len(stacks())

def profile():
    same("functions", pstats.Stats(path).stats.keys(), ((row["file"], row["line"], row["function"]) for row in table("functions")))

{"csv": tables_of_csv, "json": tables_of_json, "chrome": chrome, "sqlite": sqlite, "parquet": parquet, "perfetto": perfetto, "folded": folded, "stacks": folded,
 "speedscope": speedscope, "pprof": pprof, "callgrind": callgrind, "massif": massif, "svg": svg, "pstats": profile}[format]()
END_OF_PYTHON

export REPORT
formats=$("$REPORT" export no-such-format run.evt 2>&1 | sed -nE 's/.* is not one of ([a-z, ]*).*/\1/p' | tr -d ,)
(($(wc -w <<<"$formats") >= 12)) || fail "formats: '$formats'"
readers=$(fetched readers)
read_back() { # FORMAT PATH
	local python=python3
	if [[ $1 == parquet || $1 == perfetto ]]; then # cases export_parquet and export_perfetto say what is missing
		[[ -e $readers/complete ]] || return 0
		python=$readers/bin/python
	fi
	"$python" read.py "$1" "$2" >log 2>err || wrong+="$1: $(tail -n 1 err | cut -c 1-1500)"$'\n'
}
wrong=
for format in $formats; do
	"$REPORT" export "$format" run.evt -o "out.$format" 2>err || fail "$format: status $? $(cat err)"
	read_back "$format" "out.$format"
done
"$REPORT" functions --format pstats -o out.pstats run.evt 2>err || fail "pstats: $(cat err)"
read_back pstats out.pstats
for format in svg folded; do
	"$REPORT" flame --format $format -o flame.$format run.evt 2>err || fail "$format: $(cat err)"
	read_back $format flame.$format
done
[[ -z $wrong ]] || fail "names are not what they were: $wrong"
exit 0

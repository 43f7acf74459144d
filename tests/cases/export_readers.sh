#!/bin/bash
# Stacks that were exported, opened by the programs they are for: pprof, flamegraph.pl, callgrind_annotate; hostile names, too.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_program stack_leaks
need_tool callgrind_annotate
need_tool perl
readers=$(fetched debian-readers)
[[ -x $readers/pprof ]] || skip "no pprof, flamegraph.pl (scripts/debian-readers.sh loads them)"
python=$(command -v python3.11 || command -v python3)

cat >work.py <<'END2'
names = ["plain", "</text><script>alert(1)</script>", "a;b c", "(12)", "ns::f<int, char const*>(void*)", "%s%n", "\"q'&amp;", "tab\there",
         "line\nbreak", "esc\x1b[31m", "f'2", "-->", "]]>", "=cmd()", "\u05e9\u202e", "12", "[lib]", "(anonymous namespace)::g", "operator()",
         "file.c:12", "_Z3fooIiEvv", "calls=1 2", "fn=(1)", "+5", "-5", "* 3", "a" * 3000, "x -> y", "<lambda>", "--"]
kept = []
def work(size):
    kept.append(bytearray(size))
def made(name, file, inner, size=""):
    def renamed(code):
        more = {"co_qualname": name} if hasattr(code, "co_qualname") else {}
        return code.replace(co_name=name, **more)
    code = compile(f"def f():\n    inner({size})\n    inner({size})", file, "exec")
    space = {"inner": inner}
    exec(code.replace(co_consts=tuple(renamed(c) if hasattr(c, "co_code") else c for c in code.co_consts)), space)
    return space["f"]
for at, name in enumerate(names):
    made(names[-1 - at], "</svg>;(1).py", made(name, "b.py", work, 100000 + at))()
# one name in two files, beside and inside each other; and one that calls itself from two lines
made("twice", "one.py", made("twice", "two.py", work, 200000))()
made("twice", "two.py", work, 300000)()
def again(depth):
    if depth > 3:
        again(depth - 1)
    elif depth:
        again(depth - 1)
    else:
        work(50000)
again(6)
END2
cat >compare.py <<'END2'
import collections, json, os, re, subprocess, sys, xml.etree.ElementTree
readers = sys.argv[1]

def run(*command):
    done = subprocess.run(command, capture_output=True)
    assert done.returncode == 0, (command, done.stderr)
    assert b"uninitialized" not in done.stderr and b"Ignored" not in done.stderr, done.stderr[-300:]
    return done.stdout.decode().split("\n")

folded = {}
for line in open("out.folded", newline="\n"):
    stack, value = line.rstrip("\n").rsplit(" ", 1)
    folded[tuple(stack.split(";"))] = int(value)
whole = sum(folded.values())
assert whole == json.load(open("flame.json"))["totals"]["total"]
own, inside, nodes = collections.Counter(), collections.Counter(), collections.Counter()
for stack, value in folded.items():
    own[stack[-1]] += value
    for name in set(stack):
        inside[name] += value
    for depth in range(1, len(stack) + 1):
        nodes[stack[:depth]] += value

all_of = ["-unit=bytes", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0", "out.pprof"]
rows = [re.fullmatch(r" *(\d+)B? +\S+ +\S+ +(\d+)B? +\S+  (.*)", line) for line in run(readers + "/pprof", "-top", *all_of)]
rows = [row for row in rows if row]
shown = {row[3]: (int(row[1]), int(row[2])) for row in rows}
assert len(shown) == len(rows)
assert shown == {name: (own[name], inside[name]) for name in inside}, set(shown.items()) ^ {(n, (own[n], inside[n])) for n in inside}
shown, stack, value = collections.Counter(), [], 0
for line in run(readers + "/pprof", "-traces", *all_of)[2:]:
    start = re.fullmatch(r" {1,9}(\d+)B? {3}(.*)|(\d{8,})B {3}(.*)", line)
    if line.startswith("-----------+--"):
        shown[tuple(reversed(stack))] += value
        stack, value = [], 0
    elif start and not stack:
        value, stack = int(start[1] or start[3]), [start[2] or start[4]]
    elif line:
        assert line.startswith(" " * 13), line
        stack.append(line[13:])
shown[tuple(reversed(stack))] += value
assert +shown == folded, set(shown.items()) ^ set(folded.items())
raw = run(readers + "/pprof", "-raw", "out.pprof")
samples = raw[raw.index("alloc/bytes") + 1:raw.index("Locations")]
assert sum(int(line.split(":")[0]) for line in samples) == whole

# flamegraph.pl writes < and > as parentheses
titles = collections.Counter()
svg = "\n".join(run("perl", readers + "/flamegraph.pl", "--minwidth", "0", "out.folded"))
for element in xml.etree.ElementTree.fromstring(svg).iter():
    kind = element.tag.rsplit("}", 1)[-1]
    assert kind in ("svg", "defs", "linearGradient", "stop", "style", "script", "rect", "text", "g", "title"), kind
    if kind == "title":
        titles[element.text] += 1
assert svg.count("<script") == 1
swapped = str.maketrans("<>", "()")
assert titles.pop(f"all ({whole:,} samples, 100%)") == 1
titles = collections.Counter(title.rsplit(",", 1)[0] for title in titles.elements())
wanted = collections.Counter()
for stack, value in nodes.items():
    wanted[tuple(name.translate(swapped) for name in stack)] += value
wanted = collections.Counter(f"{stack[-1]} ({value:,} samples" for stack, value in wanted.items())
assert titles == wanted, (titles - wanted, wanted - titles)

# by file and name: frames and stacks of speedscope's file, which says nothing of lines where there are several
scope = json.load(open("out.speedscope"))
frames = [(frame.get("file") or "???", frame["name"]) for frame in scope["shared"]["frames"]]
own, inside, profile = collections.Counter(), collections.Counter(), scope["profiles"][0]
for stack, value in zip(profile["samples"], profile["weights"], strict=True):
    own[frames[stack[-1]]] += value
    for frame in {frames[at] for at in stack}:
        inside[frame] += value
assert sum(own.values()) == whole
# callgrind_annotate leaves out of a function that is called what nobody called it for
called = collections.Counter()
for stack, value in zip(profile["samples"], profile["weights"]):
    for frame in {frames[at] for at in stack} - {frames[stack[0]]}:
        called[frame] += value
annotated = {frame: called[frame] or value for frame, value in inside.items()}
if sys.argv[2:] == ["hostile"]:
    assert inside["one.py", "twice"] // 100 == 8000 and inside["two.py", "twice"] // 100 == 8000 + 6000, inside
    assert [frame for frame in scope["shared"]["frames"] if frame["name"] == "work"][0]["line"] == 6
    plain = [frame for frame in scope["shared"]["frames"] if (frame["name"], frame.get("file")) == ("plain", "b.py")]
    assert not any("line" in scope["shared"]["frames"][at] for stack in profile["samples"] for at in stack
                   if scope["shared"]["frames"][at] in plain), plain
for which, table in ((), own), (("--inclusive=yes",), annotated):
    rows = [re.fullmatch(r" *([\d,]+) (?:\( *[\d.]+%\)| +)  (.*)", line) for line in
            run("callgrind_annotate", "--auto=no", "--threshold=100", *which, "out.callgrind")]
    shown = collections.Counter({row[2]: int(row[1].replace(",", "")) for row in rows if row})
    assert shown.pop("PROGRAM TOTALS") == whole
    for (file, name), value in table.items():
        if re.fullmatch(r"[\w<>]{1,400}", name) and "(" not in file:  # others are escaped
            text = f"{file.removeprefix(os.getcwd() + '/')}:{name}"
            found = sum(count for at, count in shown.items() if at == text or not which and re.fullmatch(re.escape(text) + r"'\d+", at))
            assert found == value, (which, text, found, value)
    if not which:
        assert sum(shown.values()) == whole, (sum(shown.values()), whole)
for name in "</text><script>alert(1)</script>", "(12)", "ns::f<int, char const*>(void*)", "fn=(1)", "calls=1 2", "+5", "* 3", "f'2", "12":
    if sys.argv[2:] == ["hostile"]:
        found = [count for at, count in shown.items() if at in (f"b.py:{name}", f"b.py:_{name}")]
        assert found == [annotated["b.py", name]], (name, found)
END2

for what in native hostile; do
	rm -rf run.evt* ./out.*
	if [[ $what == native ]]; then
		INTERCEPT_STACKS=native run_traced "$PROGRAMS/stack_leaks" >out 2>err || fail "$(cat err)"
	else
		INTERCEPT_TRACE=alloc INTERCEPT_STACKS=python run_traced "$python" -I work.py >out 2>err || fail "$(cat err)"
	fi
	written run.evt
	for format in pprof folded callgrind speedscope; do
		"$REPORT" export $format "$OUTPUT" -o out.$format 2>err || fail "$format: $(cat err)"
	done
	"$REPORT" flame "$OUTPUT" --format json >flame.json || fail "flame"
	python3 -S compare.py "$readers" $what 2>err || fail "$what: $(tail -n 3 err | cut -c 1-1500)"
done
exit 0

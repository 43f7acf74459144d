#!/bin/bash
# export speedscope, folded, stacks, pprof and callgrind: each has the stacks and the sums that the reports have.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_program stack_leaks
INTERCEPT_STACKS=native run_traced "$PROGRAMS/stack_leaks" >out 2>err || fail "$(cat err)"
for format in speedscope folded stacks pprof callgrind; do
	"$REPORT" export $format "$OUTPUT" -o out.$format 2>err || fail "$format: $(cat err)"
	expect_match "$format" "$(cat err)" "'out.$format': [0-9,]+ stacks, "
done
"$REPORT" flame "$OUTPUT" --format folded >flame.folded || fail "flame"
cmp flame.folded out.folded || fail "folded lines are not those of report flame"
"$REPORT" flame "$OUTPUT" --format json >flame.json || fail "flame"
"$REPORT" top-down "$OUTPUT" --format json >tree.json || fail "top-down"
python3 -S - >totals <<'END' || fail "what was exported is not what the reports have"
import collections, gzip, json
flame, tree = json.load(open("flame.json")), json.load(open("tree.json"))
whole = flame["totals"]["total"]
folded = {}
for line in open("out.folded"):
    stack, value = line.rstrip("\n").rsplit(" ", 1)
    assert stack not in folded, stack
    folded[stack] = int(value)
assert sum(folded.values()) == whole > 0
assert max(stack.count(";") for stack in folded) > 0, "no stack has two frames: nothing is shown by this test"
for mine, theirs in zip(open("out.folded"), open("out.stacks"), strict=True):
    stack, value = mine.rsplit(" ", 1)
    assert theirs == stack.replace(" ", "_") + " " + value, theirs

scope = json.load(open("out.speedscope"))
assert scope["$schema"] == "https://www.speedscope.app/file-format-schema.json"
profile, = scope["profiles"]
assert (profile["type"], profile["unit"], profile["startValue"], profile["endValue"]) == ("sampled", "bytes", 0, whole)
# the rules of speedscope's file format (src/lib/file-format-spec.ts of speedscope), written anew: Debian and PyPI do not have its schema
assert set(scope) == {"$schema", "exporter", "name", "shared", "profiles"} and set(scope["shared"]) == {"frames"}, scope.keys()
assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}, profile.keys()
for frame in scope["shared"]["frames"]:
    assert set(frame) <= {"name", "file", "line", "col"} and isinstance(frame["name"], str), frame
    assert isinstance(frame.get("file", ""), str) and type(frame.get("line", 1)) is int and frame.get("line", 1) > 0, frame
assert all(type(at) is int and 0 <= at < len(scope["shared"]["frames"]) for stack in profile["samples"] for at in stack)
assert all(type(weight) is int and weight > 0 for weight in profile["weights"]) and sum(profile["weights"]) == profile["endValue"]
names = [frame["name"] for frame in scope["shared"]["frames"]]
shown = collections.Counter()
for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
    shown[";".join(names[at].replace(";", ":") for at in stack)] += weight
assert shown == folded

def fields(data):  # of a message of protobuf
    at = 0
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, key
            length = varint()
            yield key >> 3, data[at:at + length]
            at += length
    assert at == len(data)

parts = collections.defaultdict(list)
for number, value in fields(gzip.open("out.pprof").read()):
    parts[number].append(value)
text = [value.decode("utf-8") for value in parts[6]]
assert text[0] == ""
kind, = [dict(fields(value)) for value in parts[1]]
assert (text[kind[1]], text[kind[2]]) == ("alloc", "bytes")
function = {f[1]: text[f[2]] for f in (dict(fields(value)) for value in parts[5])}
location = {l[1]: function[dict(fields(l[4]))[1]] for l in (dict(fields(value)) for value in parts[4])}
assert len(location) == len(parts[4]) and 0 not in location
shown = collections.Counter()
for value in parts[2]:
    sample = list(fields(value))
    stack = [location[at] for number, at in sample if number == 1]
    shown[";".join(reversed(stack))] += sum(at for number, at in sample if number == 2)
assert shown == folded, (shown, folded)
print(whole)
print(max(row["total"] for row in tree["rows"]))
END
if command -v callgrind_annotate >/dev/null; then
	callgrind_annotate out.callgrind >annotated || fail "callgrind_annotate: status $?"
	expect_eq "total of callgrind_annotate" "$(awk '/PROGRAM TOTALS/ { gsub(",", "", $1); print $1 }' annotated)" "$(head -n 1 totals)"
	callgrind_annotate --inclusive=yes out.callgrind >annotated || fail "callgrind_annotate --inclusive: status $?"
	most=$(sed -n '/file:function/,$p' annotated | awk '$1 ~ /^[0-9]/ { gsub(",", "", $1); print $1; exit }')
	expect_eq "inclusive" "$most" "$(tail -n 1 totals)"
fi

# other families and values; and what is refused
"$REPORT" export folded --value calls "$OUTPUT" >calls.folded 2>/dev/null || fail "--value"
"$REPORT" flame --value calls --format folded "$OUTPUT" | cmp - calls.folded || fail "--value calls"
"$REPORT" export folded --of cuda "$OUTPUT" -o cuda.folded 2>err && fail "a file without a stack"
[[ -e cuda.folded ]] && fail "a file was written with nothing in it"
expect_match "nothing recorded" "$(cat err)" "[Cc][Uu][Dd][Aa]"
"$REPORT" export chrome --of io "$OUTPUT" -o x 2>err && fail "chrome has no --of"
expect_match "chrome --of" "$(cat err)" "export chrome takes no --of"
# a damaged file: what is readable
bytes=$(stat -c %s "$OUTPUT")
head -c $((bytes * 3 / 4)) "$OUTPUT" >cut.evt
"$REPORT" export speedscope cut.evt -o cut.json 2>err
[[ ! -e cut.json ]] || python3 -m json.tool cut.json >/dev/null || fail "not JSON"
expect_match "a file that was cut" "$(cat err)" "cut.evt|INCOMPLETE|nothing|no "
exit 0

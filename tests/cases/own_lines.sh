#!/bin/bash
# Lines of the user's own code, in samples and in the heap: by folders, --own and INTERCEPT_OWN; the sums are those of --frames all.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(command -v python3.11 || command -v python3) || skip "no Python 3"
"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 13))' || skip "no Python 3.8 to 3.13"
export PYTHONDONTWRITEBYTECODE=1

# A package that is installed calls another; the script calls it by a helper of its own, from two places.
mkdir -p site-packages/codec
cat >site-packages/codec/__init__.py <<'END'
def encode(n):
    return [bytes(1000) for _ in range(n)]
END
cat >script.py <<'END'
import sys, time
sys.path.insert(0, "site-packages")
import codec

kept = []


def load(n):
    return codec.encode(n)


def often():
    kept.append(load(300))


def rarely():
    kept.append(load(20))


def spin():
    end = time.process_time() + 1.5
    while time.process_time() < end:
        sorted(range(1000), key=lambda x: -x)
        codec.encode(50)


often()
rarely()
spin()
END
INTERCEPT_STACKS=python INTERCEPT_SAMPLE=200 run_traced "$python" script.py || fail "status $?"

# the heap
bytes() { json alloc "$OUTPUT" "sum(r['bytes_allocated'] for r in rows if '$1' in (r['line'] or ''))" --by line "${@:2}"; }
expect_between "bytes of the helper's line" "$(bytes script.py:9)" 320000 400000
expect_eq "bytes of the package's lines" "$(bytes site-packages)" 0
expect_between "bytes of the package's lines, of all frames" "$(bytes site-packages/codec/__init__.py:2 --frames all)" 320000 100000000000
expect_eq "bytes of the helper's line, of all frames" "$(bytes script.py:9 --frames all)" 0
for own in "--own codec" "--own */site-packages/codec/*,nothing"; do
	# shellcheck disable=SC2086 # two words
	expect_between "bytes of the package's lines with $own" "$(set -f; bytes site-packages/codec $own)" 320000 100000000000
done
expect_between "bytes of the package's lines with INTERCEPT_OWN" "$(INTERCEPT_OWN=codec bytes site-packages/codec)" 320000 100000000000
expect "$OUTPUT" 'all(alloc("--by", "line").sum(key) == alloc("--by", "line", "--frames", "all").sum(key)
	for key in ("bytes_allocated", "allocations", "live_bytes"))' \
	'not any(r.called_from is not None or r.library is not None for r in alloc("--by", "line", "--frames", "all").rows)'
behind() { json alloc "$OUTPUT" "next((r['$2'] or '') for r in rows if (r['line'] or '').endswith('$1'))" --by line "${@:3}"; }
expect_match "caller of the helper's line" "$(behind script.py:9 called_from)" 'script\.py:13$'
expect_match "library behind the helper's line" "$(behind script.py:9 library)" 'site-packages/codec/__init__\.py:2 '
expect_match "library behind a line of lines" "$(json lines "$OUTPUT" "[r['library'] for r in rows if r['line'] == 24][0]" --columns file,line,called_from,library)" 'codec'

# samples
line() { json lines "$OUTPUT" "[r for r in rows if (r['file'] or '').endswith('script.py') and r['line'] == $1][0]$2"; }
expect_match "library behind a line" "$(line 24 "['library']")" 'codec/__init__\.py:2 '
expect_match "caller of spin()" "$(line 24 "['caller']")" 'script\.py:29$'
expect "$OUTPUT" 'not any("site-packages" in (r.file or "") for r in lines.rows)' 'lines.totals.steps_cpu_ns == 0' \
	'all(lines.sum(key) == lines("--frames", "all").sum(key) == lines("--by", "function").sum(key) for key in ("cpu_ns", "wait_ns", "samples"))'
expect_match "the first answer" "$(json bottleneck "$OUTPUT" "[(r['line'], r['function']) for r in rows if r['id'] == 'hot_line']")" 'script\.py'

# as it was set while the program was recorded
rm -f "$OUTPUT"
INTERCEPT_OWN=codec INTERCEPT_STACKS=python run_traced "$python" script.py || fail "status $?"
expect_between "bytes of the package's lines, as it was recorded" "$(bytes site-packages/codec)" 320000 100000000000
refuses 2 "'all, or'|own, all" lines --frames some "$OUTPUT"

# what pip install --target has left in a folder of any name; the user's own module lies beside it
mkdir -p vendored/codec vendored/codec-1.0.dist-info
cp site-packages/codec/__init__.py vendored/codec/
echo 'codec/__init__.py,,' >vendored/codec-1.0.dist-info/RECORD
sed 's/site-packages/vendored/' script.py >vendored/script.py
rm -f "$OUTPUT"
PYTHONPATH=$PWD/vendored INTERCEPT_STACKS=python run_traced "$python" vendored/script.py || fail "status $?"
expect_eq "bytes of what was installed" "$(bytes vendored/codec)" 0
expect_between "bytes of the user's line beside it" "$(bytes vendored/script.py:9)" 320000 400000
expect_match "library behind a line" "$(line 24 "['library']")" '/vendored/codec/__init__\.py:2 '

# native code
need_program own_plugin
made=$(grep -n 'return new Derived' "$ROOT/tests/programs/own_plugin.cpp" | cut -d: -f1)
rm -f "$OUTPUT"
INTERCEPT_CHILDREN=all INTERCEPT_STACKS=native run_traced "$PROGRAMS/own_plugin" >/dev/null || fail "status $?"
rows=$(json leaks "$OUTPUT" "sorted((r['function'] or '', r['allocations']) for r in rows if r['bytes'] >= 5000)")
expect_match "who leaks" "$rows" "make_plugin"
expect_eq "what the library is named for" "$(json leaks "$OUTPUT" "sum('std::' in (r['function'] or '') for r in rows)")" 0
expect_match "line" "$(json leaks "$OUTPUT" "max(rows, key=lambda r: r['bytes'])['line']" --by line)" "own_plugin\.cpp:$made\$"
expect_match "all frames" "$(json leaks "$OUTPUT" "max(rows, key=lambda r: r['bytes'])['function']" --frames all)" 'std::_Vector'
expect_match "the first answer" "$(json bottleneck "$OUTPUT" "[(r['id'], r['line'], r['function']) for r in rows][0]")" "leak', .*own_plugin\.cpp:$made', 'make_plugin'"
said=$("$REPORT" bottleneck "$OUTPUT")
[[ $said != *torch* && $said != *Python* ]] || fail "words of Python for a program without: $said"
expect_eq "sum" "$(json leaks "$OUTPUT" "sum(r['bytes'] for r in rows)")" "$(json leaks "$OUTPUT" "sum(r['bytes'] for r in rows)" --frames all)"
# What `python -c` was given is of its own program: what two programs call <string> never shares a row, and one program's runs do.
cat >programs.sh <<'END2'
work='def work(n):
    return bytearray(100000 * n)
kept = []
for i in range(%d): kept.append(work(1))
'
for count in 3 5 3; do
	"$1" -c "$(printf "$work" $count)"
done
END2
INTERCEPT_TRACE=+functions INTERCEPT_STACKS=python INTERCEPT_SAMPLE=0 run_traced sh programs.sh "$python" || fail "programs: status $?"
first=$(json processes "$OUTPUT" 'sorted((r["start_ns"], r["pid"]) for r in rows if "range(3)" in r["command"])[0][1]')
other=$(json processes "$OUTPUT" '[r["pid"] for r in rows if "range(5)" in r["command"]][0]')
expect_eq "calls by program" "$(json functions "$OUTPUT" 'sorted((int(r["calls"]), r["file"]) for r in rows if r["function"] == "work")')" \
	"[[5, \"<string of process $other>\"], [6, \"<string of process $first>\"]]"
expect_eq "blocks by program" "$(json alloc "$OUTPUT" 'sorted((r["allocations"], r["line"]) for r in rows if (r["line"] or "").endswith(">:2"))' --by line)" \
	"[[5, \"<string of process $other>:2\"], [6, \"<string of process $first>:2\"]]"
expect_eq "blocks by stack" "$(json alloc "$OUTPUT" 'sorted((r["allocations"], r["stack"][1]["file"]) for r in rows if r["function"] == "work")' --by stack)" \
	"[[5, \"<string of process $other>\"], [6, \"<string of process $first>\"]]"
exit 0

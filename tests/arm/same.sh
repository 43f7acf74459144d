#!/bin/bash
# SPDX-License-Identifier: MIT
# programs: counts stack_depths
#
# Run by scripts/test-arm.sh, which sets O and ARM_ROOT: programs that do the same each time, on x86-64 and under the emulator. Both recordings
# have the same counts, bytes, functions and stacks, and the readers of both architectures say so of both: each names functions
# out of the other architecture's files.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

record() { # STACKS NAME ARGUMENT...: ours.evt and theirs.evt
	local stacks=$1 name=$2
	shift 2
	rm -f ./*.evt
	env "INTERCEPT_STACKS=$stacks" "INTERCEPT_OUTPUT=$PWD/ours.evt" "LD_PRELOAD=$ROOT/build/libintercept.so" "$ROOT/build/programs/$name" "$@" ||
		fail "$name on x86-64: status $?"
	env "INTERCEPT_STACKS=$stacks" "INTERCEPT_OUTPUT=$PWD/theirs.evt" "LD_PRELOAD=$LIB" "$PROGRAMS/$name" "$@" ||
		fail "$name on aarch64: status $?"
}
rows() { # READER FILE KEY COLUMNS FILTER: in one order
	"$1" alloc --by "$3" --columns "$4" --limit 0 --format csv "$2" | grep -E "$5" | LC_ALL=C sort
}
same() { # WHAT LEAST KEY COLUMNS FILTER
	local reader file first=''
	for reader in "$ROOT/build/prof-report" "$REPORT"; do
		for file in ours theirs; do
			rows "$reader" "$file.evt" "$3" "$4" "$5" >"$file.csv" || fail "$reader alloc --by $3 $file.evt"
			[[ $first ]] || cp "$file.csv" first.csv
			first=yes
			diff first.csv "$file.csv" >differences ||
				fail "$1: x86-64 (<) and $file.evt as $reader reads it (>) differ by $3: $(head -n 4 differences)"
		done
	done
	(($(wc -l <first.csv) >= $2)) || fail "$1: rows by $3: $(cat first.csv)"
	echo "$1: $(wc -l <first.csv) rows by $3 are equal"
}
numbers=allocations,bytes_allocated,live_allocations,live_bytes,temporary_allocations

record caller counts expected.json 200
same counts 8 function "function,$numbers" .
record native stack_depths
same stack_depths 80 stack "stack,$numbers" 'run;descend' # a handler's frames have libc's between them

# Debian's CPython, of one version for both, and code of its library.
cat >work.py <<'END'
import difflib, json, textwrap
def work():
    text = [textwrap.fill("word %d " % i * 40, 30 + i) for i in range(12)]
    for i in range(11):
        json.loads(json.dumps({"lines": text[i].split("\n") * 9, "more": list(range(200))}))
        list(difflib.unified_diff(text[i].split("\n"), text[i + 1].split("\n")))
work()
END
rm -f ./*.evt
export INTERCEPT_STACKS=python PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
env "INTERCEPT_OUTPUT=$PWD/ours.evt" "LD_PRELOAD=$ROOT/build/libintercept.so" /usr/bin/python3.11 -S work.py || fail "x86-64: status $?"
qemu-aarch64 -L "$ARM_ROOT" -E "PYTHONHOME=$ARM_ROOT/usr" -E "INTERCEPT_OUTPUT=$PWD/theirs.evt" \
	-E "LD_PRELOAD=$BUILD/arm/libintercept.so:${BUILD%/run}/programs/libemulated.so" "$ARM_ROOT/usr/bin/python3.11" -S work.py || fail "aarch64: status $?"
same python 6 stack "stack,$numbers" ';work;'

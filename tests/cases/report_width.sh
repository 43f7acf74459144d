#!/bin/bash
# No line of a table or of the summary is wider than the screen. Where there is none, no name is cut and no column left out.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >judge.py <<'END'
import sys

wide = tables = width = 0
for line in sys.stdin:
    line = line.rstrip("\n")
    if line.startswith("\1"):  # a table follows
        width, what = int(line[1:].split()[0]), line[1:]
        tables += 1
    elif len(line) > width:
        wide += 1
        print("%d of %s columns: %s" % (len(line), what, line), file=sys.stderr)
print(tables, "tables")
sys.exit(wide != 0 or tables < 900)
END
mapfile -t reports < <(printf '%s\n' '' 'alloc --range none' 'nvtx --tree' 'modules --tree'; tables keys)
declare -A empty=() judged=() wide=()
look() { # FILE REPORT: on a narrow screen; and on a wide one, which hardly needs to leave out anything, of the first two files with rows
	local width widths=(80)
	[[ ${wide[${2:--}]:-} == xx || ${empty[${2%% *}-]:-} ]] || wide[${2:--}]+=x widths+=(200)
	for width in "${widths[@]}"; do
		printf '\1%s %s of %s\n' "$width" "$2" "$1"
		# shellcheck disable=SC2086 # words
		COLUMNS=$width "$REPORT" $2 "$1" 2>/dev/null
	done
}
for path in "$ROOT"/tests/golden/*.evt; do
	export LC_ALL=C.UTF-8
	cd "${path%/*}" || exit # in the heading stands the file's name, not its folder
	for report in "${reports[@]}"; do
		name=${report%% *}
		file=${path##*/}
		if [[ $report == "$name" && $name && $name != summary ]]; then # before its keys: without rows by one, there are none by the others
			empty[$name-]=1
			(($("$REPORT" "$name" --format csv "$file" 2>/dev/null | wc -l) <= 1)) || empty[$name-]=''
		fi
		if [[ ${empty[$name-]:-} && $report != "$name" ]]; then
			# by one key or another, a table without rows is the same; why it has none hangs on the file
			[[ ! ${judged[$report]:-} ]] || continue
			judged[$report]=1
		fi
		look "$file" "$report"
	done
	empty=()
done | LC_ALL=C.UTF-8 python3 -I -S judge.py || fail "lines are wider than the screen"

# neither a terminal nor COLUMNS: names in full; a file is no terminal either, and `-o -` is stdout
unset COLUMNS
"$REPORT" io "$ROOT/tests/golden/io.evt" >wide.out || fail "io: status $?"
! grep -qF '…' wide.out || fail "cut: $(grep -F '…' wide.out)"
! grep -q 'not shown' wide.out || fail "columns are left out: $(grep 'not shown' wide.out)"
"$REPORT" io -o file.out "$ROOT/tests/golden/io.evt" || fail "--output: status $?"
cmp wide.out file.out || fail "--output is not what stdout is"
"$REPORT" io -o - "$ROOT/tests/golden/io.evt" | cmp - wide.out || fail "'-o -' is not stdout"
[[ ! -e - ]] || fail "'-o -' made a file"
COLUMNS=80 "$REPORT" io "$ROOT/tests/golden/io.evt" | grep -q 'not shown' || fail "COLUMNS does not count"

# the rows come before the histogram
"$REPORT" alloc "$ROOT/tests/golden/counts.evt" >alloc.out || fail "alloc: status $?"
expect_match "alloc" "$(grep -nE '^(caller|blocks by size)' alloc.out | cut -d: -f2 | cut -c1-6 | paste -sd' ')" '^caller blocks$'

# what is unmatched is explained, and only where there is some
grep -q '^unmatched: 2 frees of blocks' alloc.out || fail "two unmatched frees are not explained: $(cat alloc.out)"
"$REPORT" alloc "$ROOT/tests/golden/killed.evt" >alloc.out || fail "alloc: status $?"
grep -q '^caller' alloc.out || fail "no rows: $(cat alloc.out)"
! grep -q unmatched alloc.out || fail "nothing is unmatched, but it is explained"

# a command that is cut in a sentence says so, and keeps its program
expect_match "a command in a sentence" "$(COLUMNS=80 "$REPORT" memory "$ROOT/tests/golden/pymem.evt" | tr '\n' ' ')" \
	'in process [0-9]+ \(python -I -S objects\.py[^)]*\)'

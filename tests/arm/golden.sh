#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Run by scripts/test-arm.sh, which sets O and ARM_ROOT: files of earlier versions. aarch64's reader dumps them, and says in every report what that
# of x86-64 says (case golden holds that against what was said then). One process a file: it takes the emulator longer to start than to read.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

export PROF_REPORT_CACHE=off # what an earlier run has found out on this machine is not in the files
read_with() { # READER FILE FOLDER
	rm -rf "$3"
	mkdir "$3" || exit 1
	(cd "$3" && "$1" export json "$2" -o reports >said 2>&1)
	echo "$?" >"$3/status" # 1: the file is damaged
	"$1" dump "$2" >"$3/dump" 2>&1
	[[ -s $3/reports/summary.json && -s $3/dump ]] || fail "$2 is not read by $1: $(cat "$3/said")"
}
count=0
for file in "$ROOT"/tests/golden/{,events/}*.evt; do
	count=$((count + 1))
	read_with "$ROOT/build/prof-report" "$file" ours
	read_with "$REPORT" "$file" theirs
	diff -r ours theirs >differences || fail "the readers differ in $file: x86-64 (<), aarch64 (>): $(head -n 6 differences)"
done
((count > 30)) || fail "only $count files"
echo "files of earlier versions: all reports of $count are equal"

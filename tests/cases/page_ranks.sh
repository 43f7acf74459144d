#!/bin/bash
# The page's map of ranks by steps in a real Chromium: cells are those of the reports, the slow rank is seen without colours, more ranks than rows fit.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
need_browser chromium
need_program scale_files

look() { # SLOWEST-RANK FILE...
	local slowest=$1
	shift
	"$REPORT" page "$@" -o run.html 2>err || fail "page: $(cat err)"
	"$REPORT" steps --limit 0 --format json "$@" >steps.json 2>err || fail "steps: $(cat err)"
	"$REPORT" ranks --limit 0 --format json "$@" >ranks.json 2>err || fail "ranks: $(cat err)"
	python3 -S "$ROOT/tests/page_ranks.py" steps.json ranks.json run.html "$slowest" 2>err || fail "$1: $(tail -n 3 err)"
}

look 0 "$ROOT/tests/truth/recordings/straggler.evt"
# rank 5 of 120 takes twice as long; several ranks share a row, and several of 220 steps a column
"$PROGRAMS/scale_files" 120 "$PWD/run" 220 1 || fail "scale_files failed"
look 5 run.evt
[[ $(stat -c %s run.html) -lt 25000000 ]] || fail "the page is too large"
exit 0

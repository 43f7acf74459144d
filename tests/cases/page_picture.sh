#!/bin/bash
# README's picture: scripts/page-picture.py still draws it, small and of the size that docs/page.png has.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_browser chromium
"$ROOT/scripts/page-picture.py" page.png "$ROOT/tests/truth/recordings/good.evt" >out 2>err || fail "$(tail -n 3 err)"
size() { # PNG FILE: its width and height
	od -An -tx1 -j 16 -N 8 "$1"
}
expect_eq "a PNG" "$(head -c 4 page.png | tail -c 3)" PNG
expect_eq "width and height" "$(size page.png)" "$(size "$ROOT/docs/page.png")"
expect_between "bytes" "$(stat -c %s page.png)" 10000 200000
expect_between "bytes of docs/page.png" "$(stat -c %s "$ROOT/docs/page.png")" 10000 200000

# a recording without steps , or one that is no recording, has nothing to show
"$ROOT/scripts/page-picture.py" none.png "$ROOT/tests/golden/cut.evt" >out 2>err && fail "a picture of nothing"
expect_match "what is said" "$(tail -n 1 err)" "^page-picture: .*(has no step with an arrow: record the demo|no page of)"
[[ ! -e none.png ]] || fail "a picture was left"
exit 0

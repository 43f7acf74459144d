#!/bin/bash
# INTERCEPT_HELP=1 prints every setting on standard error, once, and the program runs on.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program hostile
INTERCEPT_HELP=1 run_traced "$PROGRAMS/hostile" >out 2>err
expect_eq "exit status" $? 21
expect_eq output "$(cat out)" 'done'
names=$(sed -n 's/^SETTING([a-z_]*, *\([A-Z_]*\).*/INTERCEPT_\1/p' "$ROOT"/preload/*/settings.def)
[[ $names ]] || fail "no names found in settings.def"
for name in $names; do
	grep -q "$name" err || fail "$name is not in the help: $(head -3 err)"
done
INTERCEPT_HELP=1 run_traced bash -c 'true; true; ls >/dev/null' 2>err2
(($(grep -c INTERCEPT_TRACE err2) <= $(grep -c INTERCEPT_TRACE err))) || fail "children print it again"

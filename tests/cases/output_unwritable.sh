#!/bin/bash
# A directory that cannot be written, or is none: the program runs, one line says it, nothing else is left.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program hostile
try() { # OUTPUT
	INTERCEPT_OUTPUT=$1 LD_PRELOAD=$LIB "${as[@]}" "$PROGRAMS/hostile" >out 2>err
	expect_eq "exit status with output $1" $? 21
	expect_eq "output with output $1" "$(cat out)" 'done'
	expect_eq "lines with output $1 ($(cat err))" "$(wc -l <err)" 1
	expect_match "line with output $1" "$(cat err)" '^intercept: .*[:,] '
}
as=()
try "$PWD/no/such/directory/run.evt"
try /proc/run.evt
: >file
try "$PWD/file/run.evt"
mkdir -m 555 readonly
ln -s "$PWD/elsewhere" link.evt
if [[ $(id -u) == 0 ]]; then
	need_tool setpriv
	chmod 755 . "$(dirname "$PWD")" 2>/dev/null
	as=(setpriv --reuid 65534 --clear-groups)
	"${as[@]}" test -x "$LIB" && "${as[@]}" true 2>/dev/null && try "$PWD/readonly/run.evt"
else
	try "$PWD/readonly/run.evt"
fi
[[ ! -e elsewhere ]] || fail "a link was followed"
expect_eq "what was left" "$(find . -name '*.evt' ! -name link.evt | wc -l)" 0

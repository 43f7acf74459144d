#!/bin/bash
# Code that a program makes at run time has the names of its perf map, when that is this process' own.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program jit
named() { # FILE: functions of what allocated 5000 bytes
	json alloc "$1" "[row['function'] for row in rows if row['bytes_allocated'] == 50000]"
}

run_traced "$BUILD/programs/jit" </dev/null >pid 2>err || fail "jit: $(cat err)"
map=/tmp/perf-$(cat pid).map
trap 'rm -f "$map"' EXIT
name='["LazyCompile:~made /app.js:7"]'
expect_eq "the function" "$(named run.evt)" "$name"
"$REPORT" alloc run.evt >out || fail "status $?"
grep -qF 'LazyCompile:~made /app.js:7+0x10 ' out || fail "the table does not name it: $(cat out)"
"$REPORT" symbolize run.evt >out 2>err || fail "symbolize: $(cat err)"

# of a process that had the pid before, or has it now
cp "$map" map
touch -d '2 days ago' "$map"
expect_eq "an older map" "$(named run.evt)" '[null]'
"$REPORT" alloc run.evt >out || fail "status $?"
tr '\n' ' ' <out | grep -qE "perf-[0-9]+.map is not this process' own" || fail "nothing said of the older map: $(cat out)"
touch -d 'next year' "$map"
expect_eq "a later map" "$(named run.evt)" '[null]'
rm "$map"
mkfifo "$map"
expect_eq "no file" "$(named run.evt)" '[null]'
rm "$map"
ln -s "$PWD/map" "$map"
expect_eq "a link" "$(named run.evt)" '[null]'
rm "$map"
"$REPORT" alloc run.evt >out || fail "status $?"
! grep -q 'perf-' out || fail "most programs have no map: $(cat out)"
expect_eq "symbolized" "$(named run.symbols.evt)" "$name"

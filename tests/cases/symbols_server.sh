#!/bin/bash
# Debug information from a debuginfod server: asked where DEBUGINFOD_URLS is set, never without.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

{ ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -q 'libdebuginfod\.so\.1' || skip "libdebuginfod1 is not installed"
functions() {
	json alloc run.evt "sorted(row['function'] or '?' for row in rows if row['module'] == 'subject')"
}

objcopy --only-keep-debug "$BUILD/programs/symbols" debug || fail "objcopy"
strip -o subject "$BUILD/programs/symbols" || fail "strip"
id=$(readelf -n subject | sed -n 's/.*Build ID: //p')
mkdir -p "served/buildid/$id"
mv debug "served/buildid/$id/debuginfo"
mkfifo hold
run_traced ./subject <hold 2>err &
subject=$!
exec 3>hold
eventually "modules of subject" knows_module "$OUTPUT" subject
exec 3>&-
wait "$subject" || fail "subject: $(cat err)"

export HOME=$PWD XDG_CACHE_HOME=$PWD/cache PROF_REPORT_CACHE=
(cd served && exec python3 -u -m http.server --bind 127.0.0.1 0) >server 2>&1 &
server=$!
trap 'kill $server 2>/dev/null' EXIT
until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' server) && [[ $port ]]; do
	kill -0 $server || fail "no server: $(cat server)"
	sleep 0.1
done

expect_eq "without the variable" "$(functions)" '["?", "?", "?", "?"]'
! grep -q GET server || fail "the server was asked: $(cat server)"
if command -v strace >/dev/null && strace -o trace true 2>/dev/null; then
	rm -rf cache
	strace -f -e trace=socket,connect -o trace "$REPORT" alloc --columns function run.evt >/dev/null 2>&1
	! grep -qE 'socket\(|connect\(' trace || fail "a socket is opened: $(cat trace)"
fi
# what was found out without debug information does not stand in the way of it
export DEBUGINFOD_URLS=http://127.0.0.1:$port
expect_eq "with the variable" "$(functions)" '["app::inlined(unsigned long)", "ends(unsigned long)", "hidden(unsigned long)", "plain"]'
grep -q "GET /buildid/$id/debuginfo" server || fail "the server was not asked: $(cat server)"
# a server that is gone costs what it knew, and the cache has it
kill $server
export DEBUGINFOD_URLS=http://127.0.0.1:1
expect_eq "kept" "$(functions)" '["app::inlined(unsigned long)", "ends(unsigned long)", "hidden(unsigned long)", "plain"]'

#!/bin/bash
# A file with several programs in it, as redis-server and redis-check-rdb are one: the module has the name that the program was started by.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program counts
modules() { # COMMAND: the names of its modules but libraries, by a row each of what they allocated
	rm -f run.evt
	run_traced "$@" counts.json 3 >out || fail "$1: status $?"
	json alloc "$OUTPUT" 'sorted({r["module"] for r in rows if ".so" not in (r["module"] or "")})' --by module
}
mkdir -p bin other
cp "$PROGRAMS/counts" bin/several
ln -s several bin/one
ln -s ../bin/several other/two
ln -s several bin/sever
expect_eq "its own name" "$(modules ./bin/several)" '["several"]'
expect_eq "a link beside it" "$(modules ./bin/one)" '["one"]'
expect_eq "its functions have names" "$(json alloc "$OUTPUT" 'any(r["function"] == "run_calloc" for r in rows) and not any((r["function"] or "").startswith("one+") for r in rows)' --by function)" true
expect_eq "a link elsewhere" "$(modules ./other/two)" '["several"]'
expect_eq "a short form of the name" "$(modules ./bin/sever)" '["several"]'
expect_eq "by PATH" "$(PATH=$PWD/bin:$PATH modules one)" '["one"]'
# a link of another file to the same name is none of it
ln -sf "$PROGRAMS/counts" bin/three
expect_eq "a link to another file" "$(PATH=$PWD/bin:$PATH modules three)" '["counts"]'

#!/bin/bash
# ls, cc, git, true and a shell under us: same output and status, no file but the session's own, no word.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

ulimit -c 0
mkdir work
cd work || exit 1
OUTPUT=$PWD/../run.evt
if command -v git >/dev/null; then
	git init -q . 2>/dev/null
fi
echo 'int main(void) { return 0; }' >a.c
same_as_bare true
same_as_bare false
same_as_bare ls -l /usr
same_as_bare sh -c 'ls / | sort | head -3; exit 4'
# shellcheck disable=SC2016 # expanded by that shell
same_as_bare bash -c 'for i in 1 2 3; do echo $i; /bin/true; done; ls | wc -l >/dev/null'
same_as_bare ls /no/such/file
same_as_bare bash -c 'kill -TERM $$'
same_as_bare bash -c 'cat </etc/passwd | grep root | wc -c'
command -v git >/dev/null && same_as_bare git status --short
if command -v "${CC:-cc}" >/dev/null; then
	same_as_bare "${CC:-cc}" -O2 a.c -o a.out
	./a.out || fail "what the compiler made does not run"
fi
command -v perl >/dev/null && same_as_bare perl -e 'print "x" x 10, "\n"; exit 3'
rm -rf .git a.c a.out bare.out bare.err traced.out traced.err
expect_eq "files that were left" "$(ls -A)" ''
cd ..
# recordings have the session's name; one beside another that is being written still has more in its name
files=$(find . -type f ! -name 'run.evt*' ! -name 'run.*.evt' ! -path './tmp/*')
expect_eq "files of ours" "$files" ''
# Exec'd programs that touch nothing of interest stay dormant: one process a file.
rm -f ./run.*
run_traced env bash -c 'ls >/dev/null; true; cat /dev/null' || fail "status $?"

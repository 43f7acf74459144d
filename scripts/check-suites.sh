#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Each suite of tests stays within its budget of CPU seconds, by tests/seconds.txt: what two cores do in the time that
# docs/CONTRIBUTING.md promises. A line of tests/seconds.txt names a test that exists. Each case that `make test-arm` does not run has
# a reason.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
status=0

budget() { # SUITE SECONDS [OPTION...]
	local tests cost suite=$1 most=$2
	shift 2
	read -r tests cost < <(tests/run "$@" --cost) || { echo "$suite: tests/run --cost failed"; status=1; return; }
	((tests > 100)) || { echo "$suite: only $tests tests"; status=1; }
	((cost <= most)) && return
	echo "tests/seconds.txt:1: the $tests tests of $suite need $cost s of CPU, more than $most: make some cheaper, or move them (tests/suites.sh)"
	status=1
}
budget "make check" 215 --suite check
budget "make test" 1050 --suite test
budget "make test-all" 2000

while read -r _ name; do
	[[ -e tests/cases/$name.sh || -e tests/fuzz/$name.c ]] || compgen -G "tests/unit/*/*/$name.c" >/dev/null && continue
	echo "tests/seconds.txt:1: no test is named '$name'"
	status=1
done <tests/seconds.txt
{ scripts/test-arm.sh --reasons >/dev/null; } 2>&1 || status=1
exit $status

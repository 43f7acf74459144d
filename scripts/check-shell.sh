#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs shellcheck on every shell script; python3 must at least be able to compile the Python ones.

cd "$(dirname "$0")/.." || exit 1
root=$PWD
command -v shellcheck >/dev/null || { echo "shellcheck not found: run 'make deps'"; exit 1; }
status=0
scripts=$(scripts/source-files.sh sh) || exit 1

# A script is read again with each one that sources it. Cases get the names of tests/lib.sh only, which each of them sources: that takes an
# eighth of the time.
names=$(mktemp -d) || exit 1
trap 'rm -rf "$names"' EXIT
mkdir "$names/tests"
ln -s "$PWD/tests/cases" "$names/tests/cases"
{
	sed -n 's/^\([a-z_]*\)() {.*/\1() { :; }/p' tests/lib.sh
	grep -oE '^[[:space:]]*(export |local )?[A-Za-z_]+=' tests/lib.sh | grep -v local | grep -oE '[A-Za-z_]+=' | sort -u | sed "s/.*/export &''/"
} >"$names/tests/lib.sh"

# What has not changed since it passed is left out (lint-cache.py). A case is judged with what
# tests/lib.sh gives it, any other script with all of these, as one may source another.
version=$(shellcheck --version)
others=$({ echo "$scripts" && echo tests/run && echo .ci/run; } | grep -v '^tests/cases/')
others_key=$(xargs cat <<<"$others" | sha256sum)
scripts/lint-cache.py shell "$version $others_key" 16 \
	shellcheck -x -f gcc -e SC1091,SC2013 <<<"$others" || status=1
grep '^tests/cases/' <<<"$scripts" |
	(cd "$names" && "$root/scripts/lint-cache.py" cases "$version $(cat tests/lib.sh)" 16 \
		shellcheck -x -f gcc -e SC1091,SC2013) || status=1
# shellcheck disable=SC2046 # a list of words
python3 -c 'import sys; [compile(open(name).read(), name, "exec") for name in sys.argv[1:]]' \
	$(scripts/source-files.sh py) || status=1
exit $status

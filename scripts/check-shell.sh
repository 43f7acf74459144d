#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs shellcheck on every shell script; python3 must at least be able to compile the Python ones.

cd "$(dirname "$0")/.." || exit 1
command -v shellcheck >/dev/null || { echo "shellcheck not found: run 'make deps'"; exit 1; }
status=0
scripts=$(scripts/source-files.sh sh) || exit 1
# shellcheck disable=SC2086 # a list of words
shellcheck -x -f gcc -e SC1091,SC2013 $scripts tests/run .ci/run || status=1
for file in $(scripts/source-files.sh py); do
	python3 -c 'import sys; compile(open(sys.argv[1]).read(), sys.argv[1], "exec")' "$file" || status=1
done
exit $status

#!/bin/bash
# SPDX-License-Identifier: MIT
# The man pages: no warning of groff's or, where it is installed, of mandoc's.

cd "$(dirname "$0")/.." || exit 1
status=0
for page in docs/*.[1-9]; do
	if command -v groff >/dev/null; then
		groff -man -Tutf8 -ww -z "$page" 2>&1 | grep . && status=1
	fi
	if command -v mandoc >/dev/null; then
		mandoc -T lint -W warning "$page" && continue
		status=1
	fi
done
exit $status

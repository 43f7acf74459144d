#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Reads file names from stdin; prints "LINES FILE:LINE NAME" for each function in them.

command -v ctags >/dev/null || { echo "function-lengths: ctags not found: run 'make deps'" >&2; exit 1; }
ctags -L - -o - --languages=C,C++ --kinds-C=f --kinds-C++=f --fields=neKz --sort=no --map-C=+.h 2>/dev/null |
	sed -n 's/^\([^\t]*\)\t\([^\t]*\)\t.*\tline:\([0-9]*\).*\tend:\([0-9]*\).*/\1 \2 \3 \4/p' |
	awk '{ print $4 - $3 + 1, $2 ":" $3, $1 }'

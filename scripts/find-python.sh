#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the path of an interpreter that has PyTorch: $PYTHON, the cached environment of `make demo`, or
# python3 of the PATH. Nothing is imported (that takes seconds): the package is only looked for.
# Exit status 1 and no output when there is none.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/intercept/venv/bin/python
for candidate in "${PYTHON:-}" "$cache" python3; do
	[ -n "$candidate" ] || continue
	path=$(command -v "$candidate") || continue
	"$path" -c 'import sys, importlib.util as u
sys.exit(not all(u.find_spec(name) for name in ("torch", "numpy")))' 2>/dev/null || continue
	echo "$path"
	exit 0
done
exit 1

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: demo.sh [DIRECTORY]
# Installs what is missing, builds, trains a small network under intercept and prints what prof-report
# has to say. The file is left in DIRECTORY (the current one) for more questions.

cd "$(dirname "$0")/.." || exit 1
out=${1:-.}
O=${O:-build}

show() { # the command as a user would type it, then its output
	printf '\n$ %s\n' "$*"
	env "$@"
}

scripts/install-deps.sh || exit 1
python=$(scripts/python-env.sh) || exit 1
"${MAKE:-make}" --no-print-directory O="$O" || exit 1

show INTERCEPT_OUTPUT="$out/run.evt" LD_PRELOAD="$O/libintercept.so" "$python" scripts/demo_train.py || exit 1
show "$O/prof-report" "$out/run.evt" || exit 1
cat <<END

More of the same run:
  $O/prof-report alloc --by size $out/run.evt
  $O/prof-report nvtx --sort self_ns --limit 10 $out/run.evt
  $O/prof-report alloc --range epoch $out/run.evt
  $O/prof-report --list
END

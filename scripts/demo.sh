#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: demo.sh [DIRECTORY]
# Installs what is missing, builds, trains a small network under intercept and prints what prof-report
# has to say. The file is left in DIRECTORY (the current one) for more questions.

cd "$(dirname "$0")/.." || exit 1
file=${1:+$1/}run.evt
O=${O:-build}

show() { # the command as a user would type it, then its output
	printf '\n$ %s\n' "$*"
	env "$@"
}

scripts/install-deps.sh || exit 1
python=$(scripts/python-env.sh) || exit 1
"${MAKE:-make}" --no-print-directory O="$O" || exit 1

show INTERCEPT_OUTPUT="$file" LD_PRELOAD="$O/libintercept.so" "$python" scripts/demo_train.py || exit 1
show "$O/prof-report" "$file" || exit 1
cat <<END

More of the same run:
  $O/prof-report bottleneck $file
  $O/prof-report lines --source scripts/demo_train.py $file
  $O/prof-report page -o run.html $file
  $O/prof-report nvtx --sort self_ns --limit 10 $file
  $O/prof-report alloc --range epoch $file
  $O/prof-report --list
END

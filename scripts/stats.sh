#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How long functions and files are, a line a program; the goal is 85 % of the functions up to 25 lines,
# 97 % up to 50 and none above 80.

cd "$(dirname "$0")/.." || exit 1
for part in preload collector report tests; do
	scripts/source-files.sh c h | grep "^$part/" | scripts/function-lengths.sh | awk -v part=$part '
		{ n++; a += $1 <= 25; b += $1 <= 50; c += $1 > 80; if ($1 > max) { max = $1; at = $2 " " $3 } }
		END { if (n) printf "%-10s %4d functions  <=25: %5.1f %%  <=50: %5.1f %%  >80: %d  longest %d (%s)\n",
			part, n, 100 * a / n, 100 * b / n, c, max, at }'
done
echo
scripts/source-files.sh c h def | xargs wc -l | sort -n | awk '
	$2 != "total" { n++; all += $1; last = $1 " " $2 } END { print n, "files,", all, "lines, longest", last }'

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: check-waits.sh [FILE...]
# A case of tests/cases does not sleep and hope that something has happened meanwhile: on a busy machine it has not. It asks for it
# again and again (`eventually` of tests/lib.sh, or a loop of several lines that ends by itself: `until`, `while`, `for ((...))`). A sleep that is no such thing says
# why in a comment behind it. Nor is there pipefail: `grep -q` and `head` end a pipe early, which is no failure.

cd "$(dirname "$0")/.." || exit 1
files=("$@")
((${#files[@]})) || files=(tests/lib.sh tests/cases/*.sh)
awk '
	FNR == 1 { depth = 0; here = "" }
	# texts that other programs read are not looked at
	here != "" { if ($1 == here) here = ""; next }
	match($0, /<<-?[\\\047"]*[A-Z_a-z0-9]+/) {
		here = substr($0, RSTART, RLENGTH)
		gsub(/[<\\\047"-]/, "", here)
	}
	/^[ \t]*#/ { next }
	/pipefail/ { print FILENAME ":" FNR ": pipefail: grep -q and head end a pipe early, which is no failure"; found = 1 }
	/^[ \t]*(until|while|for) .*do$/ { asks[++depth] = /^[ \t]*(until|while|for \(\()/ }
	/^[ \t]*(until|while) .*; *do sleep [0-9.]+; *done/ {
		print FILENAME ":" FNR ": a loop that has no end where that never happens: eventually (tests/lib.sh)"
		found = 1
	}
	/(^|[;({][ \t]*|&& |\|\| )[ \t]*sleep [0-9."$]/ && !/sleep [^;)]*&/ {
		one_line = /(until|while|for \(\().*do.*sleep.*done/
		if (!one_line && !(depth && asks[depth]) && !/sleep .*[ \t]# ./ && !/\047[^\047]*sleep[^\047]*\047/) {
			print FILENAME ":" FNR ": a sleep without a reason: wait for what has to happen (eventually), or say behind it why the time is right"
			found = 1
		}
	}
	/^[ \t]*done/ && depth { depth-- }
	END { exit found }' "${files[@]}"

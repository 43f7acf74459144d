# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# Which tests belong to which suite, for tests/run. There are three: check, test and test-all; each contains the ones before
# it. `make check` runs the first, `make test` the second, `make test-all` everything. A test states what it needs in its own file:
#
#   it calls a helper of tests/lib.sh that is marked "# fetched"    suite test: it needs PyTorch, which `make test` downloads
#   it calls a helper that is marked "# fetched: test-all"          suite test-all: it needs another download, or a browser
#   it has a line "# timeout: SECONDS", or used more than           suite test
#   $quick_cpu_s of CPU when tests/seconds.txt was written
#   it has a line "# suite: test-all, REASON"                       suite test-all
#   none of these                                                   suite check
#
# Unit tests and fuzz corpora belong to all suites. The result depends on nothing but the files of the tree.

quick_cpu_s=2
# What one test is taken to need if tests/seconds.txt does not name it: the mean of those that need less than a second.
unnamed_cpu_s=0.17

declare -A suite_of=() # of the cases that are not in the suite check

suites_helpers() { # MARK: names of helpers in tests/lib.sh, as an alternative of regular expressions
	sed -n "s/^\([a-z_]*\)() { # $1\$/\1/p" tests/lib.sh | paste -sd '|'
}

suites_cases_with() { # REGEX: the cases that have a line like this
	grep -lE "$1" tests/cases/*.sh | sed 's,.*/\(.*\)\.sh$,\1,'
}

# Fills suite_of. KEPT has "CPU-SECONDS NAME" lines.
suites_find() { # KEPT
	local name wrong
	wrong=$(grep -nE '^# suite:' tests/cases/*.sh | grep -vE ':# suite: test-all, .')
	[[ ! $wrong ]] || { echo "run: not '# suite: test-all, REASON': $wrong" >&2; exit 1; }
	while read -r name; do
		suite_of[$name]='test'
	done < <(
		suites_cases_with "^[^#]*\b($(suites_helpers 'fetched\(;.*\)*'))\b|^# timeout:"
		awk -v most=$quick_cpu_s '$1 > most && $2 !~ /^(test|fuzz)_/ { print $2 }' "$1"
	)
	while read -r name; do
		suite_of[$name]=test-all
	done < <(suites_cases_with "^[^#]*\b($(suites_helpers 'fetched: test-all\(;.*\)*'))\b|^# suite: test-all,")
}

# Does the suite contain the test?
suites_have() { # SUITE NAME
	case $1 in
	check) [[ ! ${suite_of[$2]:-} ]] ;;
	test) [[ ${suite_of[$2]:-} != test-all ]] ;;
	esac
}

# How many tests a suite has, and the CPU seconds they needed when tests/seconds.txt was written: "COUNT SECONDS".
suites_cost() { # KEPT; names on stdin
	awk -v unnamed=$unnamed_cpu_s -v kept="$1" '
		BEGIN { while ((getline line <kept) > 0) { split(line, part, " "); seconds[part[2]] = part[1] } }
		{ count++; sum += $1 in seconds ? seconds[$1] : unnamed }
		END { printf "%d %d\n", count, sum }'
}

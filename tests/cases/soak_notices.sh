#!/bin/bash
# What the soak has to notice: other output, another status, no end, a process that stays; and what it must not mind.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

mkdir jobs
nap=98765.$$ # no other run of this test sleeps so long
job() { # NAME TEXT [LIMIT]
	printf '#!/bin/bash\n# limit: %s\n\n%s\n' "${3:-60}" "$2" >"jobs/$1.sh"
}
# shellcheck disable=SC2016 # for the jobs
{
	job output '[[ $LD_PRELOAD ]] && echo preloaded || echo bare'
	job status '[[ ! $LD_PRELOAD ]]'
	job hangs '[[ ! $LD_PRELOAD ]] || sleep '$nap 3
	job numbers 'echo "at $BASHPID $SRANDOM"'
	job unsteady 'set -- a b c d e f g h i j k l m n o p q r s t u v w x y z; shift $((SRANDOM % 26)); echo "$1"; shift $((SRANDOM % $#)); echo "$1"; echo "$SRANDOM" | tr 0-9 a-j'
	job same 'env | grep -v "^SHLVL=" | sort; exit 5'
}
SOAK_JOBS=$PWD/jobs python3 "$ROOT/scripts/soak/main.py" --build "$BUILD" jobs >out 2>err
expect_eq "exit status" $? 1
expect_eq "what differs" "$(sed -n 's/^- job:\([a-z]*: [a-z]*\):.*/\1/p' out)" $'hangs: hang\noutput: differ\nstatus: differ'
expect_match "numbers" "$(cat out)" '- numbers: job:numbers'
expect_match "unsteady" "$(cat out)" '- unsteady: job:unsteady'
expect_match "the same" "$(cat out)" 'same output, standard error and status \| 1 \|'

rm jobs/{hangs,output,status}.sh
SOAK_JOBS=$PWD/jobs python3 "$ROOT/scripts/soak/main.py" --build "$BUILD" jobs >out 2>err || fail "nothing differs, and yet: $(cat out err)"
expect_eq "processes that stay" "$(pgrep -cfx "sleep $nap")" 0

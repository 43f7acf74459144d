#!/bin/bash
# Ranks that were started one by one are sessions of their own: named together they are one job, unless something contradicts.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(python3 -c "import sys; print(sys.executable)") # not a launcher of its version
# A rank says that it runs, and goes on until it may end: so ranks that run at the same time do.
mkfifo ready go
exec 8<>ready 9<>go
rank() { # NAME VARIABLE=VALUE...
	local name=$1
	shift
	env "$@" INTERCEPT_OUTPUT="$PWD/$name.evt" LD_PRELOAD="$LIB" "$python" -c '
import os
x = [bytearray(4444) for _ in range(25)]
os.write(8, b"x\n")
os.read(9, 1)' 2>>err &
	read -r -t 100 <&8 || fail "'$name' does not run: $(cat err)"
}
finish() { # COUNT
	head -c "$1" /dev/zero >&9
	wait
	written
}
processes() { # FILE...: prints "rank of its session" by session
	"$REPORT" processes --format csv --columns rank "$@" 2>err | tail -n +2 | tr -d '\r' | sort | tr '\n' ' '
}
job=(MASTER_ADDR=node0 MASTER_PORT=29500 WORLD_SIZE=2)

: >err
rank a0 RANK=0 "${job[@]}"
rank a1 RANK=1 "${job[@]}"
rank b0 RANK=0 "${job[@]}" MASTER_PORT=29501
rank b1 RANK=1 "${job[@]}" MASTER_PORT=29501
rank four RANK=3 "${job[@]}" WORLD_SIZE=4
rank plain PATH="$PATH"
rank bare0 RANK=0 WORLD_SIZE=2 MASTER_ADDR= MASTER_PORT=
rank slurm0 SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_JOB_ID=7
rank slurm1 SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_JOB_ID=7
rank slurm2 SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_JOB_ID=8
finish 10
expect_eq "what programs said" "$(cat err)" ''

expect_eq "ranks of a job" "$(processes a0.evt a1.evt)" '0 1 '
expect_eq "what is said of it" "$(cat err)" ''
expect_eq "blocks of a job" "$("$REPORT" alloc --by size --format json a0.evt a1.evt |
	python3 -S -c 'import json, sys; print(len(json.load(sys.stdin)["files"]))')" 2
"$REPORT" summary a1.evt a0.evt >out 2>err || fail "status $?"
expect_match "ranks in the summary" "$(tr '\n' ' ' <out)" ' Ranks 0 and 1 of 2\. '
expect_eq "what the summary says" "$(cat err)" ''
"$REPORT" processes --rank 1 --format csv --columns rank a0.evt a1.evt >out 2>err || fail "status $?"
expect_eq "rank 1 of a job" "$(tail -n +2 out)" 1
expect_eq "ranks of Slurm" "$(processes slurm0.evt slurm1.evt)" '0 1 '
expect_eq "what is said of Slurm's" "$(cat err)" ''
"$REPORT" processes a0.evt >out 2>err
expect_eq "what is said of a rank alone" "$(cat err)" 'prof-report: rank 1 of 2 is not in what is shown'

apart() { # WHY FILE...: two runs, and why
	local why=$1
	shift
	"$REPORT" processes "$@" >out 2>err || fail "status $? of $*"
	expect_eq "headings of $*" "$(grep -c '^==>' out)" 2
	expect_match "first line of $*" "$(head -n 1 err)" '^prof-report: 2 sessions: each is shown for itself$'
	expect_match "why of $*" "$(sed -n 2p err)" "^prof-report: '[^']*' is not taken as a rank of the job of '[^']*': $why$"
}
apart 'both are rank 0' a0.evt b0.evt
apart "its MASTER_PORT is '29501', the other's '29500'" a0.evt b1.evt
apart 'its job has 4 ranks, the other 2' a0.evt four.evt
apart "its SLURM_JOB_ID is '8', the other's '7'" slurm0.evt slurm2.evt
# Two jobs named together stay apart, and are joined each for itself, in whatever order.
"$REPORT" processes b1.evt a0.evt b0.evt a1.evt >out 2>err || fail "status $?"
expect_eq "headings of two jobs" "$(grep '^==>' out | tr '\n' ' ')" '==> b1.evt ==> a0.evt '
expect_eq "processes of two jobs" "$(grep -c python out)" 4
# What fits two jobs is in none.
apart "'bare0.evt' and 'a0.evt' both fit, but both are rank 0; name the files of one job" a1.evt bare0.evt a0.evt
# A program without a rank is not spoken of.
"$REPORT" processes a0.evt plain.evt >out 2>err || fail "status $?"
expect_eq "headings with a plain program" "$(grep -c '^==>' out)" 2
expect_eq "what is said of it" "$(grep -c 'is not taken' err)" 0

# Another run of the same job is not of this one: it ran later.
rank later RANK=1 "${job[@]}"
finish 1
apart 'they did not run at the same time' a0.evt later.evt

# What is damaged or twice.
cp a1.evt copy.evt
expect_eq "ranks with a copy" "$(processes a0.evt a1.evt copy.evt)" '0 1 '
head -c $(($(stat -c %s a1.evt) - 30)) a1.evt >cut.evt
"$REPORT" processes a0.evt cut.evt >out 2>err
expect_eq "status of a cut rank" $? 1
expect_eq "headings of a cut rank" "$(grep -c '^==>' out)" 0
head -c 100 a1.evt >stump.evt
"$REPORT" processes a0.evt stump.evt >out 2>err
expect_eq "status of a stump" $? 1
"$REPORT" processes a0.evt gone.evt >out 2>err
expect_eq "status of a missing rank" $? 1

# The host of the master is no one's business where hosts are left out; the port is kept, so another job is still told apart.
rank secret0 RANK=0 "${job[@]}" INTERCEPT_REDACT=host
rank secret1 RANK=1 "${job[@]}" INTERCEPT_REDACT=host
rank other1 RANK=1 "${job[@]}" MASTER_PORT=29501 INTERCEPT_REDACT=host
finish 3
expect_eq "ranks of a redacted job" "$(processes secret0.evt secret1.evt)" '0 1 '
"$REPORT" dump secret0.evt >out
! grep node0 out || fail "the master's name is in the file"
apart "its MASTER_PORT is '29501', the other's '29500'" secret0.evt other1.evt

# Copies without hosts and arguments are still one job, and name no host.
"$REPORT" redact a0.evt a1.evt >out 2>err || fail "status $?: $(cat err)"
expect_eq "ranks of copies" "$(processes a0.redacted.evt a0.redacted.1.evt)" '0 1 '
"$REPORT" dump a0.redacted.evt >out
! grep node0 out || fail "the master's name is in the copy"
expect_match "the master of a copy" "$(grep MASTER_ADDR out)" 'redacted-[0-9a-f]{8}'

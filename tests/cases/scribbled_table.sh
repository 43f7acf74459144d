#!/bin/bash
# A wild write into the process table: the collector ends with the real processes, not with those it invents.
# SPDX-License-Identifier: MIT
# timeout: 180
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program scribble
sleep 3000 &
older=$!
sleepers=()
trap 'kill $older "${sleepers[@]}" 2>/dev/null' EXIT

collector_ends() { # WHAT PID
	local i
	for ((i = 0; i < looks; i++)); do
		[[ $(cut -d' ' -f3 "/proc/$2/stat" 2>/dev/null) =~ ^Z?$ ]] && return
		sleep 0.1
	done
	kill -9 "$2"
	fail "$1: the collector has not gone"
}

try() { # WHAT ARGUMENT...
	local collector sleeper
	rm -f ./run.*
	run_traced "$PROGRAMS/scribble" "${@:2}" >out 2>err
	expect_eq "status with $1" $? 0
	read -r collector sleeper <out
	sleepers+=("$sleeper")
	[[ $collector -gt 1 ]] || fail "$1: no collector"
	collector_ends "$1" "$collector"
	expect_eq "what is said with $1" "$(cat err)" ''
	"$REPORT" check "$OUTPUT" >check.out || fail "check with $1: $(cat check.out)"
}

none=4294967295
try "a living stranger" "5:$older:1:$none"
try "and its true parent" "5:$older:$$:$none"
try "and a parent of ours" "1:$older:1:0" "2:$older:$older:1"
try "process 1" "1:1:0:$none" "1023:1:0:0"
# Younger than the session: a program that it has started and that does not map the memory any more.
try "a younger stranger" "5:0:$$:0" "6:0:0:$none" "7:0:1:$none"
for seed in 1 2 3 4 5 6; do
	try "noise $seed" random $seed "$older"
	try "noise $seed of a pid of ours" random $seed "${sleepers[0]}"
done
# What is invented is not what is missing: the real process and its end are there.
expect "$OUTPUT" 'len([row for row in processes.rows if row["exit_status"] == 0]) >= 1'

#!/bin/bash
# Native stacks that cannot be had: a filter that refuses perf_event_open() or kills, a user without rights, no rate, none asked for. One line says why.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program confine
need_program native_spin
export INTERCEPT_TRACE=native-samples,alloc INTERCEPT_SAMPLE=1000
says() { # WHAT REGEX: the report, its JSON, the summary and the flame graph
	expect_match "$1: native" "$("$REPORT" native --wait 60 "$OUTPUT" 2>&1 | tr '\n' ' ')" "$2"
	expect_eq "$1: rows" "$(json native "$OUTPUT" 'len(rows)')" 0
	expect_match "$1: flame" "$("$REPORT" flame --of native "$OUTPUT" 2>&1 | tr '\n' ' ')" "$2"
}
for how in eperm kill; do
	rm -f run*.evt
	"$PROGRAMS/confine" $how perf_event_open env INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$LIB" "$PROGRAMS/native_spin" shares 0.3 >out 2>err
	status=$?
	((status != 77)) || skip "no seccomp here"
	expect_eq "$how: status" $status 0
	expect_eq "$how: standard error" "$(cat err)" ''
	"$REPORT" check --wait 60 "$OUTPUT" >out || fail "$how: $(cat out)"
	reason='a filter of system calls \(seccomp\) refuses perf_event_open\(\)'
	[[ $how == eperm ]] || reason='the kernel has no perf_event_open\(\), or a filter of system calls hides it'
	says $how "no native stack was sampled: $reason"
	one=$("$REPORT" "$OUTPUT" | tr '\n' ' ')
	expect_match "$how: the summary" "$one" "MISSING in process [0-9]+: no native stack was sampled: $reason"
	[[ $one != *paranoid* ]] || fail "$how: perf_event_paranoid is blamed: $one"
	# the rest goes on
	expect_eq "$how: the file ends" "$(json processes "$OUTPUT" 'rows[0]["exit_status"]')" 0
done

# no rate, and nobody asked
rm -f run*.evt
INTERCEPT_SAMPLE=0 run_traced "$PROGRAMS/native_spin" shares 0.1 || fail "no rate: status $?"
says 'no rate' 'INTERCEPT_SAMPLE is 0'
rm -f run*.evt
INTERCEPT_TRACE=alloc run_traced "$PROGRAMS/native_spin" shares 0.1 || fail "not asked: status $?"
says 'not asked' 'INTERCEPT_TRACE=.*native-samples'

# somebody without rights: it is sampled where perf_event_paranoid allows that, without time in the kernel
((EUID == 0)) || exit 0
command -v setpriv >/dev/null || skip "'setpriv' is not installed"
rm -f run*.evt
open=$(TMPDIR=/tmp mktemp -d) || fail "no folder for somebody else"
trap 'rm -rf "$open"' EXIT
cp "$LIB" "$COLLECTOR" "$PROGRAMS/native_spin" "$open" && chmod 777 "$open"
setpriv --reuid 65534 --regid 65534 --clear-groups env INTERCEPT_OUTPUT="$open/run.evt" INTERCEPT_SAMPLE=200 LD_PRELOAD="$open/libintercept.so" \
	"$open/native_spin" shares 1 2>err || fail "nobody: status $?: $(cat err)"
[[ -e $open/run.evt ]] || skip "another user cannot write here"
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 4)
if ((paranoid > 2)); then
	expect_match 'nobody: refused' "$("$REPORT" native "$open/run.evt" 2>&1 | tr '\n' ' ')" 'kernel\.perf_event_paranoid is above 2'
	exit 0
fi
expect_eq 'nobody: who is on top' "$(json native "$open/run.evt" 'row(function="main")["total_percent"] > 95')" true
((paranoid < 2)) || expect_match 'nobody: the kernel' "$("$REPORT" native "$open/run.evt" | tr '\n' ' ')" 'Time in the kernel was not sampled'
exit 0

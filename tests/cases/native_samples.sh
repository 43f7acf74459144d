#!/bin/bash
# Native stacks are sampled by CPU time: shares, threads that come and go, fork, exec, libraries, stripped and inlined code, signals, death.
# SPDX-License-Identifier: MIT
# timeout: 400
# suite: test-all, half a minute of CPU for samples
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program native_spin
export INTERCEPT_TRACE=native-samples INTERCEPT_SAMPLE=1000 LD_LIBRARY_PATH=$PROGRAMS

cat >shares.py <<'END'
# usage: shares.py FILE.json MOST NAME=PERCENT...: total_percent of functions (of rows by another key percent), within 3 points or, of few
# samples, within 4 times what chance allows; and what was lost may have been of one function alone. MOST: percent of the CPU time of the processes that may be missing; lost samples are not.
# What is lost is counted with the kernel's records of threads that begin and end, so it may be more than the samples, or, of threads
# of different age, samples of more or less time than those that are there: what is missing is known only where little was lost.
import json, math, sys
doc = json.load(open(sys.argv[1]))
rows, totals = doc["rows"], doc["totals"]
samples = totals["samples"]
lost = 100 * totals["samples_lost"] / (samples + totals["samples_lost"])
assert samples + totals["samples_lost"] >= 300, "only %d samples" % samples
seen = totals["cpu_ns"] * (samples + totals["samples_lost"]) / samples
processes = json.load(open("processes.json"))["rows"]
used = sum(row["cpu_ns"] for row in processes)
start = 50e6  # what a process uses before it is sampled: more on a machine whose caches are others'
least = used * (1 - float(sys.argv[2]) / 100) - start * len(processes) if totals["samples_lost"] < samples / 10 else 0
assert least <= seen and totals["cpu_ns"] <= used * 1.03, "%.2f s were seen of %.2f s" % (seen / 1e9, used / 1e9)
for want in sys.argv[3:]:
    name, percent = want.rsplit("=", 1)
    share = float(percent) / 100
    found = [r for r in rows if name in map(str, (r.get("function"), r.get("module"), r.get("process"), r.get("thread"), r.get("range")))]
    assert len(found) == 1, "%d rows are named %s: %s" % (len(found), name, [r.get("function") for r in rows][:20])
    got = found[0].get("total_percent")
    got = found[0]["percent"] if got is None else got
    near = max(3, 400 * math.sqrt(share * (1 - share) / samples)) + lost
    assert abs(got - 100 * share) <= near, "%s has %.1f %%, wanted %.1f, of %d samples" % (name, got, 100 * share, samples)
END
shares() { # WHAT FILE MOST NAME=PERCENT... [-- OPTION...]
	local what=$1 file=$2
	shift 2
	local wanted=()
	while (($#)) && [[ $1 != -- ]]; do wanted+=("$1"); shift; done
	"$REPORT" native --format json --limit 0 --wait 60 "${@:2}" "$file" >native.json || fail "$what: native: status $?"
	"$REPORT" processes --format json --limit 0 "$file" >processes.json || fail "$what: processes: status $?"
	python3 -S shares.py native.json "${wanted[@]}" || fail "$what: $("$REPORT" native --limit 0 "$file")"
}
spin() { # MODE [SECONDS [THREADS]]
	rm -f run*.evt
	run_traced "$PROGRAMS/native_spin" "$@" >out 2>err || fail "$1: status $?: $(cat err)"
	expect_eq "$1: standard error" "$(cat err)" ''
	"$REPORT" check --wait 60 "$OUTPUT" >out || fail "$1: $(cat out)"
}
total() { # NAME: of the totals
	json native "$OUTPUT" "totals['$1']"
}

lost_few() { # a busy machine may lose many; what samples stand for is not known then, nor how many there are
	expect_eq 'samples' "$(json native "$OUTPUT" 'totals["samples"] > 0')" true
	[[ $(json native "$OUTPUT" 'totals["samples_lost"] < totals["samples"] / 10') == true ]]
}

spin shares 0.6
"$REPORT" native "$OUTPUT" >table || fail "native: status $?"
off=$(grep 'no native stack was sampled' table) && skip "$off"
shares shares "$OUTPUT" 3 alpha=50 beta=30 gamma_=20 main=100
# code that begins a program has no tables (_init): of thousands of samples it may have one
few_cuts() { # WHAT
	expect_eq "$1: cut stacks" "$(json native "$OUTPUT" 'sum(n for name, n in totals.items() if name.startswith("cut_")) <= 3')" true
}
few_cuts shares
expect_eq 'who is seen under work()' "$(json native "$OUTPUT" 'row(function="work")["cpu_ns"] > 0.7 * totals["cpu_ns"]')" true
# the same stacks in all that shows stacks
"$REPORT" flame --of native --format folded "$OUTPUT" | grep -q '^main;shares;alpha;work [0-9]\|^main;alpha;work [0-9]' ||
	fail "folded: $("$REPORT" flame --of native --format folded "$OUTPUT")"
expect_eq 'a tree' "$("$REPORT" top-down --of native "$OUTPUT" | grep -c 'alpha')" 1
for format in speedscope folded pprof callgrind; do
	"$REPORT" export "$format" --of native -o "out.$format" "$OUTPUT" 2>err || fail "export $format: $(cat err)"
	[[ -s out.$format ]] || fail "export $format wrote nothing"
done
expect_eq 'nothing to say of CPU time without samples' "$("$REPORT" native "$OUTPUT" | grep -c 'has no sample')" 0
expect_match 'the summary' "$("$REPORT" "$OUTPUT" | tr '\n' ' ')" 'Native functions \([0-9.]+ m?s of CPU time, [0-9,]+ samples\): [0-9.]+ % in work'
# names go with the file; another folder has no files to look at
cp "$OUTPUT" other.evt
"$REPORT" symbolize other.evt >out 2>&1 || fail "symbolize: $(cat out)"
expect_eq 'names in the file' "$(PROF_REPORT_CACHE=off json native other.evt 'row(function="work")["cpu_ns"] > 0')" true
"$REPORT" redact -o less.evt "$OUTPUT" 2>err || fail "redact: $(cat err)"
"$REPORT" diff "$OUTPUT" other.evt >out 2>&1 || fail "diff: $(cat out)"

# without symbols and frame pointers it is the same stacks
mkdir -p bare && cp "$PROGRAMS/native_spin" bare/ && strip bare/native_spin
rm -f run*.evt
run_traced bare/native_spin shares 0.6 || fail "stripped: status $?"
shares stripped "$OUTPUT" 4 native_spin=100 -- --by module
few_cuts stripped
expect_eq 'stripped: depth' "$("$REPORT" native --by stack --raw-stacks --format json --limit 1 "$OUTPUT" | python3 -S -c '
import json, sys
print(len(json.load(sys.stdin)["rows"][0]["stack"]) >= 5)')" True

spin threads
shares threads "$OUTPUT" 10 thread_0=25 thread_1=25 thread_2=25 thread_3=25
# all of them, but for a short one that no sample meets; where records were lost, some of them
expect_between 'threads that were seen' "$(json threads "$OUTPUT" 'len(rows)')" $(($(total samples_lost) ? 2 : 37)) 41
spin many 4 250
shares 'many threads' "$OUTPUT" 25 alpha=98
expect_eq 'many: left out' "$(total threads_left_out)" 0
# of 20 ms of a thread a period of 16.2 ms sees 16.2 at most, and the report says that shares may be wrong
INTERCEPT_SAMPLE=60 spin many 1.2 60
(($(total samples) == 0)) || expect_match 'many: what is not seen' "$("$REPORT" native "$OUTPUT" | tr '\n' ' ')" \
	'CPU time has no sample\. A thread is sampled each 16\.2 ms .*A higher INTERCEPT_SAMPLE'

spin fork 0.7
shares fork "$OUTPUT" 6 alpha=60 beta=40
! lost_few || expect_eq 'fork: processes with samples' "$(json native "$OUTPUT" 'sum(r["samples"] > 150 for r in rows)' --by process)" 2

# it becomes another program, which has a file of its own and the CPU time of the first as well: half of 1 s here, 1 s there
rm -f run*.evt
run_traced "$PROGRAMS/native_spin" exec 1 || fail "exec: status $?"
written
shares exec "$OUTPUT" 35 alpha=33.3 gamma_=66.7
! lost_few || expect_between 'exec: CPU time' "$(json native "$OUTPUT" 'int(totals["cpu_ns"] / totals["samples"] * (totals["samples"] + totals["samples_lost"]) / 1e6)')" 1400 1600
! lost_few || expect_eq 'exec: processes' "$(json native "$OUTPUT" 'sorted(r["samples"] > 250 for r in rows)' --by process)" '[true, true]'

spin plugins 0.6
shares plugins "$OUTPUT" 4 native_one=50 native_two=50
few_cuts plugins
spin made 0.6
shares 'code made at run time' "$OUTPUT" 4 '[code of no file]=50' alpha=50
expect_eq 'made: stacks that are cut there' "$(json native "$OUTPUT" '0.1 * totals["samples"] < totals["cut_no_table"] <= totals["samples"]')" true
spin stacks 0.6
shares 'other stacks' "$OUTPUT" 4 alpha=33.3 beta=33.3 gamma_=33.3
spin kernel 0.6
if (($(total user_only))); then
	expect_match 'time in the kernel' "$("$REPORT" native "$OUTPUT" | tr '\n' ' ')" 'Time in the kernel was not sampled'
else
	shares kernel "$OUTPUT" 4 kernel=100
	expect_eq 'time in the kernel' "$(json native "$OUTPUT" 'totals["kernel_ns"] > 0.8 * totals["cpu_ns"]')" true
fi

need_program native_inline
rm -f run*.evt
run_traced "$PROGRAMS/native_inline" 0.6 || fail "inlined: status $?"
shares inlined "$OUTPUT" 4 'work=75' 'outer=75' 'other=25' -- --names short

# a capture range: what is outside of it does not count
rm -f run*.evt
INTERCEPT_TRACE=native-samples,nvtx INTERCEPT_CAPTURE=nvtx:wanted run_traced "$PROGRAMS/native_spin" ranges 0.6 || fail "ranges: status $?"
expect_eq 'outside of the range' "$(json native "$OUTPUT" 'totals["samples"] > 0 and [r["function"] for r in rows if r["function"] == "alpha"] == []')" true
rm -f run*.evt
INTERCEPT_TRACE=native-samples,nvtx run_traced "$PROGRAMS/native_spin" ranges 0.6 || fail "ranges: status $?"
shares 'by range' "$OUTPUT" 4 outside=50 wanted=50 -- --by range

# killed while it is sampled
rm -f run*.evt
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/native_spin" for_ever >out &
pid=$!
eventually 'it begins' grep -q begins out
# shellcheck disable=SC2317 # eventually calls it
are_seen() { # more than its start has
	(($("$REPORT" dump "$OUTPUT" 2>/dev/null | grep -c "native_sample ") > 200))
}
eventually 'samples' are_seen
kill -9 $pid
wait $pid 2>/dev/null
"$REPORT" check --wait 60 "$OUTPUT" >out || fail "killed: $(cat out)"
expect_eq 'killed' "$(json native "$OUTPUT" 'row(function="alpha")["total_percent"] > 90')" true
exit 0

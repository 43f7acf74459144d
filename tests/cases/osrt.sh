#!/bin/bash
# INTERCEPT_TRACE=+osrt: waits are counted exactly, with who held the lock; programs behave as bare: errors, signals, cancellation, fork.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program waits
waits=$PROGRAMS/waits

# what the program sees, with each wait recorded, with none, and beside input and output
for families in +osrt +osrt,+io; do
	for what in all cancel signals fork; do
		for least in 0 1000s; do
			rm -f run.evt
			INTERCEPT_TRACE=$families INTERCEPT_OSRT_MIN=$least same_as_bare "$waits" $what
		done
	done
done
INTERCEPT_TRACE=+osrt INTERCEPT_STACKS=both same_as_bare "$waits" cancel
INTERCEPT_CHILDREN=none INTERCEPT_TRACE=+osrt same_as_bare sh -c "$waits all"

traced() { # LEAST WHAT...
	local least=$1
	shift
	rm -f run.evt
	INTERCEPT_TRACE=+osrt INTERCEPT_OSRT_MIN=$least run_traced "$waits" "$@" >out 2>err || fail "waits $*: $(cat err)"
}

# each call is recorded, or counted, or one of both
traced 0 locks 5000
expect_eq "locks recorded" "$(json waits run.evt 'row(function="pthread_mutex_lock")["calls"], totals["short_calls"]')" "(5000, 0)"
expect_eq "an exact number of events" "$("$REPORT" dump run.evt | grep -c 'osrt_wait function="pthread_mutex_lock"')" 5000
traced 1000s locks 5000
expect_eq "locks counted" "$(json waits run.evt 'row(function="pthread_mutex_lock")["calls"], row(function="pthread_mutex_lock")["short_calls"]')" "(0, 5000)"
expect_match "what a row of no calls is" "$("$REPORT" waits run.evt | tr '\n' ' ')" '5,[0-9]{3} calls took less than INTERCEPT_OSRT_MIN, '
expect_eq "of one thread" "$(json waits run.evt 'len(rows), rows[0]["short_calls"]' --by thread)" "(1, 5000)"
expect_eq "no filter chooses them" "$(json waits run.evt '"short_calls" in totals' --time 0s..1000s)" false
traced 10us locks 5000
expect_eq "locks" "$(json waits run.evt 'row(function="pthread_mutex_lock")["calls"] + row(function="pthread_mutex_lock")["short_calls"]')" 5000

# who held it; the lock has the same address under both keys
traced 0 held
holder=$(sed -n 's/^holder //p' out)
expect run.evt "waits.row(function='pthread_mutex_lock').held_by == $holder" "waits.row(function='pthread_rwlock_rdlock').held_by == $holder" \
	"waits('--by', 'holder').row(held_by=$holder).calls == 2" "waits('--by', 'holder').row(held_by=$holder).pid > 0" \
	'len(waits("--by", "object").select(kind="rwlock")) == 1' \
	'sorted(r.kind for r in waits("--by", "kind").rows) == ["mutex", "rwlock", "semaphore", "thread"]' \
	'threads.sum("waits") == waits.totals.calls' 'threads.sum("wait_ns") == waits.totals.total_ns'
expect_eq "the report by the name that nsys has" "$(json osrt_sum run.evt 'totals["calls"]')" "$(json waits run.evt 'totals["calls"]')"
"$REPORT" export chrome --output trace.json run.evt 2>err || fail "export chrome: $(cat err)"
expect_eq "slices" "$(python3 -S -c 'import json
events = json.load(open("trace.json"))
events = events if isinstance(events, list) else events["traceEvents"]
print(sum(e.get("cat") == "osrt" for e in events))')" "$(json waits run.evt 'totals["calls"]')"

# a thread that is killed in its wait
rm -f run.evt
(INTERCEPT_TRACE=+osrt run_traced "$waits" killed >out 2>err)
written run.evt
holder=$(sed -n 's/^holder //p' out)
expect_eq "a wait without an end" "$(json waits run.evt 'row(function="pthread_mutex_lock")["open"], row(function="pthread_mutex_lock")["held_by"], row(function="pthread_mutex_lock")["kind"]')" \
	"(1, $holder, 'mutex')"

# a forked child is a process of its own
traced 0 fork
expect_eq "parent and child" "$(json waits run.evt 'sorted(r["calls"] for r in rows)' --by process)" "[11, 21]"

# a call is recorded once, by family io if that is recorded
rm -f run.evt
INTERCEPT_TRACE=+osrt,+io INTERCEPT_OSRT_MIN=0 run_traced "$waits" all >out 2>err || fail "with io: $(cat err)"
"$REPORT" dump run.evt >events.txt || fail "no dump: status $?"
grep -m 1 -E 'osrt_wait function="(read|write|poll|recv|send)' events.txt >twice && fail "recorded twice: $(cat twice)"
grep -q 'io_read function="read"' events.txt || fail "no io_read"
expect_eq "a pipe" "$(json waits run.evt 'row(function="read")["calls"], row(function="read")["kind"]')" "(1, 'pipe')"
rm -f run.evt
INTERCEPT_TRACE=+osrt INTERCEPT_OSRT_MIN=0 run_traced "$waits" all >out 2>err || fail "without io: $(cat err)"
expect_eq "the same pipe" "$(json waits run.evt 'row(function="read")["kind"], row(function="read")["object"][:5]')" "('pipe', 'pipe:')"
expect_eq "the lock of a file" "$(json waits run.evt 'row(function="flock")["kind"], "waits-" in row(function="flock")["object"]')" "('file', True)"

# what steps and threads have by kind of wait is what the waits themselves add up to
rm -f run.evt
INTERCEPT_TRACE=+osrt INTERCEPT_OSRT_MIN=0 INTERCEPT_STEP=step run_traced "$waits" steps 5 >out 2>err || fail "steps: $(cat err)"
cat >groups.py <<'END'
import json, subprocess, sys
def ask(*words):
    return json.loads(subprocess.run([sys.argv[1], *words, "--format", "json", "run.evt"], capture_output=True, text=True, check=True).stdout)
FUNCTIONS = {"lock": "pthread_mutex_lock", "condition": "sem_wait", "poll": "poll", "socket": "read write", "sleep": "nanosleep"}
def of_waits(*words):
    rows = {row["function"]: row["total_ns"] for row in ask("waits", *words)["rows"]}
    return {group: sum(rows.get(name, 0) for name in names.split()) for group, names in FUNCTIONS.items()}
def of_row(row):
    return {group: row[group + "_wait_ns"] for group in FUNCTIONS}
steps = ask("steps", "--sort", "step")["rows"]
assert [row["step"] for row in steps] == list(range(5)), steps
for row in steps:
    assert of_row(row) == of_waits("--step", str(row["step"])), (row, of_waits("--step", str(row["step"])))
    assert all(bool(ns) == (row["step"] > 0) for ns in of_row(row).values()) and sum(of_row(row).values()) <= row["total_ns"], row
thread, = ask("threads")["rows"]
assert of_row(thread) == of_waits() and all(of_row(thread).values()), (thread, of_waits())
END
python3 -S groups.py "$REPORT" 2>err || fail "waits by group: $(tail -n 2 err)"
rm -f run.evt
INTERCEPT_STEP=step run_traced "$waits" steps 3 >out 2>err || fail "steps without osrt: $(cat err)"
expect_eq "not recorded is not 0" "$(json steps run.evt '[(r["lock_wait_ns"], r["sleep_wait_ns"]) for r in rows]')" "[[null, null], [null, null], [null, null]]"

# off by default
rm -f run.evt
run_traced "$waits" all >out 2>err || fail "without osrt: $(cat err)"
"$REPORT" dump run.evt | grep ' osrt_' && fail "osrt is recorded by default"
"$REPORT" waits run.evt >out 2>&1
grep -q 'INTERCEPT_TRACE=+osrt' out || fail "waits does not say how to record them: $(cat out)"

# lines of Python, unless the user says otherwise; locks of Python
cat >lines.py <<'END'
import threading
lock = threading.Lock()
lock.acquire()
lock.acquire(timeout=0.05)
END
rm -f run.evt
INTERCEPT_TRACE=+osrt INTERCEPT_OSRT_MIN=1ms run_traced python3 lines.py >out 2>err || fail "lines.py: $(cat err)"
expect_eq "the line that waits" "$(json waits run.evt '[r["line"].endswith("lines.py:4") for r in rows if r["kind"] == "semaphore" and r["line"]]')" '[true]'

#!/bin/bash
# Times of Python functions are cProfile's: by one made clock to the nanosecond, and in a program as two runs of cProfile are to each other.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"
need_program call_file

# Calls by chance under cProfile, whose timer gives made times; each time that it reads is one line of calls.txt.
# Of what they call only functions of C are not their own, which cProfile is told to leave out.
cat >made.py <<'END'
import cProfile, random, sys
FUNCTIONS, EVENTS = 12, 30000
chance = random.Random(int(sys.argv[1]))
log = []
PLAIN = """
def f{n}(depth):
    log.append(("enter", {n}))
    try:
        while depth < 40 and len(log) < EVENTS and chance.random() < 0.6:
            kind = chance.random()
            if kind < 0.8:
                function[{n} if kind < 0.4 else int(chance.random() * FUNCTIONS)](depth + 1)
            elif kind < 0.9:
                for turn in function[int((1 + chance.random()) * FUNCTIONS)](depth + 1):
                    if chance.random() < 0.3:
                        break
            else:
                try:
                    function[int(chance.random() * FUNCTIONS)](depth + 1)
                except KeyError:
                    pass
        if chance.random() < 0.05:
            raise KeyError({n})
    finally:
        log.append(("return", {n}))
"""
GENERATOR = """
def f{n}(depth):
    log.append(("enter", {n}))
    for turn in range(3):
        log.append(("return", {n}))
        try:
            yield turn
        except GeneratorExit:
            log.append(("enter", {n}))
            log.append(("return", {n}))
            raise
        log.append(("enter", {n}))
        if chance.random() < 0.5:
            try:
                function[int(chance.random() * FUNCTIONS)](depth + 20)
            except KeyError:
                pass
    log.append(("return", {n}))
"""
text = "".join((PLAIN if n < FUNCTIONS else GENERATOR).format(n=n) for n in range(2 * FUNCTIONS))
exec(compile(text, "made.py", "exec"))
function = [globals()["f%d" % n] for n in range(2 * FUNCTIONS)]
clock, now = [], 0
for _ in range(2 * EVENTS):
    now += chance.choice((0, 1, 7, 100, 12345, 10**6, 10**9 if chance.random() < 0.01 else 3))
    clock.append(now)
reads = iter(clock)
profile = cProfile.Profile(reads.__next__, 1e-9, True, False)
while len(log) < EVENTS:
    at = chance.choice(function[:FUNCTIONS])
    profile.enable(True, False)
    try:
        at(0)
    except KeyError:
        pass
    profile.disable()
assert next(reads) == clock[len(log)], (len(log), "events, and the clock was read another number of times")
profile.create_stats()
with open("calls.txt", "w") as out:
    for ns, (what, number) in zip(clock, log):
        out.write("%d %s %d\n" % (ns, what, number))
with open("theirs.txt", "w") as out:
    for place, (cc, nc, tt, ct, by) in profile.stats.items():
        out.write("%s %d %d %d %d\n" % (place[2], nc, cc, round(tt * 1e9), round(ct * 1e9)))
        for caller, (nc, cc, tt, ct) in by.items():
            out.write("%s %s %d %d %d %d\n" % (place[2], caller[2], nc, cc, round(tt * 1e9), round(ct * 1e9)))
END
cat >ours.py <<'END'
import json
names = "ncalls", "primitive_calls", "tottime_ns", "cumtime_ns"
for row in json.load(open("functions.json"))["rows"]:
    print(row["function"], *(row[name] for name in names))
for row in json.load(open("callers.json"))["rows"]:
    print(row["function"], row["caller_function"], *(row[name] for name in names))
END

for python in "${PYTHONS[@]}"; do
	for seed in 1 2 3; do
		"$python" made.py "$seed" || fail "$python: made.py $seed ended with $?"
		"$PROGRAMS/call_file" made.evt <calls.txt || fail "$python: call_file ended with $?"
		"$REPORT" functions --format json --limit 0 made.evt >functions.json || fail "functions"
		"$REPORT" functions --format json --limit 0 --by caller made.evt >callers.json || fail "functions --by caller"
		python3 -S ours.py >ours.txt || fail "what is recorded cannot be read"
		(($(wc -l <theirs.txt) > 100)) || fail "$python: few functions: $(cat theirs.txt)"
		diff <(sort theirs.txt) <(sort ours.txt) >differ.txt ||
			fail "$python, $seed: of $(wc -l <theirs.txt) lines $(grep -c '^<' differ.txt) differ, cProfile's to the left: $(head -n 8 differ.txt)"
	done
done
((${#python})) || skip "no CPython 3.8 or newer"

# A program's own clock: functions that do 1, 2, 4 and 8 parts of the same, by turns, so that all of them are disturbed alike.
cat >parts.py <<'END'
import cProfile, sys
def loop(turns):
    for _ in range(turns):
        pass
def one(): loop(4000)
def two(): loop(8000)
def four(): loop(16000)
def eight(): loop(32000)
def half():
    one(), two()
def work():
    for _ in range(1200):
        half(), four(), eight()
profile = cProfile.Profile() if len(sys.argv) > 1 else None
if profile:
    profile.enable()
work()
if profile:
    profile.disable()
    profile.dump_stats(sys.argv[1])
END
cat >judge.py <<'END'
import pstats
def times(path):
    found = {place[2]: (row[2], row[3]) for place, row in pstats.Stats(path).stats.items() if place[0].endswith("parts.py")}
    whole = found["work"][1]
    return {name: (tt / whole, ct / whole) for name, (tt, ct) in found.items() if name != "<module>"}
one, other, ours = times("one.prof"), times("other.prof"), times("ours.prof")
assert set(ours) == set(one), (sorted(ours), sorted(one))
wrong = []
for name in ours:
    for which, a, b, c in zip(("tottime", "cumtime"), one[name], other[name], ours[name]):
        # parts of the whole; what a machine with more to do takes, it takes hundreds of times, so of each its part
        if not min(a, b) - 0.15 - 2 * abs(a - b) <= c <= max(a, b) + 0.15 + 2 * abs(a - b):
            wrong.append((name, which, a, b, c))
assert not wrong, wrong
assert ours["one"][1] + ours["two"][1] < ours["eight"][1] and ours["loop"][0] > 0.8 and ours["work"][1] == 1, ours
END
for python in "${PYTHONS[0]}" "${PYTHON_OF[3.14]:-${PYTHONS[-1]}}"; do
	rm -f ./*.evt*
	for file in one other; do
		"$python" parts.py $file.prof || fail "$python: cProfile"
	done
	INTERCEPT_TRACE=+functions,-alloc run_traced "$python" parts.py || fail "$python: parts.py ended with $?"
	"$REPORT" functions --format pstats -o ours.prof --wait 60 "$OUTPUT" || fail "$python: no pstats"
	"$python" judge.py || fail "$python: times are not cProfile's"
done

#!/bin/bash
# Calls of Python functions, their callers and pstats' file are those of cProfile, in every CPython there is.
# SPDX-License-Identifier: MIT
# timeout: 600
. "$ROOT/tests/lib.sh"

cat >program.py <<'EOF'
import asyncio, contextlib, functools, json, re, sys

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def even(n):
    return n == 0 or odd(n - 1)

def odd(n):
    return n != 0 and even(n - 1)

def numbers(n):
    try:
        for i in range(n):
            got = yield i
            len([got])
    finally:
        abs(-1)

def delegate():
    return (yield from numbers(3))

def raises(depth):
    if depth == 0:
        raise ValueError(depth)
    raises(depth - 1)

def wrapper(function):
    @functools.wraps(function)
    def inner(*arguments):
        return function(*arguments)
    return inner

@wrapper
def wrapped(x):
    return x * 2

@contextlib.contextmanager
def managed():
    yield 1

class Base:
    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return self.x < other.x

    @property
    def value(self):
        return self.x

    @staticmethod
    def static():
        return sum([1, 2])

    @classmethod
    def make(cls):
        return cls(3)

    def __getattr__(self, name):
        raise AttributeError(name)

class Child(Base):
    def __init__(self, x):
        super().__init__(x)

    def __repr__(self):
        return "Child"

class Mine(list):
    def append(self, x):
        list.append(self, x)

async def awaited(n):
    await asyncio.sleep(0)
    return n

async def coroutines():
    for i in range(3):
        await awaited(i)
    async for _ in stream():
        pass
    await asyncio.gather(awaited(1), awaited(2))

async def stream():
    for i in range(2):
        yield i

def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)

def too_deep(n):
    return too_deep(n - 1)

def main():
    fib(10), even(9)
    list(numbers(4)), list(delegate())
    for _ in numbers(10):
        break
    thrown = numbers(3)
    next(thrown)
    try:
        thrown.throw(KeyError)
    except KeyError:
        pass
    closed = numbers(3)
    next(closed)
    closed.close()
    for depth in (0, 5):
        try:
            raises(depth)
        except ValueError:
            pass
    for text in "1", "x":
        try:
            int(text), float(text)
        except ValueError:
            pass
    wrapped(1)
    with managed():
        pass
    things = [Child(i) for i in range(5)]
    sorted(things), max(things), repr(things[0])
    things[0].value, Base.static(), Child.make(), getattr(things[0], "absent", 0), hasattr(things[0], "x")
    mine = Mine()
    mine.append(1), [].append(1), {}.get(1), "a b".split(), "".join(["a"])
    bound = mine.append
    bound(2)
    list(map(str, things)), functools.reduce(max, [1, 2, 3])
    sorted([3, 1, 2], key=lambda x: -x)
    [x for x in range(3) if (lambda y: y)(x)]
    re.sub("a", lambda m: m.group().upper(), "banana")
    json.dumps({"a": [1, 2, {"b": things}]}, default=repr)
    exec(compile("def made(x):\n    return len(x)\nmade([1])", "made.py", "exec"), {})
    eval("fib(3)")
    asyncio.run(coroutines())
    sys.setrecursionlimit(12000)
    deep(10000)
    try:
        too_deep(20000)
    except RecursionError:
        pass

main()
EOF

cat >theirs.py <<'EOF'
import cProfile, sys
text = compile(open("program.py").read(), "program.py", "exec")
profile = cProfile.Profile()
profile.enable()
exec(text, {"__name__": "__main__"})
profile.disable()
profile.dump_stats("theirs.prof")
EOF

cat >compare.py <<'EOF'
import json, os, pstats, re, sys

def clean(place):
    file = "program.py" if os.path.basename(place[0]) == "program.py" else place[0]
    return file, place[1], re.sub(" at 0x[0-9a-f]+", "", place[2])

def of(path):
    counts, callers = {}, {}
    for place, (cc, nc, tt, ct, by) in pstats.Stats(path).stats.items():
        if clean(place)[0] == "program.py" and place[2] != "too_deep":
            counts[clean(place)] = nc, cc
        for caller, (nc, cc, tt, ct) in by.items():
            if clean(caller)[0] == "program.py" and "too_deep" not in (caller[2], place[2]):
                callers[clean(place), clean(caller)] = nc, cc
    return counts, callers

failed = False
for theirs, ours in zip(of("theirs.prof"), of("ours.prof")):
    assert len(theirs) > 20
    for key in sorted(set(theirs) | set(ours), key=str):
        if theirs.get(key) != ours.get(key):
            failed = True
            print(key, "cProfile", theirs.get(key), "ours", ours.get(key))

doc = json.load(open("functions.json"))
stats = pstats.Stats("ours.prof").stats
assert len(stats) == len(doc["rows"]) and not doc["totals"]["out_of_order"], doc["totals"]
for row in doc["rows"]:
    cc, nc, tt, ct, _ = stats[row["file"], row["line"], row["function"]]
    assert (cc, nc) == (row["primitive_calls"], row["ncalls"]), row
    assert tt == row["tottime_ns"] / 1e9 and ct == row["cumtime_ns"] / 1e9, row
    assert row["calls"] == ("%d/%d" % (nc, cc) if nc != cc else str(nc)), row
pairs = json.load(open("callers.json"))["rows"]
assert len(pairs) == sum(len(entry[4]) for entry in stats.values())
for row in pairs:
    by = stats[row["file"], row["line"], row["function"]][4]
    nc, cc, tt, ct = by[row["caller_file"], row["caller_line"], row["caller_function"]]
    assert (nc, cc) == (row["ncalls"], row["primitive_calls"]), row
sys.exit(failed)
EOF

export INTERCEPT_TRACE=+functions,-alloc
for python in "${PYTHONS[@]}"; do
	LD_PRELOAD='' "$python" theirs.py || fail "$python: cProfile"
	rm -f "$OUTPUT"
	run_traced "$python" program.py || fail "$python: status $?"
	"$REPORT" functions --format pstats -o ours.prof "$OUTPUT" || fail "$python: no pstats"
	"$REPORT" functions --format json --limit 0 "$OUTPUT" >functions.json
	"$REPORT" functions --format json --limit 0 --by caller "$OUTPUT" >callers.json
	"$python" compare.py || fail "of '$python'"
done
((${#python})) || skip "no CPython 3.8 or newer"

expect_match "the table" "$("$REPORT" functions --limit 0 "$OUTPUT")" '[0-9]+/2 .*program.py:3\(fib\)'
[[ $("$REPORT" functions "$OUTPUT") != *threads* ]] || fail "one thread has times of several"
expect_match "callers" "$("$REPORT" functions --callers '(fib)' "$OUTPUT")" 'program.py:[0-9]+\(main\)'
[[ $("$REPORT" functions --callers '(fib)' "$OUTPUT") != *wrapped* ]] || fail "--callers shows others"
expect_match "callees" "$("$REPORT" functions --callees '(static)' "$OUTPUT")" '\{built-in method builtins.sum\}'
[[ $("$REPORT" functions --callees '(static)' "$OUTPUT") != *'builtins.max'* ]] || fail "--callees shows others"
expect_eq "--format pstats elsewhere" "$("$REPORT" alloc --format pstats "$OUTPUT" 2>&1)" \
	"prof-report: report 'alloc' has no --format pstats: it is of report functions"

# several threads: their times are added up, and can be more than the run took
rm -f "$OUTPUT"
run_traced "$python" -c 'import threading, time
threads = [threading.Thread(target=time.sleep, args=(0.1,)) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]' || fail "$python: threads"
expect_match "of threads" "$("$REPORT" functions "$OUTPUT")" '[0-9]+ function calls .* in .*, the times of 4 threads added up'

# only the modules that are asked for; the time of others is their callers'
mkdir -p mypkg/utils && echo 'from . import utils
def mine(): return utils.theirs() + len([1])' >mypkg/__init__.py
echo 'def theirs(): return max(1, 2)' >mypkg/utils/__init__.py
for python in "${PYTHONS[@]}"; do
	rm -f "$OUTPUT"
	INTERCEPT_FUNCTIONS='mypkg.*,!mypkg.utils.*' run_traced "$python" -c 'import mypkg; mypkg.mine(); mypkg.mine()' || fail "$python"
	expect_eq "$python: filtered" "$(json functions "$OUTPUT" \
		'sorted((r["function"], r["ncalls"]) for r in rows)')" '[["<built-in method builtins.len>", 2], ["<module>", 1], ["mine", 2]]'
done

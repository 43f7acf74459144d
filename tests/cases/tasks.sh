#!/bin/bash
# Tasks of asyncio, greenlets, gevent and generators take turns on a thread: each pop closes the range that its task or generator has pushed.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
export INTERCEPT_TRACE=-alloc
cat >spans.py <<'END'
import atexit, ctypes, time
lib = ctypes.PyDLL(None)
spans = {}  # name: calls, ns within its push and pop, ns around them
class Range:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        self.before = time.monotonic_ns()
        lib.nvtxRangePushA(self.name.encode())
        self.begun = time.monotonic_ns()
    def __exit__(self, *error):
        ends = time.monotonic_ns()
        lib.nvtxRangePop()
        span = spans.setdefault(self.name, [0, 0, 0])
        span[0] += 1
        span[1] += ends - self.begun
        span[2] += time.monotonic_ns() - self.before
@atexit.register
def say():
    with open("spans", "w") as file:
        for name, (calls, low, high) in sorted(spans.items()):
            print(name, calls, low, high, file=file)
END
cat >tasks.py <<'END'
import asyncio, contextvars
from spans import Range
async def request(i):
    with Range("even" if i % 2 == 0 else "odd"):
        await asyncio.sleep(0.02 if i % 2 else 0.005)
        if i == 3:
            contextvars.copy_context().run(inner)
def inner():
    with Range("inner"):
        pass
async def main():
    limit = asyncio.Semaphore(8)
    async def one(i):
        async with limit:
            await request(i)
    await asyncio.gather(*[one(i) for i in range(200)])
with Range("all"):
    asyncio.run(main())
END
cat >captured.py <<'END'
import asyncio, ctypes
lib = ctypes.PyDLL(None)
lib.nvtxMarkA.argtypes = [ctypes.c_char_p]
async def wanted(order):
    await order[0].wait()
    lib.nvtxRangePushA(b"wanted")
    order[1].set()
    await order[2].wait()
    lib.nvtxMarkA(b"inside")
    lib.nvtxRangePop()  # the other task has pushed last
    lib.nvtxMarkA(b"after")
    order[3].set()
async def other(order, first):
    if first:
        lib.nvtxRangePushA(b"other")
    order[0].set()
    await order[1].wait()
    if not first:
        lib.nvtxRangePushA(b"other")
    order[2].set()
    await order[3].wait()
    lib.nvtxMarkA(b"after")
    lib.nvtxRangePop()
    lib.nvtxMarkA(b"after")
async def main():
    for first in (False, True):
        order = [asyncio.Event() for _ in range(4)]
        await asyncio.gather(wanted(order), other(order, first))
asyncio.run(main())
END
cat >greenlets.py <<'END'
from spans import Range
with Range("import"):
    import greenlet
main = greenlet.getcurrent()
def work(name, turns):
    for i in range(turns):
        with Range(name):
            main.switch()
            deep(i % 5)
            main.switch()
def deep(n):
    return deep(n - 1) if n else main.switch()
a, b, c = [greenlet.greenlet(work) for _ in range(3)]
with Range("main"):
    a.switch("a", 60)
    b.switch("b", 50)
    c.switch("c", 40)
    while not (a.dead and b.dead and c.dead):
        for g in a, b, b, c:
            if not g.dead:
                g.switch()
END
cat >gevents.py <<'END'
from spans import Range
import gevent.monkey
gevent.monkey.patch_all()
import gevent, time
def work(name, seconds):
    for _ in range(20):
        with Range(name):
            time.sleep(seconds)
gevent.joinall([gevent.spawn(work, "a", 0.001), gevent.spawn(work, "b", 0.003), gevent.spawn(work, "a", 0.002)])
END
cat >eventlets.py <<'END'
from spans import Range
import eventlet
def work(name, seconds):
    for _ in range(20):
        with Range(name):
            eventlet.sleep(seconds)
pool = eventlet.GreenPool()
for name, seconds in ("a", 0.001), ("b", 0.003), ("a", 0.002):
    pool.spawn(work, name, seconds)
pool.waitall()
END
cat >generators.py <<'END'
import asyncio, contextlib, time
from spans import Range
@contextlib.contextmanager
def managed(name):  # as torch.cuda.nvtx.range(): the pop is in a generator of its own
    with Range(name):
        yield
def plain(name, turns):
    for _ in range(turns):
        with Range(name):
            yield
            time.sleep(0.001)
            yield
def nested(name, turns):
    with managed(name):
        for _ in range(turns):
            with managed(name + "_inside"):
                yield from plain(name + "_plain", 1)
async def streamed(name, turns):
    for _ in range(turns):
        with Range(name):
            yield 1
            await asyncio.sleep(0.001)
            yield 2
async def consume(name):
    async for _ in streamed(name, 3):
        with Range(name + "_consumed"):
            await asyncio.sleep(0)
async def main():  # two of them within one task, and two in others
    first, second = streamed("one", 2), streamed("two", 4)
    for generator in (first, second, second, first, second, second, first, second, first, second, second, second):
        await generator.__anext__()
    await asyncio.gather(consume("three"), consume("four"))
    for generator in first, second:
        async for _ in generator:
            pass
with Range("main"):
    made = [plain("a", 5), plain("b", 3), nested("c", 4), nested("d", 2), plain("a", 2)]
    while made:
        for generator in list(made):
            with managed("step"):
                if next(generator, "done") == "done":
                    made.remove(generator)
asyncio.run(main())
END
cat >compiled.pyx <<'END'
# cython: language_level=3, freethreading_compatible=True
import asyncio
from spans import Range
def plain(name, turns):
    for _ in range(turns):
        with Range(name):
            yield
            yield
def around(name, turns):
    with Range(name):
        yield from plain(name + "_plain", turns)
async def streamed(name, turns):
    for _ in range(turns):
        with Range(name):
            yield 1
            await asyncio.sleep(0.001)
            yield 2
class Managed:  # pushes in one coroutine, pops in another
    def __init__(self, name):
        self.range = Range(name)
    async def __aenter__(self):
        await asyncio.sleep(0)
        self.range.__enter__()
    async def __aexit__(self, *error):
        self.range.__exit__()
async def work(name):
    async with Managed(name):
        await asyncio.sleep(0.001)
END
cat >compiled_user.py <<'END'
import asyncio
from spans import Range
import compiled
def interpreted(name, turns):
    for _ in range(turns):
        with Range(name):
            yield
            yield
async def main():
    first, second = compiled.streamed("one", 2), compiled.streamed("two", 4)
    for generator in (first, second, second, first, second, second, first, second, first, second, second, second):
        await generator.__anext__()
    await asyncio.gather(compiled.work("three"), compiled.work("four"))
    for generator in first, second:
        async for _ in generator:
            pass
with Range("main"):
    made = [compiled.plain("a", 5), compiled.plain("b", 3), interpreted("i", 4), compiled.around("c", 4), compiled.plain("a", 2)]
    while made:
        for generator in list(made):
            with Range("step"):
                if next(generator, "done") == "done":
                    made.remove(generator)
asyncio.run(main())
END
cat >generators_captured.py <<'END'
import ctypes
lib = ctypes.PyDLL(None)
lib.nvtxMarkA.argtypes = [ctypes.c_char_p]
def ranged(name):
    lib.nvtxRangePushA(name)
    yield
    lib.nvtxRangePop()
    yield
for names in (b"wanted", b"other"), (b"other", b"wanted"):
    made = {name: ranged(name) for name in names}
    for name in names:
        next(made[name])
    lib.nvtxMarkA(b"inside")
    next(made[b"wanted"])
    lib.nvtxMarkA(b"after")
    next(made[b"other"])
    lib.nvtxMarkA(b"after")
def pops():
    lib.nvtxRangePop()
    yield
lib.nvtxRangePushA(b"wanted")
lib.nvtxRangePushA(b"wanted")
lib.nvtxMarkA(b"inside")
next(pops())  # has pushed none: the innermost
lib.nvtxMarkA(b"inside")
next(pops())
lib.nvtxMarkA(b"after")
END
marks() { # WHAT: those while 'wanted' was open, and no others, are recorded
	expect_eq "$1: marks while 'wanted' was open" "$(json nvtx "$OUTPUT" 'totals["marks"]')" "$2"
	"$REPORT" dump "$OUTPUT" >dump.out || fail "dump: $(cat dump.out)"
	expect_eq "$1: marks after it" "$(grep -c 'nvtx_mark .*"after"' dump.out)" 0
}
check() { # WHAT PYTHON PROGRAM [EXPRESSION...]: what it measured itself is what was recorded
	local name calls low high wanted=("${@:4}")
	rm -f ./*.evt* spans
	run_traced "$2" "$3" 2>err || fail "$1: $2 ended with $?: $(tail -3 err)"
	while read -r name calls low high; do # times: the rate of a clock that was read for some milliseconds
		wanted+=("nvtx.row(name='$name')['count'] == $calls"
			"$((low - low / 1000)) <= nvtx.row(name='$name').total_ns <= $((high + high / 1000))")
	done <spans
	[[ -s spans ]] || fail "$1: no spans"
	echo "$1, $2:" >&2
	expect "$OUTPUT" "${wanted[@]}" 'nvtx.totals.open == 0' 'nvtx.totals.unbalanced == 0' 'nvtx.totals.crossed > 0' \
		'nvtx.sum("self_ns") <= summary.totals.wall_ns'
}
tried=() missing=()
maker=$(torch_python) || maker=/usr/bin/python3
guests=$(fetched guests)
if PYTHONPATH=$guests "$maker" -m cython -3 compiled.pyx -o compiled.c >cython.out 2>&1; then
	need_tool cc
else
	missing+=(Cython)
fi
compile_cython() { # PYTHON: compiled.so for it; fails without Cython or headers
	local include
	include=$("$1" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	[[ -e compiled.c && -e $include/Python.h ]] || return
	rm -f compiled*.so
	cc -O0 -w -fPIC -shared -I"$include" compiled.c -o compiled.so 2>cc.err && return
	grep -q '#error Cython requires Python' cc.err || fail "$1: cc: $(head -3 cc.err)" # this Cython is for newer ones
	return 1
}
has() { # PYTHON MODULE
	PYTHONDONTWRITEBYTECODE=1 "$1" -c "import $2" 2>/dev/null
}
for version in "${!PYTHON_OF[@]}"; do
	python=${PYTHON_OF[$version]}
	tried+=("$version")
	check asyncio "$python" tasks.py
	parents=$("$REPORT" nvtx --tree --limit 0 --format json "$OUTPUT" | python3 -S -c 'import json, sys
print(*sorted((r["depth"], r["name"]) for r in json.load(sys.stdin)["rows"]))')
	expect_eq "$python: what is inside of what" "$parents" "(0, 'all') (1, 'even') (1, 'odd') (2, 'inner')"
	# a capture range is open until its own task closes it
	rm -f ./*.evt*
	INTERCEPT_CAPTURE=nvtx:wanted run_traced "$python" captured.py 2>err || fail "$python: captured.py ended with $?: $(tail -3 err)"
	marks "$python, tasks" 2
	check generators "$python" generators.py 'nvtx.totals.guessed == 0'
	rm -f ./*.evt*
	INTERCEPT_CAPTURE=nvtx:wanted run_traced "$python" generators_captured.py 2>err || fail "$python: generators_captured.py ended with $?: $(tail -3 err)"
	marks "$python, generators" 4
	if compile_cython "$python"; then
		check Cython "$python" compiled_user.py 'nvtx.totals.guessed == 0'
		tried+=("Cython on $version")
	fi
	PYTHONPATH=$(greenlet_of "$python")
	export PYTHONPATH
	if has "$python" greenlet; then
		check greenlets "$python" greenlets.py
	else
		missing+=("greenlet for $version")
	fi
	unset PYTHONPATH
done
if python=$(torch_python); then
	PYTHONPATH=$(fetched guests):$(fetched eventlet)
	export PYTHONPATH
	for library in gevent eventlet; do
		if has "$python" $library; then
			check $library "$python" ${library}s.py
			tried+=("$library")
		else
			missing+=("$library")
		fi
	done
fi
((${#tried[@]})) || skip "no CPython 3.8 to 3.14"
((${#missing[@]} == 0)) || skip "these did: ${tried[*]}; not installed (scripts/test-env.sh): ${missing[*]}"

#!/bin/bash
# Programs with gc stress, gevent, Cython, numba, viztracer, faulthandler, pdb, processes of all kinds: recorded as bare, and lines are right.
# SPDX-License-Identifier: MIT
# timeout: 600
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"
python=$(torch_python) || python=/usr/bin/python3
[[ -x $python ]] || skip "no Python"
guests=$(fetched guests)
[[ -e $guests/made-of ]] && export PYTHONPATH=$guests
ulimit -c 0
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=2 NUMBA_NUM_THREADS=2

# What each of them uses: blocks of a size that nobody else asks for, with the place by sys._getframe() as the program sees it.
cat >blocks.py <<'END'
import collections, ctypes, json, os, sys
libc = ctypes.PyDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
wanted = collections.Counter()
def block():
    frame = sys._getframe(1)
    wanted[frame.f_code.co_name] += 1
    libc.free(libc.malloc(7000001))
def say():
    with open("wanted.%d" % os.getpid(), "w") as file:
        json.dump(wanted, file)
END

cat >collecting.py <<'END'
import gc, weakref
from blocks import block, say
class Knot:
    def __init__(self):
        self.me = self
    def __del__(self):
        block()
def generator():
    try:
        yield
    finally:
        block()
def forget():
    g = generator()
    next(g)
    knot = [g]
    knot.append(knot)
def called(reference):
    block()
def work():
    for i in range(60):
        Knot()
        forget()
        block()
gc.set_threshold(1, 1, 1)
gc.callbacks.append(lambda phase, info: block() if phase == "start" and info["generation"] == 2 else None)
work()
gc.set_threshold(0)
knots = [Knot() for _ in range(5)]
kept = [weakref.ref(knot, called) for knot in knots]
del knots
gc.callbacks.clear()
gc.collect()
print(gc.garbage, [reference() for reference in kept])
say()
END

cat >geventing.py <<'END'
import gevent.monkey
gevent.monkey.patch_all()
import gevent, gevent.pool, gevent.queue, threading, time
from blocks import block, say
queue = gevent.queue.Queue(3)
def inner(n):
    if n:
        return inner(n - 1)
    gevent.sleep(0)
    block()
    time.sleep(0.001)
    block()
def producer(n):
    for i in range(n):
        inner(i % 7)
        queue.put(i)
        block()
def consumer(n):
    total = 0
    for _ in range(n):
        total += queue.get()
        block()
    return total
made = [gevent.spawn(producer, 40) for _ in range(5)] + [gevent.spawn(consumer, 50) for _ in range(4)]
gevent.joinall(made)
print(sum(g.value or 0 for g in made))
print(sum(gevent.pool.Pool(4).imap_unordered(lambda n: (block(), n)[1], range(50))))
thread = threading.Thread(target=inner, args=(3,))
thread.start()
thread.join()
say()
END

cat >compiled.pyx <<'END'
# cython: language_level=3
def call(function, int times):
    for i in range(times):
        function(i)
def each(values):
    for value in values:
        yield value + 1
cdef class Adder:
    cdef public long total
    def add(self, long n):
        self.total += n
END
cat >cython_user.py <<'END'
import compiled
from blocks import block, say
def called(i):
    block()
    if i == 7:
        compiled.call(lambda n: block(), 3)
    return i
def values():
    for i in range(20):
        block()
        yield i
compiled.call(called, 30)
adder = compiled.Adder()
for n in compiled.each(values()):
    adder.add(n)
print(adder.total)
try:
    compiled.call(lambda n: 1 // 0, 2)
except ZeroDivisionError as error:
    names = []
    trace = error.__traceback__
    while trace:
        names.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
        trace = trace.tb_next
    print(names)
say()
END

cat >numba_user.py <<'END'
import numba, numpy
from blocks import block, say
@numba.njit
def total(values):
    result = 0.0
    for value in values:
        result += value * 2
    return result
@numba.njit(parallel=True)
def shared(n):
    result = 0
    for i in numba.prange(n):
        result += i % 7
    return result
@numba.njit
def back(n):
    for i in range(n):
        with numba.objmode():
            here()
def here():
    block()
def work():
    for i in range(5):
        print(total(numpy.arange(1000.0) + i))
        block()
work()
print(shared(100000))
back(6)
say()
END

cat >viztracer_user.py <<'END'
import collections, json, os
from viztracer import VizTracer
from blocks import block, say
def leaf(n):
    block()
    return n
def branch(n):
    return leaf(n) + sum(leaf(i) for i in range(n))
tracer = VizTracer(verbose=0, output_file="trace.json", log_func_args=False)
tracer.start()
for i in range(20):
    branch(i)
tracer.stop()
tracer.save()
names = collections.Counter(e["name"].split(" (")[0] for e in json.load(open("trace.json"))["traceEvents"] if e["ph"] == "X")
os.remove("trace.json")
print({name: count for name, count in sorted(names.items()) if name in ("leaf", "branch", "branch.<locals>.<genexpr>", "block")})
say()
END

cat >fault_user.py <<'END'
import faulthandler, sys, threading, time
from blocks import block, say
def deep(n):
    if n:
        return deep(n - 1)
    block()
    faulthandler.dump_traceback(file=sys.stdout, all_threads=False)
    say()
    faulthandler._sigsegv()
faulthandler.enable(all_threads=False)
sys.stdout.flush()
deep(5)
END

cat >debugged.py <<'END'
from blocks import block, say
def inner(n):
    block()
    return n * 2
def outer(n):
    return inner(n) + 1
print(outer(3))
print([outer(i) for i in range(3)])
say()
END

cat >processes.py <<'END'
import multiprocessing, sys
from blocks import block, say
def work(n):
    block()
    say()
    return n + 1
def main(kind):
    context = multiprocessing.get_context(kind)
    with context.Pool(2) as pool:
        print(sum(pool.map(work, range(30), chunksize=3)))
        pool.close()
        pool.join()
    block()
    say()
if __name__ == "__main__":
    main(sys.argv[1])
END

cat >check.py <<'END'
import collections, glob, json, sys
want, have = collections.Counter(), collections.Counter()
for name in glob.glob("wanted.*"):
    want.update(json.load(open(name)))
for row in json.load(open("rows.json"))["rows"]:
    frames = [frame for frame in row["stack"] if not frame["module"]]
    if row["bytes_allocated"] == 7000001 * row["allocations"] and [f["function"] for f in frames[:1]] == ["block"]:
        have[frames[1]["function"]] += row["allocations"]
sys.exit("expected %r, recorded %r" % (dict(want), dict(have)) if want != have or not want else 0)
END

clean() { # what a run says that is another one each time, addresses, what the shell says of its end, and our line on profilers
	sed -E 's/0x[0-9a-f]+/0x/g; /line [0-9]+: .*Segmentation fault/d
		/^intercept: the program uses Python.s profile function itself/d' "$1"
}

# WHAT COMMAND...: bare, and with everything recorded
try() {
	local what=$1 status wanted
	shift
	"$@" </dev/null >bare.out 2>bare.err
	wanted=$?
	for trace in +imports +functions,+pymem,+io; do
		rm -f ./*.evt* wanted.*
		INTERCEPT_TRACE=$trace INTERCEPT_STACKS=python run_traced "$@" </dev/null >traced.out 2>traced.err
		status=$?
		expect_eq "$what, $trace: status" "$status" "$wanted"
		cmp -s <(clean bare.out) <(clean traced.out) || fail "$what, $trace: output: $(diff bare.out traced.out | head -5)"
		cmp -s <(clean bare.err) <(clean traced.err) || fail "$what, $trace: errors: $(diff bare.err traced.err | head -5)"
		"$REPORT" alloc --by stack --raw-stacks --limit 0 --format json --wait 60 "$OUTPUT" >rows.json || fail "$what: alloc"
		python3 -S check.py >differ.txt 2>&1 || fail "$what, $trace: $(cat differ.txt)"
		"$REPORT" check "$OUTPUT" >check.txt || fail "$what: check: $(cat check.txt)"
	done
	tried+=("$what")
}

has() {
	"$python" -c "import $1" 2>/dev/null && return
	missing+=("$1")
	return 1
}

tried=() missing=()
try "gc stress" "$python" collecting.py
try faulthandler "$python" fault_user.py
try pdb "$python" -m pdb -c 'b inner' -c c -c w -c s -c n -c c -c c -c c -c c -c q debugged.py
for kind in fork spawn forkserver; do
	try "$kind" "$python" -W ignore processes.py $kind
done
has gevent && try gevent "$python" geventing.py
if has Cython && has setuptools; then
	if "$python" -m Cython.Build.Cythonize -q -i compiled.pyx >cython.txt 2>&1; then
		try Cython "$python" cython_user.py
	else
		missing+=("a compiler for Cython")
	fi
fi
has numba && try numba "$python" numba_user.py
has viztracer && try viztracer "$python" viztracer_user.py
((${#missing[@]} == 0)) || skip "these did: ${tried[*]}; not installed (scripts/pip-folder.sh guests): ${missing[*]}"

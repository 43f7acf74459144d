#!/bin/bash
# Collections of Python's garbage collector: as many and in the generations that Python counts, with lines; the program sees nothing of it.
# SPDX-License-Identifier: MIT
# timeout: 200
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >collects.py <<'END'
import sys
before = "gc" in sys.modules
import gc
first = len(gc.callbacks)
seen = []
class Node: pass
def make(count):
    kept = []
    for _ in range(count):
        node = Node()
        node.me = node
        kept.append(Node())
    return kept
def counted(work):
    gc.callbacks.append(lambda phase, info: seen.append((phase, info["generation"])))
    stats = [row["collections"] for row in gc.get_stats()]
    kept = make(20000)
    for _ in range(3):
        gc.collect()  # line 19
    gc.collect(0)
    made = [row["collections"] - old for row, old in zip(gc.get_stats(), stats)]
    gc.callbacks.pop()
    return made
made = counted(make)
stops = [generation for phase, generation in seen if phase == "stop"]
known = [object_ for object_ in gc.get_objects() if type(object_) is list and len(object_) == 1 and "callback" in repr(object_)[:40]]
with open(sys.argv[1], "w") as file:
    print(made, file=file)
print(before, first, len(gc.callbacks), len(known), [stops.count(generation) for generation in range(3)] == made, len(seen) == 2 * sum(made))
def broken(phase, info):
    if phase == "stop":
        raise ValueError("from a callback")
gc.callbacks.append(broken)
gc.collect()
gc.callbacks.remove(broken)
END
# What a program sees of its own list and of the collector does not change: in threads and with another interpreter, and at the end.
cat >sees.py <<'END'
import sys, threading
import gc
callbacks = gc.callbacks
seen = []
def note(phase, info):
    seen.append((phase, sorted(info), info["generation"]))
callbacks.append(note)
class Ends:
    def __call__(self, phase, info): pass
    def __del__(self): print("the callback ends", flush=True)
gc.collect()
print(callbacks is gc.callbacks, gc.callbacks == [note], type(gc.callbacks), [phase for phase, _, _ in seen], seen[0][1])
gc.callbacks = []  # an attribute like any other: the collector goes on with its list
gc.collect()
print(len(seen), gc.callbacks)
gc.callbacks = callbacks
gc.callbacks.insert(0, note)
gc.collect(1)
print(len(seen))
gc.callbacks.remove(note)
gc.callbacks.clear()
gc.collect()
print(len(seen), gc.callbacks)
gc.disable()
print(gc.isenabled(), gc.get_count()[1:] == (0, 0), len(gc.get_stats()))
gc.enable()
gc.freeze()
print(gc.get_freeze_count() > 100)
gc.unfreeze()
gc.callbacks.append(note)
threads = [threading.Thread(target=gc.collect) for _ in range(4)]
for thread in threads:
    thread.start()
    thread.join()
print(len(seen))
for name in "_interpreters", "_xxsubinterpreters":
    try:
        interpreters = __import__(name)
        break
    except ImportError:
        interpreters = None
if interpreters:
    other = interpreters.create()
    interpreters.run_string(other, "import gc\ngc.collect()\nprint(len(gc.callbacks), flush=True)")
    interpreters.destroy(other)
gc.callbacks.clear()
gc.collect()
gc.callbacks.append(Ends())
END
tried=0
for python in "${PYTHONS[@]}"; do
	"$python" collects.py made.bare >bare.out 2>bare.err || fail "$python: bare: status $?: $(cat bare.err)"
	rm -f run.evt*
	run_traced "$python" collects.py made >out 2>err || fail "$python: status $?: $(cat err)"
	expect_eq "$python: output" "$(cat out)" "$(cat bare.out)"
	expect_eq "$python: what its callback raised" "$(grep -c 'from a callback' err)" "$(grep -c 'from a callback' bare.err)"
	# those before and after what was counted are there, too
	expect_eq "$python: collections by generation" "$(json gc "$OUTPUT" "all(
		sum(r['collections'] for r in rows if r['generation'] == generation) >= wanted for generation, wanted in enumerate($(cat made)))")" true
	expect_eq "$python: full ones of that line" "$(json gc "$OUTPUT" \
		"[r['collections'] for r in rows if (r['line'] or '').endswith('collects.py:19')]" --by where)" \
		"$("$python" -c 'import sys; print([3] if sys.version_info >= (3, 9) else [])')"
	expect "$OUTPUT" 'threads.sum("collections") == gc.totals.collections' 'threads.sum("gc_ns") == gc.totals.total_ns' \
		'processes.sum("gc_ns") == gc.totals.total_ns'
	expect "$OUTPUT" 'gc.totals.open == 0' 'gc.totals.max_ns <= gc.totals.total_ns' 'gc.sum("collections") == gc.totals.collections' \
		'gc("--by", "thread").sum("total_ns") == gc.totals.total_ns' 'gc("--by", "where").sum("total_ns") == gc.totals.total_ns'
	"$REPORT" check "$OUTPUT" >check.txt || fail "$python: $(cat check.txt)"
	"$python" sees.py >bare.out 2>bare.err || fail "$python: sees.py bare: status $?: $(cat bare.err)"
	rm -f run.evt*
	run_traced "$python" sees.py >out 2>err || fail "$python: sees.py: status $?: $(cat err)"
	expect_eq "$python: what a program sees of its callbacks" "$(cat out err)" "$(cat bare.out bare.err)"
	# gc reached by importlib, which tells of no import, and first at the end
	for code in 'import importlib, pkgutil; print(pkgutil.resolve_name("gc:callbacks"), importlib.import_module("gc").collect() >= 0)' \
		'import atexit; atexit.register(lambda: print(__import__("gc").callbacks))' \
		'import gc, sys; del sys.modules["gc"]; import gc as again; print(again.callbacks, again.callbacks is gc.callbacks)'; do
		rm -f run.evt*
		expect_eq "$python: $code" "$(run_traced "$python" -c "$code" 2>&1)" "$("$python" -c "$code" 2>&1)"
	done
	tried=$((tried + 1))
done
((tried)) || skip "no Python 3.8 to 3.14"

# the line is the user's own where a library collects; --frames all has the library's
mkdir -p site-packages
printf 'import gc\ndef tidy():\n    gc.collect()\n' >site-packages/library.py
printf 'import library\ndef work():\n    library.tidy()\nwork()\nwork()\n' >uses.py
rm -f run.evt*
PYTHONPATH=$PWD/site-packages run_traced python3 uses.py || fail "uses.py: status $?"
expect_eq "the user's line" "$(json gc "$OUTPUT" "[(r['collections'], r['function']) for r in rows if (r['line'] or '').endswith('/uses.py:3')]" --by where)" '[[2, "work"]]'
expect_eq "the library's line" "$(json gc "$OUTPUT" "[(r['collections'], r['function']) for r in rows if (r['line'] or '').endswith('/library.py:3')]" --by where --frames all)" '[[2, "tidy"]]'

# a child goes on; where it is left out, nothing is recorded, and the report says so
cat >forks.py <<'END'
import gc, os
gc.collect()
pid = os.fork()
gc.collect()
if not pid:
    os._exit(0)
os.waitpid(pid, 0)
END
rm -f run.evt*
run_traced python3 forks.py || fail "forks.py: status $?"
expect "$OUTPUT" 'len(gc("--by", "process").rows) == 2'
rm -f run.evt*
INTERCEPT_TRACE=-gc run_traced python3 forks.py || fail "with -gc: status $?"
expect_match "nothing was recorded" "$("$REPORT" gc "$OUTPUT" | tr '\n' ' ')" 'no (garbage )?collection'
# killed within one
cat >killed.py <<'END'
import gc, os, signal
gc.callbacks.append(lambda phase, info: phase == "start" and os.kill(os.getpid(), signal.SIGKILL))
gc.collect()
END
rm -f run.evt*
run_traced python3 killed.py
written
expect "$OUTPUT" 'gc.totals.open == 1'

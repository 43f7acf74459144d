#!/bin/bash
# Programs that profile, trace or switch stacks themselves do under +functions what they do bare; threads and children are recorded.
# SPDX-License-Identifier: MIT
# timeout: 600
. "$ROOT/tests/lib.sh"

cat >inside.py <<'EOF'
import cProfile, pstats, sys, threading

def work(n):
    return n and work(n - 1)

def run():
    for i in range(3):
        work(i), len([i])

print(sys.getprofile(), sys.gettrace())
profile = cProfile.Profile()
profile.enable()
run()
profile.disable()
for place, (cc, nc, tt, ct, callers) in sorted(pstats.Stats(profile).stats.items(), key=str):
    print(place, cc, nc, sorted(callers))
run()
calls = []
sys.setprofile(lambda frame, what, argument: calls.append((what, frame.f_code.co_name)))
run()
sys.setprofile(None)
print([call for call in calls if call != ("c_return", "<module>")]) # README.md of preload/functions: of sys.setprofile() itself
run()
lines = []
def trace(frame, what, argument):
    lines.append((what, frame.f_code.co_name))
    return trace
sys.settrace(trace)
run()
sys.settrace(None)
print(lines)
threading.setprofile(lambda *arguments: calls.append(1))
thread = threading.Thread(target=run)
thread.start()
thread.join()
threading.setprofile(None)
print(len(calls) > 20, sys.getprofile())
run()
EOF

cat >threads.py <<'EOF'
import threading

def work(n):
    return n and work(n - 1)

def run():
    for _ in range(100):
        work(3)

threads = [threading.Thread(target=run) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
EOF

cat >children.py <<'EOF'
import multiprocessing, sys

def work(n):
    return n + 1

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(2) as pool:
        print(sum(pool.map(work, range(50), chunksize=5)))
        pool.close()
        pool.join()
EOF

cat >generators.py <<'EOF'
import greenlet

def inner():
    for i in range(5):
        main.switch(i)

def work():
    return inner()

main = greenlet.getcurrent()
other = greenlet.greenlet(work)
print([other.switch() for _ in range(6)])
EOF

# two greenlets import a module each, and switch within it and within functions
for i in 0 1; do
	cat >switching_$i.py <<'EOF'
import greenlet
def turn(n):
    if n % 2:
        return turn(n - 1)
    greenlet.getcurrent().parent.switch(__name__)
for i in range(10):
    turn(2 * i + 1)
EOF
done
cat >importing.py <<'EOF'
import greenlet
def load(name):
    __import__(name)
    return "end of " + name
both = [greenlet.greenlet(load) for _ in range(2)]
seen = [g.switch("switching_%d" % i) for i, g in enumerate(both)]
while not all(g.dead for g in both):
    seen += [g.switch() for g in both]
print(seen)
EOF

# a C function without a name, as a careless extension makes it: it can be called, not asked for its name
cat >nameless.py <<'EOF'
import ctypes
class Method(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]
called = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object)(lambda itself, argument: argument)
method = Method(None, ctypes.cast(called, ctypes.c_void_p), 8, None)
make = ctypes.pythonapi.PyCFunction_NewEx
make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
nameless = make(ctypes.addressof(method), 0, None)
print([nameless(i) for i in range(3)])
EOF

export INTERCEPT_TRACE=+functions,-alloc
for python in "${PYTHONS[@]}"; do
	LD_PRELOAD='' "$python" inside.py >bare.out 2>bare.err || fail "$python: bare"
	rm -f "$OUTPUT"
	run_traced "$python" inside.py >traced.out 2>traced.err || fail "$python: status $?: $(cat traced.err)"
	cmp -s bare.out traced.out || fail "$python: output differs: $(diff bare.out traced.out | head -5)"
	minor=$("$python" -c 'import sys; print(sys.version_info[1])')
	# run() is called 7 times; those that a profile function of the program's own sees are not ours before 3.12
	seen=$(json functions "$OUTPUT" 'sum(r["ncalls"] for r in rows if r["function"] == "run" and r["file"].endswith("inside.py"))')
	missed=$(json functions "$OUTPUT" 'totals["not_recorded_ns"] > 0')
	if ((minor >= 12)); then
		expect_eq "$python: calls" "$seen $missed" "7 false"
		expect_eq "$python: said" "$(cat traced.err)" ""
	else
		expect_eq "$python: calls" "$seen $missed" "4 true"
		expect_eq "$python: said" "$(grep -c "profile function itself" traced.err)" 1
		expect_match "$python: shown" "$("$REPORT" functions --limit 0 "$OUTPUT")" 'not recorded: the program.s own profile function'
	fi

	rm -f "$OUTPUT"
	run_traced "$python" threads.py || fail "$python: status $?"
	expect_eq "$python: threads" "$(json functions "$OUTPUT" \
		'[(r["ncalls"], r["primitive_calls"]) for r in rows if r["function"] == "work"]')" "[[3200, 800]]"
	expect_eq "$python: by thread" "$(json functions "$OUTPUT" \
		'sorted(r["ncalls"] for r in rows if r["function"] == "work")' --by thread)" "[400, 400, 400, 400, 400, 400, 400, 400]"

	for kind in fork spawn forkserver; do
		rm -f "$OUTPUT"*
		expect_eq "$python: $kind" "$(run_traced "$python" children.py $kind 2>&1)" 1275
		expect_eq "$python: calls of $kind" "$(json functions "$OUTPUT" \
			'sum(r["ncalls"] for r in rows if r["function"] == "work")')" 50
	done

	if "$python" -c 'import ctypes' 2>/dev/null; then
		rm -f "$OUTPUT"
		expect_eq "$python: without a name" "$(run_traced "$python" nameless.py)" "[0, 1, 2]"
		expect_match "$python: calls of it" "$(json functions "$OUTPUT" \
			'[r["function"] for r in rows]')" '<built-in function>'
	fi

	# scripts/greenlet-env.sh installs it
	greenlet=$(greenlet_of "$python")
	if PYTHONPATH=$greenlet "$python" -c 'import greenlet' 2>/dev/null; then
		rm -f "$OUTPUT"
		expect_eq "$python: greenlets" "$(PYTHONPATH=$greenlet run_traced "$python" generators.py)" \
			"$(PYTHONPATH=$greenlet "$python" generators.py)"
		expect_eq "$python: calls in greenlets" "$(json functions "$OUTPUT" \
			'sum(r["ncalls"] for r in rows if r["function"] == "inner")')" 1
		rm -f "$OUTPUT"
		expect_eq "$python: greenlets in imports" "$(PYTHONPATH=$greenlet INTERCEPT_TRACE=+functions,-alloc run_traced "$python" importing.py)" \
			"$(PYTHONPATH=$greenlet "$python" importing.py)"
		expect_eq "$python: calls in them" "$(json functions "$OUTPUT" \
			'sum(r["ncalls"] for r in rows if r["function"] == "turn")')" 40
		expect_eq "$python: imports that switched" "$(json imports "$OUTPUT" \
			'sorted(r["module"] for r in rows if (r["module"] or "").startswith("switching"))')" '["switching_0", "switching_1"]'
		"$REPORT" check "$OUTPUT" >check.out || fail "$python: check of greenlets: $(cat check.out)"
	fi
done

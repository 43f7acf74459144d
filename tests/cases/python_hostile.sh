#!/bin/bash
# A program that scribbles on its own frames and code objects while it allocates: no crash, no hang, and each stack that is none is counted.
# SPDX-License-Identifier: MIT
# timeout: 400
. "$ROOT/tests/lib.sh"

cat >hostile.py <<'END'
import ctypes, sys, threading
library = ctypes.PyDLL(sys.argv[1])
library.scribble.restype = ctypes.c_ulong
library.scribble.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.POINTER(ctypes.c_ulong)]
state = ctypes.pythonapi.PyGILState_GetThisThreadState
state.restype = ctypes.c_void_p
unknown = ctypes.c_ulong()

def down(depth):
    if depth:
        return down(depth - 1)
    rounds = library.scribble(state(), sys.version_info[1], ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime")), ctypes.byref(unknown))
    print(rounds, unknown.value, flush=True)
    return rounds

assert down(5)
thread = threading.Thread(target=down, args=(3,))
thread.start()
thread.join()
print(sum(len(bytearray(n)) for n in range(100)))  # all is as it was
END

scribbled() { # PYTHON MODE
	rm -f ./*.evt* out.txt err.txt
	INTERCEPT_STACKS=alloc:$2 INTERCEPT_TRACE=alloc run_traced "$1" hostile.py "$PROGRAMS/libpython_scribble.so" >out.txt 2>err.txt ||
		fail "$1 with $2 ended with $?: $(cat out.txt err.txt)"
	expect_eq "$1 with $2: what it says at the end" "$(tail -n 1 out.txt)" 4950
	"$REPORT" check "$OUTPUT" >check.txt || fail "$1 with $2: check: $(cat check.txt)"
	read -r rounds _ <out.txt
	unknown=$(awk 'NF == 2 { last = $2 } END { print last }' out.txt) # both threads' together
	((rounds > 1000 && unknown > 50)) || fail "$1 has scribbled $rounds times: $(cat out.txt)"
	lost=$(json alloc "$OUTPUT" 'sum(loss["count"] for loss in doc["losses"] if loss["reason"] == "stack not recorded")')
	((lost >= unknown)) || fail "$1 with $2: $unknown stacks were none, $lost are counted"
}

for python in "${PYTHONS[@]}"; do
	found=$((${found:-0} + 1))
	scribbled "$python" python
	scribbled "$python" both
done
((${found:-0})) || skip "no Python 3.8 to 3.14 is installed"

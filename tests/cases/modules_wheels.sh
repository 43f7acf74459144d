#!/bin/bash
# Every library of the Python packages that are installed is one module, where ld.so has put it.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch
cat >imports.py <<'END'
import ctypes, importlib, os
for package in ("numpy", "scipy.linalg", "pandas", "polars", "lightgbm", "sklearn.ensemble", "pyarrow", "torch"):
    try:
        importlib.import_module(package)
    except ImportError:
        continue
    print(package)
class Info(ctypes.Structure):
    _fields_ = [("bias", ctypes.c_uint64), ("name", ctypes.c_char_p)]
taken = []
def take(info, size, context):
    taken.append((info[0].bias, (info[0].name or b"").decode() or os.path.realpath("/proc/self/exe")))
    return 0
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)
ctypes.CDLL(None).dl_iterate_phdr(kind(take), None)
for bias, name in taken:
    print("object", bias, name)
END
run_traced "$PYTHON" imports.py >loaded || fail "imports.py: status $?"
written run.evt
"$REPORT" dump run.evt >recorded.txt
python3 -S "$ROOT/tests/objects.py" recorded.txt loaded 20 || fail "of $(grep -v "^object" loaded | xargs): see above"

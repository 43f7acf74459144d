#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""native_lines.py PROF-REPORT LIBRARY PYTHON [NAME...]

Compares the column `native` of report lines with native samples of the same run: small programs, each of a second of CPU time. What
native samples call native is a stack in which the interpreter's innermost evaluation of Python has called a C function: of another
module than the interpreter's and libc, or one that implements a callable. On CPython 3.11 and a busy machine eleven of thirteen programs were within
10 points. `objects` was 10 to 20 above (calls of classes, whose C code runs Python), `half` 10 below (its lines' shares differ). Prints both shares, exit status 1 where they differ by more than 10
points. PYTHON has to have its symbols.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAMS = {
    "arithmetic": "x = 0\nfor i in range(20000): x += i * 3 % 7",
    "calls": "def f(a): return a + 1\nx = 0\nfor i in range(20000): x = f(x)",
    "comprehension": "x = [i * 2 for i in range(20000) if i & 1]",
    "objects": "class P:\n  def __init__(self, a): self.a = a\n  def get(self): return self.a\nx = 0\nfor i in range(8000): x += P(i).get()",
    "json": "json.loads(text)",
    "json_indented": "json.dumps(rows, indent=1)",
    "zlib": "zlib.compress(data, 6)",
    "re": "re.findall('[a-z]+[0-9]+', words)",
    "sorted": "sorted(numbers)",
    "sha256": "hashlib.sha256(data).digest()",
    "replace": "words.replace('word', 'w')",
    "half": "zlib.compress(data[:60000], 6)\nx = 0\nfor i in range(30000): x += i",
    "product": "m @ m",
    "elements": "v * v + v",
}
HEAD = """import hashlib, json, random, re, sys, time, zlib
random.seed(1)
rows = [{"a": i, "b": [1, 2.5, "c" * 9]} for i in range(3000)]
text = json.dumps(rows)
data = bytes(random.randrange(256) for _ in range(300000))
words = " ".join("word%d" % i for i in range(30000))
numbers = [random.random() for _ in range(50000)]
if sys.argv[1] in ("product", "elements"):
    import numpy
    m, v = numpy.ones((200, 200)), numpy.ones(1000000)
code = compile(sys.argv[2], "work.py", "exec")
end = time.thread_time() + 1.2
while time.thread_time() < end:
    exec(code)
"""
EVAL = re.compile(r"^(_?PyEval_EvalFrame|_PyEval_Vector$)")
CALLABLE = re.compile(
    r"^(builtin_|cfunction_|method_vectorcall|_PyObject_MakeTpCall|type_call|list_sort|list_append|list_extend|unicode_|bytes_|str_|json|_json|"
    r"scan_once|scanner_call|py_scanstring|encoder_|_sre_|pattern_|sha|EVP|zlib|time_|PyCFunction_Call|_io_|replace|PyUnicode_Replace|DOUBLE_|array_|ufunc_|PyUFunc|PyArray|.*gemm|cblas)"
)


def run(report, library, python, name, folder):
    output = os.path.join(folder, name + ".evt")
    program = os.path.join(folder, "program.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(HEAD)
    environment = dict(os.environ, LD_PRELOAD=library, INTERCEPT_OUTPUT=output, INTERCEPT_TRACE="native-samples", INTERCEPT_SAMPLE="200")
    subprocess.run([python, program, name, PROGRAMS[name]], env=environment, check=True)
    environment.pop("LD_PRELOAD")
    said = subprocess.run([report, "lines", "--wait", "60", "--frames", "all", "--format", "json", output], capture_output=True, text=True, check=True)
    rows = [row for row in json.loads(said.stdout)["rows"] if not (row["file"] or "").endswith("program.py")]
    said = subprocess.run([report, "native", "--by", "stack", "--limit", "0", "--format", "json", output], capture_output=True, text=True, check=True)
    return rows, json.loads(said.stdout)["rows"]


def share_of_lines(rows):
    cpu = sum(row["cpu_ns"] for row in rows)
    return 100 * sum(row["native_ns"] for row in rows) / cpu if cpu else None


def is_native(frame):
    return not re.match(r"lib(python|c|m)[.0-9]|python3|\[", frame.get("module") or "[") or CALLABLE.match(frame["function"] or "")


def share_of_stacks(rows):
    native = whole = 0
    for row in rows:
        inner = []  # the stack begins with its innermost frame
        for frame in row["stack"]:
            if EVAL.match(frame.get("function") or ""):
                whole += row["cpu_ns"]
                native += row["cpu_ns"] * any(map(is_native, inner))
                break
            inner.append(frame)
    return 100 * native / whole if whole else None


def main():
    report, library, python, *names = sys.argv[1:]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names or PROGRAMS:
            rows, stacks = run(report, library, python, name, folder)
            lines, stacks = share_of_lines(rows), share_of_stacks(stacks)
            bad = lines is None or stacks is None or abs(lines - stacks) > 10
            wrong += bad
            print("%-14s lines %5s %%  native samples %5s %%%s" % (name, *("-" if share is None else "%.1f" % share for share in (lines, stacks)), "  differs" if bad else ""), flush=True)
    return wrong != 0


sys.exit(main())

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Run by scripts/test-arm.sh, which sets ARM_CC: the compiler for aarch64 lays out what Python stacks are read from as that for x86-64
# does, from which collector/region/python_layout.def is. Of the versions before 3.13 whose headers are here; later ones say it themselves.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >fields.h <<'END'
#define Py_BUILD_CORE 1
#include <Python.h>
#include <stddef.h>
#include <frameobject.h>
#include <internal/pycore_gil.h>
#include <internal/pycore_pystate.h>
#if PY_VERSION_HEX >= 0x03090000
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include <internal/pycore_frame.h>
#define FRAME(FIELD) FIELD(_PyInterpreterFrame, f_code) FIELD(_PyInterpreterFrame, previous) FIELD(_PyInterpreterFrame, prev_instr) \
	FIELD(_PyInterpreterFrame, owner) FIELD(_PyInterpreterFrame, localsplus) FIELD(PyInterpreterState, threads.head) \
	FIELD(PyThreadState, native_thread_id) FIELD(PyThreadState, cframe) FIELD(_PyCFrame, current_frame) \
	FIELD(PyCodeObject, co_linetable) FIELD(PyCodeObject, co_code_adaptive)
#else
#define FRAME(FIELD) FIELD(PyFrameObject, f_code) FIELD(PyFrameObject, f_back) FIELD(PyFrameObject, f_lasti) \
	FIELD(PyInterpreterState, tstate_head) FIELD(PyThreadState, frame) FIELD(PyCodeObject, co_code)
#endif
#if PY_VERSION_HEX < 0x030c0000
#define GIL(FIELD) FIELD(_PyRuntimeState, ceval.gil)
#else
#define GIL(FIELD) FIELD(PyInterpreterState, ceval.gil)
#endif
#define FIELDS(FIELD) FRAME(FIELD) GIL(FIELD) FIELD(_PyRuntimeState, interpreters.head) FIELD(PyInterpreterState, next) \
	FIELD(PyThreadState, next) FIELD(PyThreadState, thread_id) FIELD(PyCodeObject, co_firstlineno) FIELD(PyCodeObject, co_filename) \
	FIELD(PyCodeObject, co_name) FIELD(PyObject, ob_type) FIELD(PyBytesObject, ob_sval) FIELD(PyASCIIObject, length) \
	FIELD(PyASCIIObject, state) FIELD(PyUnicodeObject, data) FIELD(struct _gil_runtime_state, locked) \
	FIELD(struct _gil_runtime_state, last_holder)
END
cat >print.c <<'END'
#include "fields.h"
#include <stdio.h>
#define PRINT(type, member) printf("_Static_assert(offsetof(" #type ", " #member ") == %zu, \"\");\n", offsetof(type, member));
int main(void)
{
	puts("#include \"fields.h\"");
	FIELDS(PRINT)
	return 0;
}
END
versions=''
for python in "${PYTHONS[@]}"; do
	include=$("$python" -c 'import sys, sysconfig
print(sysconfig.get_path("include") if (3, 8) <= sys.version_info < (3, 13) else "")' 2>/dev/null)
	[[ -e $include/internal/pycore_pystate.h && $include != /usr/include/* ]] || continue # Debian's are for its own architecture
	{ cc -w -I. -I"$include" print.c -o print && ./print >same.c; } || fail "no fields in $include"
	# shellcheck disable=SC2086 # with its options
	$ARM_CC -w -fsyntax-only -I. -I"$include" same.c || fail "$include: laid out otherwise for aarch64, see above"
	sed '1a_Static_assert(offsetof(PyObject, ob_type) == 9, "");' same.c >other.c
	# shellcheck disable=SC2086
	! $ARM_CC -w -fsyntax-only -I. -I"$include" other.c 2>/dev/null || fail "another layout is not noticed"
	versions+=" ${include##*/python}"
done
[[ $versions ]] || { echo "left out: layouts of CPython, there are no headers of 3.8 to 3.12 but Debian's"; exit; }
echo "layouts of CPython$versions: their fields lie as on x86-64"

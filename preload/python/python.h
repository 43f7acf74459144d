/* SPDX-License-Identifier: MIT */
/*
 * The way into Python programs: a native audit hook (PySys_AddAuditHook, CPython 3.8 and newer),
 * set before the interpreter starts. At its first `cpython.run_*` event it runs the few lines of
 * bootstrap.py, which report when torch has been imported. It creates no file, no variable, nothing
 * in the program's namespaces. An audit hook cannot be removed, and costs every audited call about
 * 25 ns.
 */
#ifndef PRELOAD_PYTHON_PYTHON_H
#define PRELOAD_PYTHON_PYTHON_H

#include "preload/base/hidden.h"
#include "preload/record/family.h"

/* Does nothing if the program is not Python, or a Python without audit hooks. */
extern const struct family family_python PRELOAD_HIDDEN;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The way into Python programs: a native audit hook (PySys_AddAuditHook, CPython 3.8 and newer), set
 * before the interpreter starts. At its first `cpython.run_*` event the few lines of bootstrap.py are
 * run, which tell us when torch has been imported. No file, no variable, nothing in the program's
 * namespaces. An audit hook cannot be taken away: it costs every audited call about 25 ns.
 */
#ifndef PRELOAD_PYTHON_PYTHON_H
#define PRELOAD_PYTHON_PYTHON_H

#include "preload/base/hidden.h"
#include "preload/record/family.h"

/* Nothing where the program is no Python, or a Python without audit hooks. */
extern const struct family family_python PRELOAD_HIDDEN;

#endif

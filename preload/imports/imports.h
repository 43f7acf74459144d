/* SPDX-License-Identifier: MIT */
/*
 * Imports of Python modules, as `python -X importtime` counts them: one each time that an import statement, or C, finds no
 * module in sys.modules and has importlib look for it. README.md explains how its begin and end are seen.
 *
 * CPython 3.8 to 3.14; nothing where the interpreter is built in another way.
 */
#ifndef PRELOAD_IMPORTS_IMPORTS_H
#define PRELOAD_IMPORTS_IMPORTS_H

#include <stdbool.h>

/* For python/listeners.def: an audit event `import`, which comes before importlib is called; with the GIL. Any interpreter
 * of the process. */
bool imports_see(void *arguments);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Imports of Python modules, as `python -X importtime` counts them: one each time that an import
 * statement, or C code, finds no module in sys.modules and has importlib search for it. README.md
 * explains how their begin and end are seen.
 *
 * CPython 3.8 to 3.14. Does nothing if the interpreter was built in an unknown way.
 */
#ifndef PRELOAD_IMPORTS_IMPORTS_H
#define PRELOAD_IMPORTS_IMPORTS_H

#include <stdbool.h>

/*
 * For python/listeners.def: an audit event `import`, which comes before importlib is called; with
 * the GIL. Any interpreter of the process.
 */
bool imports_see(void *arguments);

#endif

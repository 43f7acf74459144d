/* SPDX-License-Identifier: MIT */
/*
 * Where another process' CPython is, from its mapped files: for a program that was started without
 * us and cannot say so itself (preload/python/sampling.h does it from inside).
 */
#ifndef COLLECTOR_OUTSIDE_PYTHON_FIND_H
#define COLLECTOR_OUTSIDE_PYTHON_FIND_H

#include <stdbool.h>
#include <stdint.h>

struct python_found {
	unsigned int minor;          /* of 3.x */
	uint64_t runtime, code_type; /* addresses of _PyRuntime and PyCode_Type in the process */
};

/* False: it has none that we know, or its files cannot be read. */
bool python_find(uint32_t pid, struct python_found *ret_found);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The process's libcupti: the one that is loaded, else the one that belongs to the loaded CUDA
 * runtime, else the toolkit's. A second one is never loaded, because two in a process break each
 * other.
 *
 * Takes ld.so's lock and may load a library: not from within a function of the heap, not within a
 * callback of CUPTI.
 */
#ifndef PRELOAD_GPU_GPU_LIBRARY_H
#define PRELOAD_GPU_GPU_LIBRARY_H

#include <stdbool.h>

#include "preload/gpu/cupti_api.h"

struct gpu_library {
#define GPU_LIBRARY_MEMBER(name, parameters, is_needed) cupti_result(*name) parameters;
	CUPTI_FUNCTIONS(GPU_LIBRARY_MEMBER)
#undef GPU_LIBRARY_MEMBER
	char path[512]; /* cut if it is longer */
};

/*
 * Returns false if there is none, or it lacks a function that we need. *ret_missing is then the
 * function's name, else NULL.
 */
bool gpu_library_open(struct gpu_library *library, const char **ret_missing);

/*
 * Returns the path of a loaded object that is no libcupti but has CUPTI linked into it visibly;
 * NULL: none.
 */
const char *gpu_library_static(void);

/*
 * Finds a loaded library of a profiler that contains a CUPTI without visible symbols
 * (profilers.def). Returns its path, and in *ret_text the text to print before it; NULL: none.
 */
const char *gpu_library_profiler(const char **ret_text);

/*
 * As gpu_library_profiler(), with the path cut to `room`. Looks only if something has been loaded
 * since the last look, which *loads tells.
 */
bool gpu_library_new_profiler(_Atomic uint16_t *loads, char *ret_path, size_t room);

/* Returns a function of the loaded libcupti, or NULL. */
void *gpu_library_find(const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The process's libcupti: the one that is loaded, else the one that belongs to the CUDA runtime that is loaded, else
 * the toolkit's. There is never a second one: two in a process break each other.
 *
 * Takes ld.so's lock, may load a library: not from within a function of the heap, not within a callback of CUPTI.
 */
#ifndef PRELOAD_GPU_GPU_LIBRARY_H
#define PRELOAD_GPU_GPU_LIBRARY_H

#include <stdbool.h>

#include "preload/gpu/cupti_api.h"

struct gpu_library {
#define GPU_LIBRARY_MEMBER(name, parameters, is_needed) cupti_result(*name) parameters;
	CUPTI_FUNCTIONS(GPU_LIBRARY_MEMBER)
#undef GPU_LIBRARY_MEMBER
	char path[512]; /* cut where it is longer */
};

/* False: there is none, or one without a function that we need; *ret_missing is its name then, else NULL. */
bool gpu_library_open(struct gpu_library *library, const char **ret_missing);

/* A loaded object that is no libcupti, and has CUPTI linked into it where it can be seen; its path, NULL. */
const char *gpu_library_static(void);

/*
 * A library of a profiler with a CUPTI of its own that shows nowhere (profilers.def) is loaded: its path, and in
 * *ret_text what is to be said before it; NULL.
 */
const char *gpu_library_profiler(const char **ret_text);

/* The same, its path cut where it is longer than `room`; true only where something has been loaded since the last look, by *loads. */
bool gpu_library_new_profiler(_Atomic uint16_t *loads, char *ret_path, size_t room);

/* A function of the libcupti that is loaded, NULL. */
void *gpu_library_find(const char *name);

#endif

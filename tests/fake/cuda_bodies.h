/* SPDX-License-Identifier: MIT */
/*
 * Declares the body do_NAME() of every function of the fake libcuda.
 */
#ifndef TESTS_FAKE_CUDA_BODIES_H
#define TESTS_FAKE_CUDA_BODIES_H

#include "tests/fake/entry.h"

#define BODY_cuda(name, parameters) int do_##name parameters;
#define BODY_cudart(name, parameters)
#define CUDA(library, since, per_thread, name, parameters, ...) BODY_##library(name, parameters)
#include "preload/cuda/hooks.def"
#define MORE(since, name, parameters, arguments) int do_##name parameters;
#include "tests/fake/cuda_more.def"
#undef BODY_cudart
#undef BODY_cuda

/* One of the functions that the library exports, by name and CUDA version. */
struct cuda_entry {
	const char *name;
	int since;
	bool is_per_thread;
	void (*function)(void);
};

extern const struct cuda_entry cuda_entries[];
extern const unsigned int cuda_entry_count;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The fake libcuda.so.1: an entry for every function of the lists, and the table of them by name.
 */
#include "tests/fake/cuda_bodies.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum cuda_function {
#define AT_cuda(name) AT_##name,
#define AT_cudart(name)
#define CUDA(library, since, per_thread, name, ...) AT_##library(name)
#include "preload/cuda/hooks.def"
	HOOKED,
	BEFORE_MORE = HOOKED - 1,
#define MORE(since, name, parameters, arguments) AT_##name,
#include "tests/fake/cuda_more.def"
	FUNCTIONS,
};

static const char *const names[FUNCTIONS] = {
#define NAME_cuda(name) [AT_##name] = #name,
#define NAME_cudart(name)
#define CUDA(library, since, per_thread, name, ...) NAME_##library(name)
#include "preload/cuda/hooks.def"
#define MORE(since, name, parameters, arguments) [AT_##name] = #name,
#include "tests/fake/cuda_more.def"
};

static struct fake_library *opened;

__attribute__((constructor)) static void cuda_start(void)
{
	opened = fake_library_open("libcuda.so.1", names, FUNCTIONS, HOOKED);
}

static struct fake_library *fake_library_get(void)
{
	if (!opened)
		cuda_start();
	return opened;
}

#define ENTRY_cuda(name, parameters, arguments) FAKE_ENTRY(name, parameters, arguments)
#define ENTRY_cudart(name, parameters, arguments)
#define CUDA(library, since, per_thread, name, parameters, arguments, ...) \
	ENTRY_##library(name, parameters, arguments)
#include "preload/cuda/hooks.def"
#define MORE(since, name, parameters, arguments) FAKE_ENTRY(name, parameters, arguments)
#include "tests/fake/cuda_more.def"

/* Not the exported functions, which may be interposed: the real driver hands out its own. */
const struct cuda_entry cuda_entries[] = {
#define ROW_cuda(since, per_thread, name) \
	{ #name, since, per_thread, (void (*)(void))entry_##name },
#define ROW_cudart(since, per_thread, name)
#define CUDA(library, since, per_thread, name, ...) ROW_##library(since, per_thread, name)
#include "preload/cuda/hooks.def"
#define MORE(since, name, parameters, arguments) ROW_cuda(since, 0, name)
#include "tests/fake/cuda_more.def"
};

const unsigned int cuda_entry_count = sizeof(cuda_entries) / sizeof(*cuda_entries);

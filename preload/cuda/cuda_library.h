/* SPDX-License-Identifier: MIT */
/*
 * Which CUDA function a call belongs to. Not RTLD_NEXT alone: libcudart mostly comes in by dlopen()
 * with RTLD_LOCAL, may leave again, and two major versions of it may be loaded at once. So the original
 * is that of the object that calls, as ld.so would have bound it without us:
 *
 *   1. the object's own definition (a copy of libcudart linked into it);
 *   2. that of the first object that its DT_NEEDED names and that has one, whatever it is called;
 *   3. of the driver: the address that cuGetProcAddress() or cudaGetDriverEntryPoint() gave for the name;
 *   4. any libcudart or libcuda that is loaded: the object got our function's address by dlsym();
 *   5. any object that is loaded.
 *
 * A call whose return address is ours comes from the original of the call around it, which ended with a
 * jump to another function: its library is the object that calls.
 *
 * Another preloaded library that has the function stands between (it is called in the original's place).
 *
 * What was found is kept by object, and believed only while _dl_find_object() says that the same object
 * is loaded (about 10 ns). glibc before 2.35 has no such function: there rules 1 and 2 are left
 * out, calls of CUDA to itself are not told apart, and the library found is never unloaded.
 *
 * Any thread; no lock of ours, no allocation; the first call of each object walks the list of loaded
 * objects, under ld.so's lock. errno is preserved.
 */
#ifndef PRELOAD_CUDA_CUDA_LIBRARY_H
#define PRELOAD_CUDA_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/cuda/cuda_search.h"

/* CUDA_FN_cudaMalloc and so on. */
enum cuda_function {
#define CUDA(library, since, per_thread, name, parameters, arguments, record) CUDA_FN_##name,
#define CUDA_OWN(library, returns, name, parameters, arguments) CUDA_FN_##name,
#include "preload/cuda/hooks.def"
	CUDA_FUNCTIONS,
};

struct cuda_function_info {
	const char *name;
	enum cuda_kind kind;
	bool per_thread;
	uint32_t since; /* see hooks.def */
};

extern const struct cuda_function_info cuda_functions[CUDA_FUNCTIONS];

struct cuda_library;

/* Where a call goes and where it comes from. */
struct cuda_origin {
	void *original; /* NULL: no library has the function */
	struct cuda_library *library;
	bool inside; /* CUDA itself calls */
};

/* `outer` is read only when the caller is this library: then the call around it is still running. */
void cuda_origin_find(struct cuda_origin *origin, enum cuda_function function, const void *caller,
		      const struct cuda_origin *outer);

/* Number of libcudart.so.N, 0 when it cannot be told. */
uint32_t cuda_library_major(const struct cuda_library *library);
/* What cudaRuntimeGetVersion() says, 0 when it cannot be told. */
uint32_t cuda_library_version(const struct cuda_library *library);
/* A function that is not hooked, `name` always the same for a library; NULL when it has none. */
void *cuda_library_device_getter(struct cuda_library *library);

/* The driver's function was handed out by name: `address` is its original from now on. */
void cuda_library_note_driver(enum cuda_function function, void *address);

#endif

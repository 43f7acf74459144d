/* SPDX-License-Identifier: MIT */
/*
 * Decides which CUDA function a call belongs to. RTLD_NEXT does not suffice, because libcudart is
 * mostly loaded by dlopen() with RTLD_LOCAL, may be unloaded again, and two major versions of it
 * may be loaded at once. So the original is the one that ld.so would have bound for the calling
 * object without us:
 *
 *   1. the object's own definition (a copy of libcudart linked into it);
 *   2. that of the first object named by its DT_NEEDED that has one, whatever its name;
 *   3. for the driver: the address that cuGetProcAddress() or cudaGetDriverEntryPoint() returned;
 *   4. any libcudart or libcuda that is loaded: the object got our function's address by dlsym();
 *   5. any object that is loaded.
 *
 * If the return address of a call is ours, it comes from the original of the call around it, which
 * ended with a jump to another function. The original's library is then the calling object.
 *
 * If another preloaded library defines the function, that definition is called in the original's
 * place.
 *
 * Results are kept by object, and used only while _dl_find_object() says that the same object is
 * loaded (about 10 ns); and by the address of the call, until a library is unloaded, which takes a
 * tenth of the instructions (call_sites.h). glibc before 2.35 has no such function. There rules 1
 * and 2 are left out, CUDA's calls to itself are not recognised, and the library found is never
 * unloaded.
 *
 * Any thread; no lock of ours, no allocation. The first call of each object walks the list of
 * loaded objects, under ld.so's lock. errno is preserved.
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

/* The function that a call goes to, and the library that it comes from. */
struct cuda_origin {
	void *original; /* NULL: no library has the function */
	struct cuda_library *library;
	bool inside; /* the caller is CUDA itself */
};

/*
 * `outer` is read only if the caller is this library, because then the call around it is still
 * running. Returns whether the same is true of later calls from that address, which it is not then.
 */
bool cuda_origin_find(struct cuda_origin *origin, enum cuda_function function, const void *caller,
		      const struct cuda_origin *outer);

/* Number of libcudart.so.N, 0 if it is not known. */
uint32_t cuda_library_major(const struct cuda_library *library);
/* Result of cudaRuntimeGetVersion(), 0 if it is not known. */
uint32_t cuda_library_version(const struct cuda_library *library);
/*
 * Returns a function that is not hooked; `name` must always be the same for a library. NULL if it
 * has none.
 */
void *cuda_library_device_getter(struct cuda_library *library);

/* The driver's function was obtained by name: `address` is its original from now on. */
void cuda_library_note_driver(enum cuda_function function, void *address);

#endif

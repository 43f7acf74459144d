/* SPDX-License-Identifier: MIT */
/*
 * A malloc() and a free() that launch a kernel, once each, on a thread that asked for it with
 * cuda_malloc_arm(): an allocator that keeps a GPU informed. Is preloaded behind intercept.
 */
/* build: -ldl -L$O/fake -l:libcudart.so.13 -Wl,-rpath,'$ORIGIN/../fake' */
#include <stdbool.h>
#include <stddef.h>

#include "preload/cuda/cuda_api.h"

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);
int cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
		     cudaStream_t stream);

__attribute__((visibility("default"))) char cuda_malloc_kernel;
static __thread bool is_armed __attribute__((tls_model("initial-exec")));

__attribute__((visibility("default"))) void cuda_malloc_arm(bool on)
{
	is_armed = on;
}

/* What CUDA allocates meanwhile is its own. */
static void tell(void)
{
	const dim3 one = { 1, 1, 1 };

	if (!is_armed)
		return;
	is_armed = false;
	(void)cudaLaunchKernel(&cuda_malloc_kernel, one, one, NULL, 0, NULL);
	is_armed = true;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	tell();
	return __libc_malloc(size);
}

__attribute__((visibility("default"))) void free(void *block)
{
	tell();
	__libc_free(block);
}

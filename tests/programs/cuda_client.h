/* SPDX-License-Identifier: MIT */
/*
 * What the CUDA test programs share: the functions' declarations, out of hooks.def and the fake's
 * lists, and kernels that are registered as nvcc's constructors do.
 *
 * What a program calls is counted by the fake CUDA it runs over (tests/fake/), to be compared with
 * the reports; the programs only look at what comes back.
 */
#ifndef TESTS_PROGRAMS_CUDA_CLIENT_H
#define TESTS_PROGRAMS_CUDA_CLIENT_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/cuda/cuda_api.h"

#ifdef __cplusplus
extern "C" {
#endif
#define CUDA(library, since, per_thread, name, parameters, ...) int name parameters;
#define CUDA_OWN(library, returns, name, parameters, arguments) returns name parameters;
#include "preload/cuda/hooks.def"
int cudaGetDevice(int *device);
int cudaGetDeviceCount(int *count);
int cudaEventCreate(cudaEvent_t *event);
int cudaEventDestroy(cudaEvent_t event);
int cudaGetLastError(void);
void **__cudaRegisterFatBinary(void *fatCubin);
void __cudaRegisterFatBinaryEnd(void **fatCubinHandle);
unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
					 void *stream);
int __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream);
#ifdef __cplusplus
}
#endif

/* Ends the program with the line's number on standard error. */
#define EXPECT(condition) client_expect(condition, #condition, __LINE__)
#define OK(call) EXPECT((call) == 0)

static inline void client_expect(bool is_true, const char *text, int line)
{
	if (is_true)
		return;
	dprintf(2, "line %d: not so: %s\n", line, text);
	_exit(90);
}

static const dim3 one = { 1, 1, 1 };

static inline void client_kernel(const void *host, const char *name)
{
	static void **handle;

	if (!handle)
		handle = __cudaRegisterFatBinary(NULL);
	__cudaRegisterFunction(handle, (const char *)host, (char *)name, name, -1, NULL, NULL, NULL,
			       NULL, NULL);
}

/* The counters of the fake, for processes that end without its destructor. */
static inline void client_write_counts(void)
{
	void (*write_counts)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "fake_cuda_write");

	EXPECT(write_counts != NULL);
	write_counts();
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The fake libcudart: an entry for every function of the lists, and what is not an ordinary one.
 *
 * Compiled once for each FAKE_MAJOR; the soname is libcudart.so.MAJOR.
 */
#include "tests/fake/cudart_bodies.h"

#include <dlfcn.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define TEXT(number) #number
#define SONAME(number) "libcudart.so." TEXT(number)

enum cudart_function {
#define AT_cudart(name) AT_##name,
#define AT_cuda(name)
#define CUDA(library, since, per_thread, name, ...) AT_##library(name)
#define CUDA_OWN(library, returns, name, ...) AT_##library(name)
#include "preload/cuda/hooks.def"
	HOOKED,
	BEFORE_MORE = HOOKED - 1,
#define MORE(name, parameters, arguments) AT_##name,
#define HAND(returns, name, parameters) AT_##name,
#include "tests/fake/cudart_more.def"
	FUNCTIONS,
};

static const char *const names[FUNCTIONS] = {
#define NAME_cudart(name) [AT_##name] = #name,
#define NAME_cuda(name)
#define CUDA(library, since, per_thread, name, ...) NAME_##library(name)
#define CUDA_OWN(library, returns, name, ...) NAME_##library(name)
#include "preload/cuda/hooks.def"
#define MORE(name, parameters, arguments) [AT_##name] = #name,
#define HAND(returns, name, parameters) [AT_##name] = #name,
#include "tests/fake/cudart_more.def"
};

static struct fake_library *opened;

__attribute__((constructor)) static void cudart_start(void)
{
	opened = fake_library_open(SONAME(FAKE_MAJOR), names, FUNCTIONS, HOOKED);
}

static struct fake_library *fake_library_get(void)
{
	if (!opened)
		cudart_start();
	return opened;
}

#define ENTRY_cudart(name, parameters, arguments) FAKE_ENTRY(name, parameters, arguments)
#define ENTRY_cuda(name, parameters, arguments)
#define CUDA(library, since, per_thread, name, parameters, arguments, ...) \
	ENTRY_##library(name, parameters, arguments)
#include "preload/cuda/hooks.def"
#define MORE(name, parameters, arguments) FAKE_ENTRY(name, parameters, arguments)
#define HAND(returns, name, parameters) FAKE_EXPORT returns name parameters;
#include "tests/fake/cudart_more.def"

/* --- registration, which nvcc's constructors call --- */

FAKE_EXPORT void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
					const char *deviceName, int thread_limit, void *tid,
					void *bid, void *bDim, void *gDim, int *wSize);

void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
			    const char *deviceName, int thread_limit, void *tid, void *bid,
			    void *bDim, void *gDim, int *wSize)
{
	struct fake_call call;

	fake_enter(&call, fake_library_get(), AT___cudaRegisterFunction);
	fake_kernel_register(hostFun, deviceName);
	fake_leave_plain(&call);
}

void **__cudaRegisterFatBinary(void *fatCubin)
{
	struct fake_call call;
	void *handle = NULL;

	fake_enter(&call, fake_library_get(), AT___cudaRegisterFatBinary);
	fake_object_create(&handle);
	fake_leave_plain(&call);
	return handle;
}

void __cudaRegisterFatBinaryEnd(void **fatCubinHandle)
{
	struct fake_call call;

	fake_enter(&call, fake_library_get(), AT___cudaRegisterFatBinaryEnd);
	fake_leave_plain(&call);
}

void __cudaUnregisterFatBinary(void **fatCubinHandle)
{
	struct fake_call call;

	fake_enter(&call, fake_library_get(), AT___cudaUnregisterFatBinary);
	fake_object_free(fatCubinHandle);
	fake_leave_plain(&call);
}

void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress,
		       const char *deviceName, int ext, size_t size, int constant, int global)
{
	struct fake_call call;

	fake_enter(&call, fake_library_get(), AT___cudaRegisterVar);
	fake_leave_plain(&call);
}

unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
					 void *stream)
{
	struct fake_call call;

	fake_enter(&call, fake_library_get(), AT___cudaPushCallConfiguration);
	fake_thread.configuration.grid = gridDim;
	fake_thread.configuration.block = blockDim;
	fake_thread.configuration.shared = sharedMem;
	fake_thread.configuration.stream = stream;
	fake_leave_plain(&call);
	return 0;
}

/* --- errors --- */

int cudaGetLastError(void)
{
	struct fake_call call;
	int result;

	fake_enter(&call, fake_library_get(), AT_cudaGetLastError);
	result = fake_thread.last_error;
	fake_thread.last_error = 0;
	fake_leave_plain(&call);
	return result;
}

int cudaPeekAtLastError(void)
{
	struct fake_call call;

	fake_enter(&call, fake_library_get(), AT_cudaPeekAtLastError);
	fake_leave_plain(&call);
	return fake_thread.last_error;
}

const char *cudaGetErrorName(int error)
{
	struct fake_call call;

	fake_enter(&call, fake_library_get(), AT_cudaGetErrorName);
	fake_leave_plain(&call);
	return error ? "cudaErrorOfTheFake" : "cudaSuccess";
}

const char *cudaGetErrorString(int error)
{
	struct fake_call call;

	fake_enter(&call, fake_library_get(), AT_cudaGetErrorString);
	fake_leave_plain(&call);
	return error ? "an error of the fake CUDA" : "no error";
}

/* --- the driver --- */

void *cudart_driver(const char *name)
{
	static _Atomic(void *) driver;

	if (!driver)
		driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	return driver ? dlsym(driver, name) : NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * Bodies of the fake libcudart: launches, kernels, libraries, entry points of the driver.
 */
#include "tests/fake/cudart_bodies.h"

#include <dlfcn.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

int do___cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream)
{
	*gridDim = fake_thread.configuration.grid;
	*blockDim = fake_thread.configuration.block;
	*sharedMem = fake_thread.configuration.shared;
	*(void **)stream = fake_thread.configuration.stream;
	return 0;
}

int do_cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
			size_t sharedMem, cudaStream_t stream)
{
	if (!gridDim.x || !gridDim.y || !gridDim.z || !blockDim.x || !blockDim.y || !blockDim.z)
		return 9; /* cudaErrorInvalidConfiguration */
	return fake_kernel_launch(
		&(struct fake_launch){ func, gridDim, blockDim, sharedMem, stream });
}
PER_THREAD(cudaLaunchKernel, _ptsz)

int do_cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
				   size_t sharedMem, cudaStream_t stream)
{
	return do_cudaLaunchKernel(func, gridDim, blockDim, args, sharedMem, stream);
}
PER_THREAD(cudaLaunchCooperativeKernel, _ptsz)

/*
 * As the real one it goes on through a function that is exported too. The launch is the program's,
 * so it is counted here.
 */
static int launch_on(cudaKernel_t kernel, bool is_nested, int result)
{
	struct fake_kernel *found = fake_kernel_find(kernel);

	if (!result && !is_nested && found)
		atomic_fetch_add(&found->name->launches, 1);
	return result;
}

int do___cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
			  size_t sharedMem, cudaStream_t stream)
{
	return launch_on(
		kernel, fake_thread.nested,
		SELF(cudaLaunchKernel, kernel, gridDim, blockDim, args, sharedMem, stream));
}

int do___cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
			       size_t sharedMem, cudaStream_t stream)
{
	return launch_on(
		kernel, fake_thread.nested,
		SELF(cudaLaunchKernel_ptsz, kernel, gridDim, blockDim, args, sharedMem, stream));
}

int do_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
	if (!config)
		return FAKE_INVALID_VALUE;
	return fake_kernel_launch(&(struct fake_launch){ func, config->gridDim, config->blockDim,
							 config->dynamicSmemBytes,
							 config->stream });
}
PER_THREAD(cudaLaunchKernelExC, _ptsz)

int do_cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
	return fake_graph_launch(graphExec, stream);
}
PER_THREAD(cudaGraphLaunch, _ptsz)

int do_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
	fn(userData);
	return 0;
}
PER_THREAD(cudaLaunchHostFunc, _ptsz)

int do_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
			     unsigned int flags)
{
	callback(stream, 0, userData);
	return 0;
}
PER_THREAD(cudaStreamAddCallback, _ptsz)

/* --- kernels --- */

int do___cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
	struct fake_kernel *found = fake_kernel_find(function);

	if (!found)
		return FAKE_BAD_FUNCTION;
	*kernel = (cudaKernel_t)(void *)&found->kernel;
	return 0;
}

int do_cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
	return do___cudaGetKernel(kernelPtr, entryFuncAddr);
}

int do_cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
	struct fake_kernel *found = fake_kernel_find(symbolPtr);

	if (!found)
		return FAKE_BAD_FUNCTION;
	*functionPtr = (cudaFunction_t)(void *)&found->function;
	return 0;
}

int do_cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name)
{
	*pKernel = (cudaKernel_t)(void *)&fake_kernel_register(NULL, name)->kernel;
	return 0;
}

int do_cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions,
			   void **jitOptionsValues, unsigned int numJitOptions,
			   enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
			   unsigned int numLibraryOptions)
{
	return fake_object_create((void **)library);
}

int do_cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
			       enum cudaJitOption *jitOptions, void **jitOptionsValues,
			       unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions,
			       void **libraryOptionValues, unsigned int numLibraryOptions)
{
	return fake_object_create((void **)library);
}

int do_cudaLibraryUnload(cudaLibrary_t library)
{
	return fake_object_free(library);
}

int do_cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib)
{
	*count = 0;
	return 0;
}

int do_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
						     int blockSize, size_t shared)
{
	*numBlocks = 2;
	return 0;
}

int do_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
							      int blockSize, size_t shared,
							      unsigned int flags)
{
	*numBlocks = 2;
	return 0;
}

/* The head of struct cudaFuncAttributes. */
struct function_attributes {
	size_t shared_bytes, constant_bytes, local_bytes;
	int threads, registers, ptx_version, binary_version;
};

int do_cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
	struct function_attributes attributes = {
		.threads = 1024, .registers = 32, .ptx_version = 90, .binary_version = 90
	};

	if (!attr || !fake_kernel_find(func))
		return attr ? FAKE_BAD_FUNCTION : FAKE_INVALID_VALUE;
	memcpy(attr, &attributes, sizeof(attributes));
	return 0;
}

/* --- functions of the driver by name --- */

typedef int (*get_proc_address)(const char *symbol, void **pfn, int version, cuuint64_t flags,
				CUdriverProcAddressQueryResult *status);

static int entry_point_find(const char *symbol, void **funcPtr, unsigned int version,
			    unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
	get_proc_address find = (get_proc_address)cudart_driver("cuGetProcAddress_v2");
	CUdriverProcAddressQueryResult found = 0;
	int result;

	if (!find)
		return FAKE_NO_DRIVER;
	fake_thread.self = "cuGetProcAddress_v2";
	result = find(symbol, funcPtr, (int)version, flags, &found);
	if (status)
		*status = (enum cudaDriverEntryPointQueryResult)found;
	return result;
}

int do_cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
			       enum cudaDriverEntryPointQueryResult *driverStatus)
{
	return entry_point_find(symbol, funcPtr, FAKE_VERSION, flags, driverStatus);
}

int do_cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr, unsigned long long flags,
				    enum cudaDriverEntryPointQueryResult *driverStatus)
{
	return entry_point_find(symbol, funcPtr, FAKE_VERSION,
				flags ? flags : CUDA_ENTRY_PER_THREAD, driverStatus);
}

int do_cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
					unsigned int cudaVersion, unsigned long long flags,
					enum cudaDriverEntryPointQueryResult *driverStatus)
{
	return entry_point_find(symbol, funcPtr, cudaVersion, flags, driverStatus);
}

int do_cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **funcPtr,
					     unsigned int cudaVersion, unsigned long long flags,
					     enum cudaDriverEntryPointQueryResult *driverStatus)
{
	return entry_point_find(symbol, funcPtr, cudaVersion, flags ? flags : CUDA_ENTRY_PER_THREAD,
				driverStatus);
}

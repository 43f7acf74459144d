/* SPDX-License-Identifier: MIT */
/*
 * Bodies of the fake libcuda: memory, modules, kernels and their launches.
 */
#include "tests/fake/cuda_bodies.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static int allocate(unsigned int kind, size_t size, CUdeviceptr *ret_address)
{
	void *address = NULL;
	int result = fake_allocate(kind, size, &address);

	*ret_address = (CUdeviceptr)(uintptr_t)address;
	return result;
}

static int release(unsigned int kind, CUdeviceptr address)
{
	return fake_release(kind, (const void *)(uintptr_t)address);
}

int do_cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
	return allocate(EVT_CUDA_DEVICE, bytesize, dptr);
}

int do_cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
			  unsigned int ElementSizeBytes)
{
	*pPitch = WidthInBytes;
	return allocate(EVT_CUDA_DEVICE, WidthInBytes * Height, dptr);
}

int do_cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
	return allocate(EVT_CUDA_MANAGED, bytesize, dptr);
}

int do_cuMemAllocHost_v2(void **pp, size_t bytesize)
{
	return fake_allocate(EVT_CUDA_PINNED, bytesize, pp);
}

int do_cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
	return fake_allocate(EVT_CUDA_PINNED, bytesize, pp);
}

int do_cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
	return fake_adopt(p, bytesize);
}

int do_cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
	return allocate(EVT_CUDA_POOL, bytesize, dptr);
}
PER_THREAD(cuMemAllocAsync, _ptsz)

int do_cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
			       CUstream hStream)
{
	return allocate(EVT_CUDA_POOL, bytesize, dptr);
}
PER_THREAD(cuMemAllocFromPoolAsync, _ptsz)

int do_cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
	return fake_allocate(EVT_CUDA_ARRAY, 0, (void **)pHandle);
}

int do_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
	return fake_allocate(EVT_CUDA_ARRAY, 0, (void **)pHandle);
}

int do_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
		   const CUmemAllocationProp *prop, unsigned long long flags)
{
	int current = fake_thread.device, result;

	if (prop && prop->location.type == CUDA_LOCATION_DEVICE)
		fake_thread.device = prop->location.id;
	result = allocate(EVT_CUDA_VIRTUAL, size, handle);
	fake_thread.device = current;
	return result;
}

int do_cuMemFree_v2(CUdeviceptr dptr)
{
	return release(EVT_CUDA_ANY, dptr);
}

int do_cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
	return release(EVT_CUDA_ANY, dptr);
}
PER_THREAD(cuMemFreeAsync, _ptsz)

int do_cuMemFreeHost(void *p)
{
	return fake_release(EVT_CUDA_PINNED, p);
}

int do_cuMemHostUnregister(void *p)
{
	return fake_release(EVT_CUDA_REGISTERED, p);
}

int do_cuArrayDestroy(CUarray hArray)
{
	return fake_release(EVT_CUDA_ARRAY, hArray);
}

int do_cuMemRelease(CUmemGenericAllocationHandle handle)
{
	return release(EVT_CUDA_VIRTUAL, handle);
}

/* An address range is only a number: nothing of it is to be touched. */
int do_cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
			   unsigned long long flags)
{
	static _Atomic CUdeviceptr next = 0x700000000000;

	*ptr = atomic_fetch_add(&next, (size + 0x1fffff) & ~(size_t)0x1fffff);
	return 0;
}

int do_cuMemGetAllocationGranularity(size_t *granularity)
{
	*granularity = 2 << 20;
	return 0;
}

int do_cuMemGetInfo_v2(size_t *free, size_t *total)
{
	*free = (size_t)79 << 30;
	*total = (size_t)80 << 30;
	return 0;
}

int do_cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
	struct fake_block block;

	if (!fake_block_find((const void *)(uintptr_t)dptr, &block))
		return FAKE_INVALID_VALUE;
	*pbase = block.address;
	*psize = block.size;
	return 0;
}

int do_cuPointerGetAttribute(void *data, int attribute, CUdeviceptr ptr)
{
	struct fake_block block;

	return fake_block_find((const void *)(uintptr_t)ptr, &block) ? 0 : FAKE_INVALID_VALUE;
}

/* --- modules and kernels --- */

int do_cuModuleLoad(CUmodule *module, const char *fname)
{
	return fake_object_create((void **)module);
}

int do_cuModuleLoadData(CUmodule *module, const void *image)
{
	return fake_object_create((void **)module);
}

int do_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
			  CUjit_option *options, void **optionValues)
{
	return fake_object_create((void **)module);
}

int do_cuModuleUnload(CUmodule hmod)
{
	return fake_object_free(hmod);
}

int do_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
			 void **jitOptionsValues, unsigned int numJitOptions,
			 CUlibraryOption *libraryOptions, void **libraryOptionValues,
			 unsigned int numLibraryOptions)
{
	return fake_object_create((void **)library);
}

int do_cuLibraryUnload(CUlibrary library)
{
	return fake_object_free(library);
}

int do_cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
	*hfunc = (CUfunction)(void *)&fake_kernel_register(NULL, name)->function;
	return 0;
}

int do_cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
	*pKernel = (CUkernel)(void *)&fake_kernel_register(NULL, name)->kernel;
	return 0;
}

int do_cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
	struct fake_kernel *found = fake_kernel_find(kernel);

	if (!found)
		return FAKE_BAD_HANDLE;
	*pFunc = (CUfunction)(void *)&found->function;
	return 0;
}

int do_cuFuncGetName(const char **name, CUfunction hfunc)
{
	struct fake_kernel *found = fake_kernel_find(hfunc);

	*name = found ? found->name->text : NULL;
	return found ? 0 : FAKE_BAD_HANDLE;
}

int do_cuKernelGetName(const char **name, CUkernel hkernel)
{
	struct fake_kernel *found = fake_kernel_find(hkernel);

	*name = found ? found->name->text : NULL;
	return found ? 0 : FAKE_BAD_HANDLE;
}

int do_cuFuncGetAttribute(int *pi, int attrib, CUfunction hfunc)
{
	*pi = attrib ? 32 : 1024;
	return 0;
}

int do_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
						   size_t shared)
{
	*numBlocks = 2;
	return 0;
}

/* --- launches --- */

int do_cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
		      unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
		      unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
		      void **kernelParams, void **extra)
{
	return fake_kernel_launch(&(struct fake_launch){ f, CUDA_DIM(gridDimX, gridDimY, gridDimZ),
							 CUDA_DIM(blockDimX, blockDimY, blockDimZ),
							 sharedMemBytes, hStream });
}
PER_THREAD(cuLaunchKernel, _ptsz)

int do_cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
				 unsigned int gridDimZ, unsigned int blockDimX,
				 unsigned int blockDimY, unsigned int blockDimZ,
				 unsigned int sharedMemBytes, CUstream hStream, void **kernelParams)
{
	return fake_kernel_launch(&(struct fake_launch){ f, CUDA_DIM(gridDimX, gridDimY, gridDimZ),
							 CUDA_DIM(blockDimX, blockDimY, blockDimZ),
							 sharedMemBytes, hStream });
}
PER_THREAD(cuLaunchCooperativeKernel, _ptsz)

int do_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
			void **extra)
{
	if (!config)
		return FAKE_INVALID_VALUE;
	return fake_kernel_launch(&(struct fake_launch){
		f, CUDA_DIM(config->gridDimX, config->gridDimY, config->gridDimZ),
		CUDA_DIM(config->blockDimX, config->blockDimY, config->blockDimZ),
		config->sharedMemBytes, config->hStream });
}
PER_THREAD(cuLaunchKernelEx, _ptsz)

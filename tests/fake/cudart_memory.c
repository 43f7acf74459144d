/* SPDX-License-Identifier: MIT */
/*
 * Bodies of the fake libcudart: allocations, pools, addresses.
 */
#include "tests/fake/cudart_bodies.h"
#include "tests/fake/device.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define TOTAL_BYTES ((size_t)80 << 30)

/*
 * The first allocation of a thread makes the context: by the driver's own function, not the
 * exported one.
 */
static void context_make(void)
{
	static _Atomic bool is_made;
	int (*init)(unsigned int flags);

	if (is_made)
		return;
	init = (int (*)(unsigned int))cudart_driver("cuInit");
	if (init) {
		fake_thread.self = "cuInit";
		init(0);
	}
	is_made = true;
}

int do_cudaMalloc(void **devPtr, size_t size)
{
	context_make();
	return fake_allocate(EVT_CUDA_DEVICE, size, devPtr);
}

int do_cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
	*pitch = width;
	return fake_allocate(EVT_CUDA_DEVICE, width * height, devPtr);
}

int do_cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
	pitchedDevPtr->pitch = pitchedDevPtr->xsize = extent.width;
	pitchedDevPtr->ysize = extent.height;
	return fake_allocate(EVT_CUDA_DEVICE, extent.width * extent.height * extent.depth,
			     &pitchedDevPtr->ptr);
}

static size_t texel_bytes(const struct cudaChannelFormatDesc *desc)
{
	return (size_t)(desc->x + desc->y + desc->z + desc->w) / 8;
}

static size_t at_least_one(size_t number)
{
	return number ? number : 1;
}

int do_cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
		       size_t height, unsigned int flags)
{
	return fake_allocate(EVT_CUDA_ARRAY, texel_bytes(desc) * width * at_least_one(height),
			     (void **)array);
}

int do_cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
			 struct cudaExtent extent, unsigned int flags)
{
	return fake_allocate(EVT_CUDA_ARRAY,
			     texel_bytes(desc) * extent.width * at_least_one(extent.height) *
				     at_least_one(extent.depth),
			     (void **)array);
}

int do_cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
				const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
				unsigned int numLevels, unsigned int flags)
{
	return fake_allocate(EVT_CUDA_ARRAY, 0, (void **)mipmappedArray);
}

int do_cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
	context_make();
	return fake_allocate(EVT_CUDA_MANAGED, size, devPtr);
}

int do_cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
	return fake_allocate(EVT_CUDA_PINNED, size, pHost);
}

/* The real one is this as well. The memory is the program's all the same. */
int do_cudaMallocHost(void **ptr, size_t size)
{
	int result = SELF(cudaHostAlloc, ptr, size, 0);

	return result ? result : fake_claim(*ptr);
}

int do_cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
	return fake_adopt(ptr, size);
}

int do_cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
	context_make();
	return fake_allocate(EVT_CUDA_POOL, size, devPtr);
}
PER_THREAD(cudaMallocAsync, _ptsz)

int do_cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
	return fake_allocate(EVT_CUDA_POOL, size, ptr);
}
PER_THREAD(cudaMallocFromPoolAsync, _ptsz)

int do_cudaFree(void *devPtr)
{
	context_make();
	return fake_release(EVT_CUDA_ANY, devPtr);
}

int do_cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
	return fake_release(EVT_CUDA_ANY, devPtr);
}
PER_THREAD(cudaFreeAsync, _ptsz)

int do_cudaFreeHost(void *ptr)
{
	return fake_release(EVT_CUDA_PINNED, ptr);
}

int do_cudaHostUnregister(void *ptr)
{
	return fake_release(EVT_CUDA_REGISTERED, ptr);
}

int do_cudaFreeArray(cudaArray_t array)
{
	return fake_release(EVT_CUDA_ARRAY, array);
}

int do_cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
	return fake_release(EVT_CUDA_ARRAY, mipmappedArray);
}

int do_cudaDeviceReset(void)
{
	fake_release_all();
	return 0;
}

int do_cudaMemGetInfo(size_t *free, size_t *total)
{
	*total = TOTAL_BYTES;
	*free = TOTAL_BYTES - fake_memory[fake_thread.device][EVT_CUDA_DEVICE].live_bytes -
		fake_memory[fake_thread.device][EVT_CUDA_POOL].live_bytes;
	return 0;
}

int do_cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps)
{
	return fake_object_create((void **)memPool);
}

int do_cudaMemPoolDestroy(cudaMemPool_t memPool)
{
	return fake_object_free(memPool);
}

int do_cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
	fake_device_trim();
	return 0;
}

int do_cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
	static char pools[FAKE_DEVICES];

	if (device < 0 || device >= FAKE_DEVICES)
		return FAKE_NO_DEVICE;
	*memPool = (cudaMemPool_t)(void *)&pools[device];
	return 0;
}

int do_cudaMemPoolGetAttribute(cudaMemPool_t memPool, int attr, uint64_t *value)
{
	*value = 0;
	return 0;
}

int do_cudaDeviceGetGraphMemAttribute(int device, int attr, uint64_t *value)
{
	*value = 0;
	return 0;
}

/* struct cudaPointerAttributes; the type is enum cudaMemoryType */
struct pointer_attributes {
	int type, device;
	void *device_pointer, *host_pointer;
	long reserved[8];
};

int do_cudaPointerGetAttributes(void *attributes, const void *ptr)
{
	struct pointer_attributes *told = attributes;
	struct fake_block block;

	memset(told, 0, sizeof(*told));
	if (!fake_block_find(ptr, &block)) {
		told->host_pointer = (void *)(uintptr_t)ptr;
		return 0;
	}
	told->type = block.kind == EVT_CUDA_MANAGED ? 3 : 2;
	if (block.kind == EVT_CUDA_PINNED || block.kind == EVT_CUDA_REGISTERED)
		told->type = 1;
	told->device = block.device;
	told->device_pointer = (void *)(uintptr_t)ptr;
	told->host_pointer = told->type == 2 ? NULL : told->device_pointer;
	return 0;
}

int do_cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
	*devPtr = (void *)(uintptr_t)symbol;
	return 0;
}

int do_cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags)
{
	return fake_object_create(devPtr);
}

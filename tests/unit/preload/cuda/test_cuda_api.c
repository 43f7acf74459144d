/* SPDX-License-Identifier: MIT */
/*
 * preload/cuda/hooks.def and preload/cuda/cuda_api.h against the real headers of CUDA 13, at
 * compile time. Without them there is nothing to check: skipped, status 77.
 */
#include <stddef.h>
#include <stdio.h>

#include "tests/unit/cuda_headers.h"

#ifdef HAVE_CUDA_13

/* Ours by names of their own: those of the headers are taken. */
#define CUresult our_CUresult
#define cudaError_t our_cudaError_t
#define cudaMemcpyKind our_cudaMemcpyKind
#define cudaStreamCaptureMode our_cudaStreamCaptureMode
#define cudaFuncAttribute our_cudaFuncAttribute
#define cudaJitOption our_cudaJitOption
#define cudaLibraryOption our_cudaLibraryOption
#define cudaDriverEntryPointQueryResult our_cudaDriverEntryPointQueryResult
#define CUjit_option our_CUjit_option
#define CUlibraryOption our_CUlibraryOption
#define CUdriverProcAddressQueryResult our_CUdriverProcAddressQueryResult
#define cudaStreamCallback_t our_cudaStreamCallback_t
#define dim3 our_dim3
#define cudaExtent our_cudaExtent
#define cudaPos our_cudaPos
#define cudaPitchedPtr our_cudaPitchedPtr
#define cudaMemcpy3DParms our_cudaMemcpy3DParms
#define cudaMemcpy3DPeerParms our_cudaMemcpy3DPeerParms
#define cudaChannelFormatDesc our_cudaChannelFormatDesc
#define cudaLaunchConfig_st our_cudaLaunchConfig_st
#define cudaLaunchConfig_t our_cudaLaunchConfig_t
#define CUlaunchConfig_st our_CUlaunchConfig_st
#define CUlaunchConfig our_CUlaunchConfig
#define CUDA_MEMCPY2D_st our_CUDA_MEMCPY2D_st
#define CUDA_MEMCPY2D our_CUDA_MEMCPY2D
#define CUDA_MEMCPY3D_st our_CUDA_MEMCPY3D_st
#define CUDA_MEMCPY3D our_CUDA_MEMCPY3D
#define CUDA_MEMCPY3D_PEER_st our_CUDA_MEMCPY3D_PEER_st
#define CUDA_MEMCPY3D_PEER our_CUDA_MEMCPY3D_PEER
#define CUmemAllocationProp_st our_CUmemAllocationProp_st
#define CUmemAllocationProp our_CUmemAllocationProp
#define cudaIpcMemHandle_st our_cudaIpcMemHandle_st
#define cudaIpcMemHandle_t our_cudaIpcMemHandle_t
#include "preload/cuda/cuda_api.h"
#undef CUresult
#undef cudaError_t
#undef dim3
#undef cudaExtent
#undef cudaPos
#undef cudaPitchedPtr
#undef cudaMemcpyKind
#undef cudaMemcpy3DParms
#undef cudaMemcpy3DPeerParms
#undef cudaChannelFormatDesc
#undef cudaLaunchConfig_t
#undef CUlaunchConfig
#undef CUDA_MEMCPY2D
#undef CUDA_MEMCPY3D
#undef CUDA_MEMCPY3D_PEER
#undef CUmemAllocationProp
#undef cudaIpcMemHandle_t

#define SAME_SIZE(type, ours) _Static_assert(sizeof(type) == sizeof(ours), #type)
#define SAME_PLACE(type, ours, field)                                                    \
	_Static_assert(offsetof(type, field) == offsetof(ours, field) &&                 \
			       sizeof(((type *)0)->field) == sizeof(((ours *)0)->field), \
		       #type "." #field)
#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)

SAME_SIZE(cudaError_t, our_cudaError_t);
SAME_SIZE(CUresult, our_CUresult);
SAME_SIZE(enum cudaMemcpyKind, enum our_cudaMemcpyKind);
SAME_SIZE(cudaIpcMemHandle_t, our_cudaIpcMemHandle_t);
SAME_SIZE(dim3, our_dim3);
SAME_PLACE(dim3, our_dim3, x);
SAME_PLACE(dim3, our_dim3, y);
SAME_PLACE(dim3, our_dim3, z);
SAME_SIZE(struct cudaExtent, struct our_cudaExtent);
SAME_PLACE(struct cudaExtent, struct our_cudaExtent, width);
SAME_PLACE(struct cudaExtent, struct our_cudaExtent, depth);
SAME_SIZE(struct cudaPos, struct our_cudaPos);
SAME_SIZE(struct cudaPitchedPtr, struct our_cudaPitchedPtr);
SAME_PLACE(struct cudaPitchedPtr, struct our_cudaPitchedPtr, ptr);
SAME_PLACE(struct cudaPitchedPtr, struct our_cudaPitchedPtr, pitch);
SAME_SIZE(struct cudaMemcpy3DParms, struct our_cudaMemcpy3DParms);
SAME_PLACE(struct cudaMemcpy3DParms, struct our_cudaMemcpy3DParms, srcArray);
SAME_PLACE(struct cudaMemcpy3DParms, struct our_cudaMemcpy3DParms, srcPtr);
SAME_PLACE(struct cudaMemcpy3DParms, struct our_cudaMemcpy3DParms, dstArray);
SAME_PLACE(struct cudaMemcpy3DParms, struct our_cudaMemcpy3DParms, dstPtr);
SAME_PLACE(struct cudaMemcpy3DParms, struct our_cudaMemcpy3DParms, extent);
SAME_PLACE(struct cudaMemcpy3DParms, struct our_cudaMemcpy3DParms, kind);
SAME_SIZE(struct cudaMemcpy3DPeerParms, struct our_cudaMemcpy3DPeerParms);
SAME_PLACE(struct cudaMemcpy3DPeerParms, struct our_cudaMemcpy3DPeerParms, srcPtr);
SAME_PLACE(struct cudaMemcpy3DPeerParms, struct our_cudaMemcpy3DPeerParms, dstPtr);
SAME_PLACE(struct cudaMemcpy3DPeerParms, struct our_cudaMemcpy3DPeerParms, extent);
SAME_SIZE(struct cudaChannelFormatDesc, struct our_cudaChannelFormatDesc);
SAME_PLACE(struct cudaChannelFormatDesc, struct our_cudaChannelFormatDesc, w);
SAME_SIZE(cudaLaunchConfig_t, our_cudaLaunchConfig_t);
SAME_PLACE(cudaLaunchConfig_t, our_cudaLaunchConfig_t, gridDim);
SAME_PLACE(cudaLaunchConfig_t, our_cudaLaunchConfig_t, blockDim);
SAME_PLACE(cudaLaunchConfig_t, our_cudaLaunchConfig_t, dynamicSmemBytes);
SAME_PLACE(cudaLaunchConfig_t, our_cudaLaunchConfig_t, stream);
SAME_SIZE(CUlaunchConfig, our_CUlaunchConfig);
SAME_PLACE(CUlaunchConfig, our_CUlaunchConfig, gridDimX);
SAME_PLACE(CUlaunchConfig, our_CUlaunchConfig, gridDimZ);
SAME_PLACE(CUlaunchConfig, our_CUlaunchConfig, blockDimX);
SAME_PLACE(CUlaunchConfig, our_CUlaunchConfig, blockDimZ);
SAME_PLACE(CUlaunchConfig, our_CUlaunchConfig, sharedMemBytes);
SAME_PLACE(CUlaunchConfig, our_CUlaunchConfig, hStream);

#define SAME_BOX(type)                               \
	SAME_SIZE(type, our_##type);                 \
	SAME_PLACE(type, our_##type, srcMemoryType); \
	SAME_PLACE(type, our_##type, srcDevice);     \
	SAME_PLACE(type, our_##type, dstMemoryType); \
	SAME_PLACE(type, our_##type, dstDevice);     \
	SAME_PLACE(type, our_##type, WidthInBytes);  \
	SAME_PLACE(type, our_##type, Height)
SAME_BOX(CUDA_MEMCPY2D);
SAME_BOX(CUDA_MEMCPY3D);
SAME_BOX(CUDA_MEMCPY3D_PEER);
SAME_PLACE(CUDA_MEMCPY3D, our_CUDA_MEMCPY3D, Depth);
SAME_PLACE(CUDA_MEMCPY3D_PEER, our_CUDA_MEMCPY3D_PEER, Depth);
SAME_PLACE(CUmemAllocationProp, our_CUmemAllocationProp, location.type);
SAME_PLACE(CUmemAllocationProp, our_CUmemAllocationProp, location.id);
SAME_VALUE(CUDA_LOCATION_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE);

SAME_VALUE(CUDA_NOT_READY, cudaErrorNotReady);
SAME_VALUE(CUDA_NOT_READY, CUDA_ERROR_NOT_READY);
SAME_VALUE(CUDA_SYMBOL_NOT_FOUND, cudaErrorSharedObjectSymbolNotFound);
SAME_VALUE(CUDA_SYMBOL_NOT_FOUND, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
SAME_VALUE(CUDA_ENTRY_PER_THREAD, cudaEnablePerThreadDefaultStream);
SAME_VALUE(CUDA_ENTRY_PER_THREAD, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
SAME_VALUE(CUDA_MEMORY_HOST, CU_MEMORYTYPE_HOST);
SAME_VALUE(CUDA_MEMORY_DEVICE, CU_MEMORYTYPE_DEVICE);
SAME_VALUE(CUDA_MEMORY_ARRAY, CU_MEMORYTYPE_ARRAY);
SAME_VALUE(CUDA_MEMORY_UNIFIED, CU_MEMORYTYPE_UNIFIED);

int main(void)
{
	return CUDA_STREAM_LEGACY == (uintptr_t)cudaStreamLegacy &&
			       CUDA_STREAM_PER_THREAD == (uintptr_t)cudaStreamPerThread
		       ? 0
		       : 1;
}

#else

int main(void)
{
	puts("no headers of CUDA 13");
	return 77;
}

#endif

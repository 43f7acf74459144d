/* SPDX-License-Identifier: MIT */
/*
 * The few declarations of CUDA's runtime and driver API that hooks.def needs. Types have the names
 * of the real headers (cuda_runtime_api.h, cuda.h of CUDA 13), so that a line of the list is a
 * valid declaration with either. tests/unit/preload/cuda/test_cuda_api.c compares lines and layouts
 * with the headers if they are installed.
 *
 * A structure is defined if something is read from it, else only declared. Results are int: the
 * enumerations differ between versions, the numbers do not (0 is success).
 */
#ifndef PRELOAD_CUDA_CUDA_API_H
#define PRELOAD_CUDA_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

typedef int cudaError_t;
typedef int CUresult;

#define CUDA_NOT_READY 600        /* cudaErrorNotReady: the result of a query */
#define CUDA_SYMBOL_NOT_FOUND 302 /* cudaErrorSharedObjectSymbolNotFound */
#define CUDA_STREAM_LEGACY 1u     /* cudaStreamLegacy */
#define CUDA_STREAM_PER_THREAD 2u /* cudaStreamPerThread */
#define CUDA_ENTRY_PER_THREAD 2u  /* cudaEnablePerThreadDefaultStream */

/* --- handles --- */

typedef struct CUstream_st *cudaStream_t, *CUstream;
typedef struct CUevent_st *cudaEvent_t, *CUevent;
typedef struct CUgraph_st *cudaGraph_t, *CUgraph;
typedef struct CUgraphExec_st *cudaGraphExec_t, *CUgraphExec;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUfunc_st *cudaFunction_t, *CUfunction;
typedef struct CUkern_st *cudaKernel_t, *CUkernel;
typedef struct CUlib_st *cudaLibrary_t, *CUlibrary;
typedef struct CUmemPoolHandle_st *cudaMemPool_t, *CUmemoryPool;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef struct CUmod_st *CUmodule;
typedef struct CUctx_st *CUcontext;
typedef struct CUarray_st *CUarray;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef int CUdevice;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

typedef void (*cudaHostFn_t)(void *userData);
typedef void (*CUhostFn)(void *userData);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *userData);

/* --- enumerations: only that they exist and are ints --- */

enum cudaMemcpyKind { CUDA_MEMCPY_KIND_LEAST, CUDA_MEMCPY_KIND_INT = 1 << 30 };
enum cudaStreamCaptureMode { CUDA_CAPTURE_MODE_INT = 1 << 30 };
enum cudaFuncAttribute { CUDA_FUNC_ATTRIBUTE_INT = 1 << 30 };
enum cudaJitOption { CUDA_RUNTIME_JIT_INT = 1 << 30 };
enum cudaLibraryOption { CUDA_RUNTIME_LIBRARY_INT = 1 << 30 };
enum cudaDriverEntryPointQueryResult { CUDA_ENTRY_RESULT_INT = 1 << 30 };
typedef enum { CUDA_JIT_INT = 1 << 30 } CUjit_option;
typedef enum { CUDA_LIBRARY_INT = 1 << 30 } CUlibraryOption;
typedef enum { CUDA_PROC_RESULT_INT = 1 << 30 } CUdriverProcAddressQueryResult;

/* CUmemorytype */
enum cuda_memory_type {
	CUDA_MEMORY_HOST = 1,
	CUDA_MEMORY_DEVICE = 2,
	CUDA_MEMORY_ARRAY = 3,
	CUDA_MEMORY_UNIFIED = 4,
};

/* --- structures that are read --- */

typedef struct dim3 {
	unsigned int x, y, z;
} dim3;

struct cudaExtent {
	size_t width, height, depth;
};

struct cudaPos {
	size_t x, y, z;
};

struct cudaPitchedPtr {
	void *ptr;
	size_t pitch, xsize, ysize;
};

struct cudaMemcpy3DParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	struct cudaExtent extent;
	enum cudaMemcpyKind kind;
};

struct cudaMemcpy3DPeerParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	int srcDevice;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	int dstDevice;
	struct cudaExtent extent;
};

struct cudaChannelFormatDesc {
	int x, y, z, w; /* width of each component, in bits */
	int f;
};

typedef struct cudaLaunchConfig_st {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	void *attrs;
	unsigned int numAttrs;
} cudaLaunchConfig_t;

typedef struct CUlaunchConfig_st {
	unsigned int gridDimX, gridDimY, gridDimZ;
	unsigned int blockDimX, blockDimY, blockDimZ;
	unsigned int sharedMemBytes;
	CUstream hStream;
	void *attrs;
	unsigned int numAttrs;
} CUlaunchConfig;

typedef struct CUDA_MEMCPY2D_st {
	size_t srcXInBytes, srcY;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	size_t srcPitch;
	size_t dstXInBytes, dstY;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	size_t dstPitch;
	size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D_st {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	void *reserved0;
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	void *reserved1;
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

/* The same layout, with contexts where the other has reserved words. */
typedef struct CUDA_MEMCPY3D_PEER_st {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	CUcontext srcContext;
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	CUcontext dstContext;
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D_PEER;

#define CUDA_LOCATION_DEVICE 1 /* CU_MEM_LOCATION_TYPE_DEVICE */

typedef struct CUmemAllocationProp_st {
	int type, requestedHandleTypes;
	struct {
		int type, id;
	} location; /* more fields follow */
} CUmemAllocationProp;

/* --- structures that are passed on --- */

struct cudaDeviceProp;
struct cudaFuncAttributes;
struct cudaMemPoolProps;
typedef struct cudaIpcMemHandle_st {
	char reserved[64]; /* passed by value */
} cudaIpcMemHandle_t;
typedef struct cudaGraphEdgeData_st cudaGraphEdgeData;
typedef struct cudaGraphInstantiateParams_st cudaGraphInstantiateParams;
typedef struct CUDA_ARRAY_DESCRIPTOR_st CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUmemAccessDesc_st CUmemAccessDesc;
typedef struct CUmemcpyAttributes_st CUmemcpyAttributes;

#endif

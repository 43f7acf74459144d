/* SPDX-License-Identifier: MIT */
/*
 * The wrappers of CUDA's functions: one for each line of hooks.def, whose last column uses the
 * words defined here. `call` is the call, `call.result` what the original returned.
 */
#include "preload/cuda/cuda.h"

#include "preload/cuda/cuda_kernels.h"
#include "preload/hook/hook.h"

#define NUMBER(x) ((uint64_t)(uintptr_t)(x))
#define STREAM(x) cuda_stream((uintptr_t)(x), PER_THREAD)
/* A value that a call returns through a pointer exists only if it has succeeded. */
#define GIVEN(x) (call.result ? 0 : NUMBER(x))

#define CALLED(stream, object) cuda_record_call(&call, STREAM(stream), NUMBER(object))
#define MADE(stream, object) cuda_record_call(&call, STREAM(GIVEN(stream)), GIVEN(object))

#define CUDA_DIM(x_, y_, z_) ((dim3){ .x = (x_), .y = (y_), .z = (z_) })
#define LAUNCHED(handle_, grid_, block_, shared, stream_)                           \
	cuda_record_launch(&call, &(struct cuda_launch){ .handle = NUMBER(handle_), \
							 .grid = (grid_),           \
							 .block = (block_),         \
							 .shared_bytes = (shared),  \
							 .stream = STREAM(stream_) })
#define LAUNCHED_AS(launch) cuda_record_launch(&call, (struct cuda_launch[]){ launch })
#define LAUNCHED_BY(config, handle) \
	LAUNCHED_AS(launch_of_runtime(config, NUMBER(handle), PER_THREAD))
#define LAUNCHED_EX(config, handle) \
	LAUNCHED_AS(launch_of_driver(config, NUMBER(handle), PER_THREAD))

#define COPIED(kind_, bytes_, stream_, to, from)                                \
	cuda_record_copy(&call, &(struct cuda_copy){ .kind = (uint64_t)(kind_), \
						     .bytes = (bytes_),         \
						     .stream = STREAM(stream_), \
						     .destination = NUMBER(to), \
						     .source = NUMBER(from) })
/* For structures. The original refuses NULL. */
#define COPIED_3D(p, kind, stream)                                             \
	COPIED((p) ? (kind) : 0, (p) ? extent_volume((p)->extent) : 0, stream, \
	       (p) ? (p)->dstPtr.ptr : NULL, (p) ? (p)->srcPtr.ptr : NULL)
#define COPIED_BOX(p, kind, depth, stream)                                                  \
	COPIED((p) ? (kind) : 0, (p) ? (p)->WidthInBytes *(p)->Height *(depth) : 0, stream, \
	       (p) ? (p)->dstDevice : 0, (p) ? (p)->srcDevice : 0)

#define ALLOCATED(kind_, address_, bytes_, stream_)                                \
	cuda_record_alloc(&call, &(struct cuda_memory){ .kind = (kind_),           \
							.bytes = (bytes_),         \
							.stream = STREAM(stream_), \
							.address = GIVEN(address_) })
/* Virtual memory belongs to the device that its properties name, whichever device is current. */
#define CREATED(handle, bytes_, properties)                                    \
	cuda_record_created(&call,                                             \
			    &(struct cuda_memory){ .kind = EVT_CUDA_VIRTUAL,   \
						   .bytes = (bytes_),          \
						   .address = GIVEN(handle) }, \
			    call.result ? -1 : location_device(properties))
#define FREED(kind_, address_, stream_)                                           \
	cuda_record_free(&call, &(struct cuda_memory){ .kind = (kind_),           \
						       .stream = STREAM(stream_), \
						       .address = NUMBER(address_) })

#define NAMED(handle, name) cuda_record_named(&call, (const void *)GIVEN(handle), name)
#define ALIAS(handle, of) cuda_record_alias(&call, (const void *)GIVEN(handle), of)
#define CAPTURE(on) cuda_record_capture(&call, on)
/* With flags 0, the default stream follows from the function's own suffix. */
#define ENTRY_POINT(name, function, version, flags)                    \
	cuda_replace_entry(&call, name, function, (uint32_t)(version), \
			   !(flags) && PER_THREAD ? CUDA_ENTRY_PER_THREAD : (uint64_t)(flags))

static inline struct cuda_launch launch_of_runtime(const cudaLaunchConfig_t *config,
						   uintptr_t handle, bool per_thread)
{
	if (!config)
		return (struct cuda_launch){ .handle = handle };
	return (struct cuda_launch){ .handle = handle,
				     .grid = config->gridDim,
				     .block = config->blockDim,
				     .shared_bytes = config->dynamicSmemBytes,
				     .stream = cuda_stream((uintptr_t)config->stream, per_thread) };
}

static inline struct cuda_launch launch_of_driver(const CUlaunchConfig *config, uintptr_t handle,
						  bool per_thread)
{
	if (!config)
		return (struct cuda_launch){ .handle = handle };
	return (struct cuda_launch){
		.handle = handle,
		.grid = CUDA_DIM(config->gridDimX, config->gridDimY, config->gridDimZ),
		.block = CUDA_DIM(config->blockDimX, config->blockDimY, config->blockDimZ),
		.shared_bytes = config->sharedMemBytes,
		.stream = cuda_stream((uintptr_t)config->hStream, per_thread),
	};
}

static inline int64_t location_device(const CUmemAllocationProp *properties)
{
	return properties && properties->location.type == CUDA_LOCATION_DEVICE
		       ? properties->location.id
		       : -1;
}

static inline uint64_t extent_volume(struct cudaExtent extent)
{
	return extent.width * extent.height * extent.depth;
}

/* Elements of an array; a dimension of 0 does not count. */
static inline uint64_t cuda_texels(struct cudaExtent extent)
{
	return extent.width * (extent.height ? extent.height : 1) *
	       (extent.depth ? extent.depth : 1);
}

static inline uint64_t cuda_texel_bytes(const struct cudaChannelFormatDesc *format)
{
	return format ? (uint64_t)(format->x + format->y + format->z + format->w) / 8 : 0;
}

static inline uint64_t cuda_sum(const size_t *sizes, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; sizes && i < count; i++)
		sum += sizes[i];
	return sum;
}

/* Follows from the kinds of memory on both sides; arrays are on the device. */
static inline uint64_t memory_direction(int from, int to)
{
	if (from == CUDA_MEMORY_UNIFIED || to == CUDA_MEMORY_UNIFIED)
		return EVT_CUDA_COPY_DEFAULT;
	if (from == CUDA_MEMORY_HOST)
		return to == CUDA_MEMORY_HOST ? EVT_CUDA_COPY_HTOH : EVT_CUDA_COPY_HTOD;
	return to == CUDA_MEMORY_HOST ? EVT_CUDA_COPY_DTOH : EVT_CUDA_COPY_DTOD;
}

#define cuda_direction(p) memory_direction((p)->srcMemoryType, (p)->dstMemoryType)

/* Whether a call that is not recorded may be passed on: of the others something is learned. */
#define PASSES_cuda_record_call(...) true
#define PASSES_cuda_record_launch(...) true
#define PASSES_cuda_record_copy(...) true
#define PASSES_cuda_record_alloc(...) true
#define PASSES_cuda_record_created(...) true
#define PASSES_cuda_record_free(...) true
#define PASSES_cuda_record_named(...) false
#define PASSES_cuda_record_alias(...) false
#define PASSES_cuda_record_capture(...) false
#define PASSES_cuda_replace_entry(...) false

#define RETURNS_cudart cudaError_t
#define RETURNS_cuda CUresult

#define CUDA(library, since, per_thread, name, parameters, arguments, record)                      \
	static HOOK_RECORDED RETURNS_##library name##_recorded parameters                          \
	{                                                                                          \
		enum { PER_THREAD = per_thread };                                                  \
		struct cuda_call call;                                                             \
		RETURNS_##library(*original) parameters = cuda_begin(&call, CUDA_FN_##name,        \
								     __builtin_return_address(0)); \
                                                                                                   \
		if (__builtin_expect(!original, 0)) {                                              \
			cuda_end(&call, CUDA_SYMBOL_NOT_FOUND);                                    \
			return CUDA_SYMBOL_NOT_FOUND;                                              \
		}                                                                                  \
		cuda_end(&call, original arguments);                                               \
		record;                                                                            \
		return call.result;                                                                \
	}                                                                                          \
	HOOK_EXPORT RETURNS_##library name parameters                                              \
	{                                                                                          \
		RETURNS_##library(*original)                                                       \
			parameters = PASSES_##record ? cuda_pass(CUDA_FN_##name,                   \
								 __builtin_return_address(0))      \
						     : NULL;                                       \
                                                                                                   \
		if (original)                                                                      \
			return original arguments;                                                 \
		return name##_recorded arguments;                                                  \
	}
#include "preload/cuda/hooks.def"

/* Not recorded as a call: it only tells a name, for every kernel that the program has. */
HOOK_EXPORT void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
					const char *deviceName, int thread_limit, void *tid,
					void *bid, void *bDim, void *gDim, int *wSize)
{
	struct cuda_origin origin;
	void (*original)(void **, const char *, char *, const char *, int, void *, void *, void *,
			 void *, int *);

	cuda_origin_find(&origin, CUDA_FN___cudaRegisterFunction, __builtin_return_address(0),
			 NULL);
	*(void **)&original = origin.original;
	cuda_kernels_register(hostFun, deviceName);
	if (original)
		original(fatCubinHandle, hostFun, deviceFun, deviceName, thread_limit, tid, bid,
			 bDim, gDim, wSize);
}

/* SPDX-License-Identifier: MIT */
/*
 * What the wrappers of CUDA's functions (cuda_hooks.c, from the lines of hooks.def) call before and
 * after the original. A call is one record, made when it returns. Nothing is held around the
 * original, so that what it allocates is recorded by the heap's hooks.
 *
 * Nested: CUDA itself may make a call while a call of the same thread is running (libcudart calls
 * its own functions through the PLT). It is recorded as nested and not counted. A call that the
 * program makes from a signal handler or a host callback counts.
 *
 * Any thread; errno is the original's. Arguments are read only if the original has succeeded, or if
 * every implementation reads them.
 */
#ifndef PRELOAD_CUDA_CUDA_H
#define PRELOAD_CUDA_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/cuda/call_sites.h"
#include "preload/cuda/cuda_api.h"
#include "preload/cuda/cuda_library.h"
#include "preload/base/hidden.h"
#include "preload/record/capture_asked.h"
#include "preload/record/driver.h"
#include "preload/record/recorder.h"

/* Lives on the wrapper's stack. */
struct cuda_call {
	struct cuda_origin origin;
	enum cuda_function function;
	int result;
	uint64_t start, end; /* ticks */
	/*
	 * the call around it, or NULL; must not be read, because it may have been left by longjmp()
	 */
	struct cuda_call *outer;
	bool nested, is_noted; /* is_noted: in case it never returns */
	uint64_t correlation;  /* CUPTI's number; 0: none */
};

/* The innermost running call of the thread. Initial-exec, plain data: 8 bytes. */
extern __thread struct cuda_call *cuda_running __attribute__((tls_model("initial-exec")))
PRELOAD_HIDDEN;

/*
 * Returns the original if nothing is to be recorded of the call and nothing learned from it, so
 * that it may be jumped to; else NULL. A call that is under way when recording begins is not known
 * then.
 */
static inline __attribute__((always_inline)) void *cuda_pass(enum cuda_function function,
							     const void *caller)
{
	const struct cuda_origin *origin;

	if (!recorder_is_shut(EVT_FAMILY_cuda) || capture_is_asked ||
	    !__atomic_load_n(&driver_is_known, __ATOMIC_RELAXED))
		return NULL;
	origin = call_site_find(function, caller);
	return origin ? origin->original : NULL;
}

/* Returns the original. NULL: no library has the function, and nothing else must be called. */
void *cuda_begin(struct cuda_call *call, enum cuda_function function, const void *caller);
void cuda_end(struct cuda_call *call, int result);

/* Converts a stream argument: 0, CUDA_STREAM_PER_THREAD, or the handle. */
static inline uint64_t cuda_stream(uintptr_t stream, bool per_thread)
{
	if (stream == 0)
		return per_thread ? CUDA_STREAM_PER_THREAD : 0;
	return stream == CUDA_STREAM_LEGACY ? 0 : stream;
}

static inline bool cuda_is_since(const struct cuda_call *call, uint32_t major)
{
	return cuda_library_major(call->origin.library) >= major;
}

/* --- what a line of hooks.def records --- */

struct cuda_launch {
	uintptr_t handle;
	dim3 grid, block;
	uint64_t shared_bytes, stream;
};

struct cuda_copy {
	uint64_t kind, bytes, stream;
	uintptr_t destination, source;
};

struct cuda_memory {
	uint64_t kind, bytes, stream;
	uintptr_t address;
};

void cuda_record_call(const struct cuda_call *call, uint64_t stream, uintptr_t object);
void cuda_record_launch(const struct cuda_call *call, const struct cuda_launch *launch);
void cuda_record_copy(const struct cuda_call *call, const struct cuda_copy *copy);
void cuda_record_alloc(const struct cuda_call *call, const struct cuda_memory *memory);
/* As the function above, for the device that the arguments name; -1: none. */
void cuda_record_created(const struct cuda_call *call, const struct cuda_memory *memory,
			 int64_t device);
void cuda_record_free(const struct cuda_call *call, const struct cuda_memory *memory);
/* cudaProfilerStart and Stop: a call, and a capture range (INTERCEPT_CAPTURE=cuda-profiler-api). */
void cuda_record_capture(const struct cuda_call *call, bool on);
/*
 * For a call that returned a kernel's handle: by name, or from another handle of the same kernel.
 */
void cuda_record_named(const struct cuda_call *call, const void *handle, const char *name);
void cuda_record_alias(const struct cuda_call *call, const void *handle, const void *of);

/* --- the wrappers, declared from the list --- */

#define CUDA_RETURNS_cudart cudaError_t
#define CUDA_RETURNS_cuda CUresult
#define CUDA(library, since, per_thread, name, parameters, arguments, record) \
	CUDA_RETURNS_##library name parameters;
#define CUDA_OWN(library, returns, name, parameters, arguments) returns name parameters;
#include "preload/cuda/hooks.def"

/* --- cuda_entry.c --- */

/*
 * The driver's function was asked for by name. If it is hooked, *function becomes our wrapper.
 * Makes no record. `version` 0: that of the runtime.
 */
void cuda_replace_entry(const struct cuda_call *call, const char *name, void **function,
			uint32_t version, uint64_t flags);

#endif

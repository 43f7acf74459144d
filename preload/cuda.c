/* SPDX-License-Identifier: MIT */
/* CUDA calls become records; see cuda.h. */
#include "preload/cuda.h"

#include <errno.h>
#include <stddef.h>

#include "preload/capture.h"
#include "preload/cuda_kernels.h"
#include "preload/init.h"
#include "preload/recorder.h"
#include "preload/settings.h"
#include "preload/strings.h"

__thread uintptr_t cuda_frame __attribute__((tls_model("initial-exec")));

static struct string function_names[CUDA_FUNCTIONS]; /* hash 0: not worked out yet */

/* A dormant program has touched CUDA. */
static void cuda_touch(void)
{
	if ((settings.trace & 1u << SETTINGS_FAMILY_cuda) ||
	    settings.capture == SETTINGS_CAPTURE_CUDA)
		(void)init_activate();
}

void *cuda_begin(struct cuda_call *call, enum cuda_function function, const void *caller)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

	cuda_origin_find(&call->origin, function, caller);
	if (__builtin_expect(!recorder_is_open(), 0))
		cuda_touch();
	call->function = function;
	/* a frame below ours was left by longjmp() */
	call->outer = cuda_frame > frame ? cuda_frame : 0;
	call->nested = call->outer && call->origin.inside;
	cuda_frame = frame;
	call->start = clock_ticks();
	return call->origin.original;
}

void cuda_end(struct cuda_call *call, int result)
{
	call->end = clock_ticks();
	call->result = result;
	cuda_frame = call->outer;
}

/* --- records --- */

static uint64_t function_id(enum cuda_function function, struct recorder_lane *lane)
{
	struct string name = function_names[function];

	if (__builtin_expect(!__atomic_load_n(&function_names[function].hash, __ATOMIC_ACQUIRE),
			     0)) {
		name = string_of(cuda_functions[function].name);
		function_names[function].bytes = name.bytes;
		function_names[function].length = name.length;
		__atomic_store_n(&function_names[function].hash, name.hash, __ATOMIC_RELEASE);
	}
	return string_id(&name, lane);
}

#define HEAD_FIELDS 5u /* that all events of the family begin with */

/* The lane, with the fields filled in that all begin with; NULL: not to be recorded. */
static inline struct recorder_lane *record_begin(const struct cuda_call *call, uint64_t stream,
						 uint64_t *field)
{
	struct recorder_lane *lane = recorder_enter(RECORDER_CUDA, RECORDER_IN_RECORD);

	if (!lane)
		return NULL;
	field[0] = function_id(call->function, lane);
	field[1] = call->end - call->start;
	field[2] = (uint32_t)call->result;
	field[3] = call->nested ? EVT_CUDA_NESTED : 0;
	field[4] = stream;
	return lane;
}

static inline void record_end(const struct cuda_call *call, struct recorder_lane *lane,
			      uint32_t type, const uint64_t *field, unsigned int fields)
{
	(void)recorder_put(lane, type, call->end - recorder_base, field, fields);
	recorder_leave(lane);
}

void cuda_record_call(const struct cuda_call *call, uint64_t stream, uintptr_t object)
{
	uint64_t field[HEAD_FIELDS + 1];
	struct recorder_lane *lane = record_begin(call, stream, field);

	if (!lane)
		return;
	field[5] = object;
	record_end(call, lane, EVT_cuda_call, field, 6);
}

void cuda_record_launch(const struct cuda_call *call, struct cuda_launch launch)
{
	uint64_t field[HEAD_FIELDS + 9];
	struct recorder_lane *lane = record_begin(call, launch.stream, field);
	struct string kernel;

	if (!lane)
		return;
	kernel = cuda_kernels_string((const void *)launch.handle);
	field[5] = string_id(&kernel, lane);
	field[6] = launch.handle;
	field[7] = launch.grid.x;
	field[8] = launch.grid.y;
	field[9] = launch.grid.z;
	field[10] = launch.block.x;
	field[11] = launch.block.y;
	field[12] = launch.block.z;
	field[13] = launch.shared_bytes;
	record_end(call, lane, EVT_cuda_launch, field, 14);
}

void cuda_record_copy(const struct cuda_call *call, struct cuda_copy copy)
{
	uint64_t field[HEAD_FIELDS + 4];
	struct recorder_lane *lane = record_begin(call, copy.stream, field);

	if (!lane)
		return;
	field[5] = copy.kind < EVT_CUDA_COPY_LIMIT ? copy.kind : EVT_CUDA_COPY_DEFAULT;
	field[6] = copy.bytes;
	field[7] = copy.destination;
	field[8] = copy.source;
	record_end(call, lane, EVT_cuda_copy, field, 9);
}

/* Host memory is of no device; else the thread's current one, which has just been used. */
static int64_t memory_device(const struct cuda_call *call, uint64_t kind)
{
	int device = -1, saved = errno;
	int (*get)(int *);

	if (kind == EVT_CUDA_PINNED || kind == EVT_CUDA_REGISTERED || !call->origin.library)
		return -1;
	*(void **)&get = cuda_library_device_getter(call->origin.library);
	if (!get || get(&device) != 0)
		device = -1;
	errno = saved;
	return device;
}

void cuda_record_alloc(const struct cuda_call *call, struct cuda_memory memory)
{
	uint64_t field[HEAD_FIELDS + 4];
	int64_t device = call->result ? -1 : memory_device(call, memory.kind);
	struct recorder_lane *lane = record_begin(call, memory.stream, field);

	if (!lane)
		return;
	field[5] = memory.kind;
	field[6] = (uint64_t)device;
	field[7] = memory.address;
	field[8] = memory.bytes;
	record_end(call, lane, EVT_cuda_alloc, field, 9);
}

void cuda_record_free(const struct cuda_call *call, struct cuda_memory memory)
{
	uint64_t field[HEAD_FIELDS + 3];
	bool all = memory.kind == EVT_CUDA_ALL && !call->result;
	int64_t device = all ? memory_device(call, memory.kind) : -1;
	struct recorder_lane *lane = record_begin(call, memory.stream, field);

	if (!lane)
		return;
	field[5] = memory.kind;
	field[6] = (uint64_t)device;
	field[7] = memory.address;
	record_end(call, lane, EVT_cuda_free, field, 8);
}

void cuda_record_capture(const struct cuda_call *call, bool on)
{
	struct string why = string_of(cuda_functions[call->function].name);

	if (settings.capture != SETTINGS_CAPTURE_CUDA) {
		cuda_record_call(call, 0, 0);
		return;
	}
	if (on)
		capture_switch(true, &why);
	cuda_record_call(call, 0, 0);
	if (!on)
		capture_switch(false, &why);
}

void cuda_record_named(const struct cuda_call *call, const void *handle, const char *name)
{
	if (handle)
		cuda_kernels_name(handle, name);
	cuda_record_call(call, 0, (uintptr_t)handle);
}

void cuda_record_alias(const struct cuda_call *call, const void *handle, const void *of)
{
	if (handle)
		cuda_kernels_alias(handle, of);
	cuda_record_call(call, 0, (uintptr_t)handle);
}

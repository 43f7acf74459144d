/* SPDX-License-Identifier: MIT */
/*
 * Turns CUDA calls into records; see cuda.h. A call is on its thread's chain while it runs, so that
 * calls of CUDA to itself are recognised.
 */
#include "preload/cuda/cuda.h"

#include <errno.h>
#include <stddef.h>

#include "preload/stacks/long_calls.h"
#include "preload/record/capture.h"
#include "preload/record/capture_asked.h"
#include "preload/record/correlation.h"
#include "preload/record/driver.h"
#include "preload/cuda/cuda_kernels.h"
#include "preload/record/open_call.h"
#include "preload/record/recorder.h"
#include "preload/settings/settings.h"
#include "preload/record/strings.h"
#include "preload/record/wake.h"

/* in .tdata as stack_self is */
__thread struct cuda_call *cuda_running
	__attribute__((tls_model("initial-exec"), section(".tdata")));

static uint64_t function_hashes[CUDA_FUNCTIONS]; /* hashes of their names; 0: not computed yet */

/* A dormant program has touched CUDA. */
static void cuda_touch(void)
{
	if ((settings.trace & 1u << SETTINGS_FAMILY_cuda) ||
	    settings.capture == SETTINGS_CAPTURE_CUDA)
		(void)wake_program();
}

static uint64_t function_id(enum cuda_function function, struct recorder_lane *lane);

/* Notes that the thread is in the call, in case it never returns. */
static inline void note_open(const struct cuda_call *call)
{
	uint64_t hash = __atomic_load_n(&function_hashes[call->function], __ATOMIC_RELAXED);

	if (__builtin_expect(!hash || !string_is_sent(hash) || !open_call_of(REGION_OPEN_cuda),
			     0)) {
		int saved = errno;
		struct recorder_lane *lane = recorder_enter(EVT_FAMILY_cuda, RECORDER_IN_RECORD);

		if (!lane)
			return;
		hash = function_id(call->function, lane);
		recorder_leave(lane);
		errno = saved;
	}
	open_call_begin(REGION_OPEN_cuda, call->start - recorder_base, hash, -1);
}

static inline void origin_get(struct cuda_origin *origin, enum cuda_function function,
			      const void *caller, const struct cuda_call *outer)
{
	const struct cuda_origin *known = call_site_find(function, caller);
	uint64_t loaded;

	if (__builtin_expect(known != NULL, 1)) {
		*origin = *known;
		return;
	}
	loaded = unload_state_now();
	if (cuda_origin_find(origin, function, caller, outer ? &outer->origin : NULL))
		call_site_keep(function, caller, loaded, origin);
}

void *cuda_begin(struct cuda_call *call, enum cuda_function function, const void *caller)
{
	struct cuda_call *outer = cuda_running;

	origin_get(&call->origin, function, caller, outer);
	if (__builtin_expect(!recorder_is_open(), 0))
		cuda_touch();
	call->function = function;
	/* a call below ours was left by longjmp() */
	call->outer = (uintptr_t)outer > (uintptr_t)call ? outer : NULL;
	call->nested = call->outer && call->origin.inside;
	cuda_running = call;
	call->is_noted = !call->nested && recorder_gates->gate[EVT_FAMILY_cuda];
	if (call->is_noted)
		correlation_begin();
	call->start = clock_ticks();
	if (call->is_noted)
		note_open(call);
	return call->origin.original;
}

void cuda_end(struct cuda_call *call, int result)
{
	call->end = clock_ticks();
	if (call->is_noted)
		open_call_end(REGION_OPEN_cuda);
	call->result = result;
	call->correlation = call->nested ? 0 : correlation_end(call->start);
	cuda_running = call->outer;
}

/* --- records --- */

static __attribute__((noinline)) uint64_t function_send(enum cuda_function function,
							struct recorder_lane *lane)
{
	struct string name = string_of(cuda_functions[function].name);

	__atomic_store_n(&function_hashes[function], name.hash, __ATOMIC_RELAXED);
	return string_id(&name, lane);
}

static inline uint64_t function_id(enum cuda_function function, struct recorder_lane *lane)
{
	uint64_t hash = __atomic_load_n(&function_hashes[function], __ATOMIC_RELAXED);

	if (__builtin_expect(hash && string_is_sent(hash), 1))
		return hash;
	return function_send(function, lane);
}

/*
 * Records are written directly into the ring. If an array were filled and then copied, the copy
 * would have to wait for its stores. So all strings are sent before space is taken.
 */

#define HEAD_FIELDS 5u /* fields with which all events of the family begin */

static struct recorder_lane *record_enter(void)
{
	capture_asked_look();
	return recorder_enter(EVT_FAMILY_cuda, RECORDER_IN_RECORD);
}

/* While nothing is captured, driver_note() must still learn of a successful call. */
static struct recorder_lane *record_enter_on_gpu(const struct cuda_call *call)
{
	struct recorder_lane *lane = record_enter();

	if (__builtin_expect(!lane, 0) && recorder_is_shut(EVT_FAMILY_cuda) && !call->result)
		driver_note();
	return lane;
}

/*
 * Returns the record's fields, after filling in the common ones. NULL: dropped, and the lane is
 * left.
 */
static inline uint64_t *cuda_record_begin(const struct cuda_call *call, struct recorder_lane *lane,
					  uint64_t stream, uint32_t type, unsigned int fields)
{
	uint64_t function = function_id(call->function, lane);
	uint64_t ticks = call->end - recorder_base;
	uint64_t stack = stack_of_call(lane, EVT_FAMILY_cuda, call->end - call->start);
	uint64_t *at = stack_room(lane, stack, ticks, fields + 1);

	if (!at) {
		recorder_leave(lane);
		return NULL;
	}
	at[0] = record_word(ticks, type);
	at[1] = function;
	at[2] = call->end - call->start;
	at[3] = (uint32_t)call->result;
	at[4] = call->nested ? EVT_CUDA_NESTED : 0;
	at[5] = stream;
	return at + 1;
}

static inline void cuda_record_end(struct recorder_lane *lane, unsigned int fields)
{
	recorder_publish(lane, fields + 1);
	recorder_leave(lane);
}

/* As the function above, for a call that needs the driver only if it succeeds. */
static inline void record_end_on_gpu(const struct cuda_call *call, struct recorder_lane *lane,
				     unsigned int fields)
{
	cuda_record_end(lane, fields);
	if (!call->result)
		driver_note();
}

void cuda_record_call(const struct cuda_call *call, uint64_t stream, uintptr_t object)
{
	enum { FIELDS = HEAD_FIELDS + 2 };
	struct recorder_lane *lane = record_enter();
	uint64_t *field = lane ? cuda_record_begin(call, lane, stream, EVT_cuda_call, FIELDS)
			       : NULL;

	if (!field)
		return;
	field[5] = object;
	field[6] = call->correlation;
	cuda_record_end(lane, FIELDS);
}

void cuda_record_launch(const struct cuda_call *call, const struct cuda_launch *launch)
{
	enum { FIELDS = HEAD_FIELDS + 10 };
	struct recorder_lane *lane = record_enter_on_gpu(call);
	uint64_t kernel, *field;

	if (!lane)
		return;
	kernel = cuda_kernels_id((const void *)launch->handle, lane);
	field = cuda_record_begin(call, lane, launch->stream, EVT_cuda_launch, FIELDS);
	if (!field)
		return;
	field[5] = kernel;
	field[6] = launch->handle;
	field[7] = launch->grid.x;
	field[8] = launch->grid.y;
	field[9] = launch->grid.z;
	field[10] = launch->block.x;
	field[11] = launch->block.y;
	field[12] = launch->block.z;
	field[13] = launch->shared_bytes;
	field[14] = call->correlation;
	record_end_on_gpu(call, lane, FIELDS);
}

void cuda_record_copy(const struct cuda_call *call, const struct cuda_copy *copy)
{
	enum { FIELDS = HEAD_FIELDS + 5 };
	struct recorder_lane *lane = record_enter_on_gpu(call);
	uint64_t *field = lane ? cuda_record_begin(call, lane, copy->stream, EVT_cuda_copy, FIELDS)
			       : NULL;

	if (!field)
		return;
	field[5] = copy->kind < EVT_CUDA_COPY_LIMIT ? copy->kind : EVT_CUDA_COPY_DEFAULT;
	field[6] = copy->bytes;
	field[7] = copy->destination;
	field[8] = copy->source;
	field[9] = call->correlation;
	record_end_on_gpu(call, lane, FIELDS);
}

/*
 * Host memory belongs to no device; other memory to the thread's current device, which has just
 * been used.
 */
static int64_t memory_device(const struct cuda_call *call, uint64_t kind)
{
	int device = -1, saved = errno;
	int (*get)(int *);

	if (kind == EVT_CUDA_PINNED || kind == EVT_CUDA_REGISTERED || !call->origin.library)
		return -1;
	if (!recorder_gates->gate[EVT_FAMILY_cuda]) /* nothing is recorded, so CUDA is not called */
		return -1;
	*(void **)&get = cuda_library_device_getter(call->origin.library);
	if (!get || get(&device) != 0)
		device = -1;
	errno = saved;
	return device;
}

void cuda_record_created(const struct cuda_call *call, const struct cuda_memory *memory,
			 int64_t device)
{
	enum { FIELDS = HEAD_FIELDS + 4 };
	struct recorder_lane *lane = record_enter();
	uint64_t *field = lane ? cuda_record_begin(call, lane, memory->stream, EVT_cuda_alloc,
						   FIELDS)
			       : NULL;

	if (!field)
		return;
	field[5] = memory->kind;
	field[6] = (uint64_t)device;
	field[7] = memory->address;
	field[8] = memory->bytes;
	record_end_on_gpu(call, lane, FIELDS);
}

void cuda_record_alloc(const struct cuda_call *call, const struct cuda_memory *memory)
{
	cuda_record_created(call, memory, call->result ? -1 : memory_device(call, memory->kind));
}

void cuda_record_free(const struct cuda_call *call, const struct cuda_memory *memory)
{
	enum { FIELDS = HEAD_FIELDS + 3 };
	bool all = memory->kind == EVT_CUDA_ALL && !call->result;
	int64_t device = all ? memory_device(call, memory->kind) : -1;
	struct recorder_lane *lane = record_enter();
	uint64_t *field = lane ? cuda_record_begin(call, lane, memory->stream, EVT_cuda_free,
						   FIELDS)
			       : NULL;

	if (!field)
		return;
	field[5] = memory->kind;
	field[6] = (uint64_t)device;
	field[7] = memory->address;
	cuda_record_end(lane, FIELDS);
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

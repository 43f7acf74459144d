/* SPDX-License-Identifier: MIT */
/*
 * Groups CUDA calls by function, launches by kernel and copies by kind, each optionally by another
 * key, and follows device memory (device_memory.h).
 */
#include "report/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/key.h"

#define RESULT_NOT_READY 600 /* cudaErrorNotReady and CUDA_ERROR_NOT_READY: the result of a query */
#define STREAM_LEGACY 1      /* cudaStreamLegacy: another name of the default stream */

/* The five structures begin with the same fields, so these are read as those of cuda_call. */
#define SAME_PLACE(event, field) \
	(offsetof(struct evt_##event, field) == offsetof(struct evt_cuda_call, field))
#define SAME_HEAD(event)                                                  \
	(SAME_PLACE(event, function) && SAME_PLACE(event, duration_ns) && \
	 SAME_PLACE(event, result) && SAME_PLACE(event, flags) && SAME_PLACE(event, stream))
_Static_assert(SAME_HEAD(cuda_launch) && SAME_HEAD(cuda_copy) && SAME_HEAD(cuda_alloc) &&
		       SAME_HEAD(cuda_free) && SAME_HEAD(cuda_unfinished),
	       "events of CUDA calls begin with the same fields");

static enum cuda_table cuda_table_of(enum key_id by)
{
	static const char *const reports[CUDA_TABLES] = { "api", "launches", "memcpy",
							  "device_memory" };
	unsigned int i = 0;

	while (i < CUDA_TABLES && strcmp(key_list[by].report, reports[i]) != 0)
		i++;
	return (enum cuda_table)i;
}

enum device_rows device_rows_of(enum key_id by)
{
	if (by == BY_device_memory_device)
		return DEVICE_BY_DEVICE;
	return cuda_table_of(by) == CUDA_MEMORY && key_kind_of(by) ? DEVICE_BY_KEY : DEVICE_BY_KIND;
}

void cuda_init(struct cuda *cuda, const struct source *source, enum key_id by, bool by_kind)
{
	cuda->by = by;
	cuda->keyed = by_kind ? cuda_table_of(by) : CUDA_TABLES;
	groups_init(&cuda->api);
	groups_init(&cuda->launches);
	groups_init(&cuda->copies);
	groups_init(&cuda->failures);
	device_memory_init(&cuda->memory, device_rows_of(by), source);
}

void cuda_release(struct cuda *cuda)
{
	groups_release(&cuda->api);
	groups_release(&cuda->launches);
	groups_release(&cuda->copies);
	groups_release(&cuda->failures);
	free(cuda->outside);
	device_memory_release(&cuda->memory);
}

static bool cuda_has_failed(const struct event *event)
{
	uint64_t result = EVENT_AS(cuda_call, event)->result;

	return result && result != RESULT_NOT_READY;
}

struct work cuda_work_of(const struct event *event)
{
	struct work work = { .cuda_calls = 1,
			     .cuda_ns = EVENT_AS(cuda_call, event)->duration_ns,
			     .launches = event->id == EVT_cuda_launch };

	if (cuda_has_failed(event))
		return work;
	if (event->id == EVT_cuda_copy)
		work.memcpy_bytes = EVENT_AS(cuda_copy, event)->bytes;
	if (event->id == EVT_cuda_alloc && !device_kind_is_host(EVENT_AS(cuda_alloc, event)->kind))
		work.device_bytes = EVENT_AS(cuda_alloc, event)->bytes;
	return work;
}

static void key_put_stream(uint64_t key[GROUP_WORDS], const struct cuda_call *call)
{
	uint64_t stream = EVENT_AS(cuda_call, call->event)->stream;

	key[STREAM_HANDLE] = stream == STREAM_LEGACY ? 0 : stream;
	key[STREAM_PROCESS] = call->process;
	key[STREAM_THREAD] = stream == CUDA_STREAM_PER_THREAD ? (uint64_t)call->thread + 1 : 0;
}

static uint64_t cuda_two_words(uint64_t high, uint64_t low)
{
	return high << 32 | (uint32_t)low;
}

static void key_put_kernel(uint64_t key[GROUP_WORDS], const struct cuda_call *call, bool with_grid)
{
	const struct evt_cuda_launch *launch = EVENT_AS(cuda_launch, call->event);
	uint64_t process = call->is_named ? 0 : (uint64_t)call->process + 1;

	key[LAUNCH_KERNEL] = call->kernel;
	key[LAUNCH_HANDLE] = call->is_named ? 0 : launch->handle;
	key[LAUNCH_BLOCK_Z_PROCESS] = process;
	if (!with_grid)
		return;
	key[LAUNCH_GRID_XY] = cuda_two_words(launch->grid_x, launch->grid_y);
	key[LAUNCH_GRID_Z_SHARED] = cuda_two_words(launch->grid_z, launch->shared_bytes);
	key[LAUNCH_BLOCK_XY] = cuda_two_words(launch->block_x, launch->block_y);
	key[LAUNCH_BLOCK_Z_PROCESS] = cuda_two_words(launch->block_z, process);
}

static void launch_put_key(const struct cuda *cuda, const struct cuda_call *call,
			   uint64_t key[GROUP_WORDS])
{
	if (cuda->keyed == CUDA_LAUNCHES)
		key[KEY_WORD] = call->key;
	else if (cuda->by == BY_launches_stream)
		key_put_stream(key, call);
	else
		key_put_kernel(key, call, cuda->by == BY_launches_grid);
}

static void copy_put_key(const struct cuda *cuda, const struct cuda_call *call,
			 uint64_t key[GROUP_WORDS])
{
	if (cuda->keyed == CUDA_COPIES)
		key[KEY_WORD] = call->key;
	if (cuda->by == BY_memcpy_stream)
		key_put_stream(key, call);
	else if (cuda->by == BY_memcpy_function)
		key[COPY_FUNCTION] = call->function;
	else if (cuda->by != BY_memcpy_op)
		key[COPY_KIND] = EVENT_AS(cuda_copy, call->event)->kind;
}

/* Adds the call to the table of launches or of copies, with its key. NULL: it is in neither. */
static struct groups *table_put_key(struct cuda *cuda, const struct cuda_call *call,
				    uint64_t key[GROUP_WORDS])
{
	if (call->event->id == EVT_cuda_launch) {
		launch_put_key(cuda, call, key);
		return &cuda->launches;
	}
	if (call->event->id != EVT_cuda_copy)
		return NULL;
	copy_put_key(cuda, call, key);
	return &cuda->copies;
}

/* Allocations and frees are followed even if the filters do not hold. */
static void cuda_take_memory(struct cuda *cuda, const struct cuda_call *call)
{
	const struct evt_cuda_alloc *born = EVENT_AS(cuda_alloc, call->event);
	const struct evt_cuda_free *dies = EVENT_AS(cuda_free, call->event);
	bool is_born = call->event->id == EVT_cuda_alloc;
	uint64_t time_ns = call->event->time_ns;
	struct device_op op = {
		.time_ns = time_ns,
		.begin_ns = time_ns > born->duration_ns ? time_ns - born->duration_ns : 0,
		.address = is_born ? born->address : dies->address,
		.bytes = is_born ? born->bytes : 0,
		.kind = is_born ? device_kind_of_event(born->kind) : dies->kind,
		.device = is_born ? born->device : dies->device,
		.process = call->process,
		.holder = call->holder,
		.key = call->key,
		.counts = call->counts,
	};

	if (cuda_has_failed(call->event))
		return;
	if (is_born && op.address)
		device_memory_allocate(&cuda->memory, &op);
	if (!is_born && (op.address || op.kind == EVT_CUDA_ALL))
		device_memory_free(&cuda->memory, &op);
}

/* Returns whether the call is one of the rows of the table that has the key. */
static bool cuda_is_by_kind(const struct cuda *cuda, const struct cuda_call *call)
{
	return cuda->keyed == CUDA_API ||
	       (cuda->keyed == CUDA_LAUNCHES && call->event->id == EVT_cuda_launch) ||
	       (cuda->keyed == CUDA_COPIES && call->event->id == EVT_cuda_copy) ||
	       (cuda->keyed == CUDA_MEMORY && call->event->id == EVT_cuda_alloc);
}

static void cuda_take_outside(struct cuda *cuda, const struct cuda_call *call)
{
	cuda->outside = memory_room(cuda->outside, call->thread, &cuda->outside_room,
				    sizeof(*cuda->outside));
	cuda->outside[call->thread]++;
}

static void cuda_take_failure(struct cuda *cuda, const struct cuda_call *call)
{
	uint64_t key[GROUP_WORDS] = { [API_FUNCTION] = call->function,
				      [FAILURE_RESULT] = EVENT_AS(cuda_call, call->event)->result };

	groups_add(&cuda->failures, key, &(struct group_call){ 0 });
}

void cuda_take(struct cuda *cuda, const struct cuda_call *call)
{
	struct group_call timed = {
		.duration_ns = EVENT_AS(cuda_call, call->event)->duration_ns,
		.bytes = call->event->id == EVT_cuda_copy ? EVENT_AS(cuda_copy, call->event)->bytes
							  : 0,
		.failed = cuda_has_failed(call->event),
	};
	uint64_t key[GROUP_WORDS] = { [API_FUNCTION] = call->function };
	struct groups *table;

	if (call->event->id == EVT_cuda_alloc || call->event->id == EVT_cuda_free)
		cuda_take_memory(cuda, call);
	if (!call->counts)
		return;
	cuda->unfinished += call->event->id == EVT_cuda_unfinished;
	if (cuda->keyed == CUDA_API)
		key[KEY_WORD] = call->key;
	groups_add(&cuda->api, key, &timed);
	if (timed.failed)
		cuda_take_failure(cuda, call);
	if (!call->key && cuda_is_by_kind(cuda, call))
		cuda_take_outside(cuda, call);
	memset(key, 0, sizeof(key));
	table = table_put_key(cuda, call, key);
	if (table)
		groups_add(table, key, &timed);
}

#define PLACE_OF_COPY 1u /* the lowest bit; the bits above are the group's index + 1 */

uint64_t cuda_place(struct cuda *cuda, const struct cuda_call *call)
{
	uint64_t key[GROUP_WORDS] = { 0 };
	struct groups *table = table_put_key(cuda, call, key);

	if (!table)
		return 0;
	return (groups_place(table, key) + 1) << 1 | (table == &cuda->copies ? PLACE_OF_COPY : 0);
}

void cuda_take_deferred(struct cuda *cuda, uint64_t place, uint64_t duration_ns)
{
	struct groups *table = place & PLACE_OF_COPY ? &cuda->copies : &cuda->launches;

	cuda->has_gpu = true;
	if (place)
		table->group[(place >> 1) - 1].deferred_ns += duration_ns;
}

bool cuda_wants_deferred(const struct cuda *cuda)
{
	enum cuda_table table = cuda_table_of(cuda->by);

	return table == CUDA_LAUNCHES || table == CUDA_COPIES;
}

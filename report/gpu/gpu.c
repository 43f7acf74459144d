/* SPDX-License-Identifier: MIT */
/*
 * See gpu.h. A call waits for its work in a map; work that is told before its call has returned waits, too. A call
 * may have any number of pieces of work (a graph's launch has), so it stays for a while after the first.
 */
#include "report/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/scope.h"

#define CALLS_KEPT (1u << 16) /* before those whose work was told are looked through */
#define WAIT_NS 10000000000u  /* for the call of work */
#define STAY_NS 10000000000u  /* of a call after its work was told */

struct call {
	uint64_t id, place, start_ns, seen_ns;
	uint32_t thread;
	bool counts, is_used, has_work;
};

/* Told, its call not known yet. */
struct pending {
	uint64_t id, told_ns;
	enum gpu_table table;
	uint64_t key[GROUP_WORDS];
	struct gpu_work work;
};

struct gpu_state {
	struct gpu gpu; /* first: it is what others see */
	struct source *source;
	struct run *run;
	struct run_key key;
	bool wants_trace;
	struct map calls; /* id to place in `call` + 1 */
	struct call *call;
	size_t call_count, call_room, sweep_at;
	struct pending *pending;
	size_t pending_count, pending_room;
};

const struct run_key *gpu_key(const struct gpu *gpu)
{
	return &((const struct gpu_state *)gpu)->key;
}

/* Never 0, which no map takes. */
static uint64_t id_of(const struct source_event *event, uint64_t correlation)
{
	return ((uint64_t)event->process->index << 32 | (uint32_t)correlation) + 1;
}

/* --- calls --- */

/* Those whose work was told long ago make room. */
static void calls_sweep(struct gpu_state *mine, uint64_t now_ns)
{
	size_t kept = 0;

	map_clear(&mine->calls);
	for (size_t i = 0; i < mine->call_count; i++) {
		struct call *call = &mine->call[i];
		bool added;

		if (!call->is_used || (call->has_work && call->seen_ns + STAY_NS < now_ns))
			continue;
		mine->call[kept] = *call;
		map_put(&mine->calls, call->id, &added)->value = ++kept;
	}
	mine->call_count = kept;
	mine->sweep_at = kept * 2 > CALLS_KEPT ? kept * 2 : CALLS_KEPT;
}

static void call_add(struct gpu_state *mine, const struct source_event *event, bool counts,
		     uint64_t correlation, uint64_t duration_ns)
{
	uint64_t time_ns = event->event.time_ns;
	struct map_entry *entry;
	struct call *call;
	bool added;

	if (!correlation)
		return;
	if (mine->call_count >= mine->sweep_at)
		calls_sweep(mine, time_ns);
	entry = map_put(&mine->calls, id_of(event, correlation), &added);
	if (added) {
		mine->call = memory_room(mine->call, mine->call_count + 1, &mine->call_room,
					 sizeof(*call));
		entry->value = ++mine->call_count;
	}
	call = &mine->call[entry->value - 1];
	*call = (struct call){ .id = id_of(event, correlation),
			       .place = key_of(&mine->key, event),
			       .start_ns = time_ns > duration_ns ? time_ns - duration_ns : 0,
			       .seen_ns = time_ns,
			       .thread = event->thread->index,
			       .counts = counts,
			       .is_used = true };
}

static void take_launch(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_launch *launch = EVENT_AS(cuda_launch, &event->event);

	call_add(state, event, counts, launch->correlation, launch->duration_ns);
}

static void take_copy_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_copy *copy = EVENT_AS(cuda_copy, &event->event);

	call_add(state, event, counts, copy->correlation, copy->duration_ns);
}

static void take_other_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_call *call = EVENT_AS(cuda_call, &event->event);

	call_add(state, event, counts, call->correlation, call->duration_ns);
}

static void take_hidden_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_call *call = EVENT_AS(gpu_call, &event->event);

	call_add(state, event, counts, call->correlation, call->duration_ns);
}

/* --- work --- */

static void trace_add(struct gpu_state *mine, const struct gpu_work *work)
{
	struct gpu *gpu = &mine->gpu;

	gpu->trace = memory_room(gpu->trace, gpu->trace_count + 1, &gpu->trace_room, sizeof(*work));
	gpu->trace[gpu->trace_count++] = *work;
}

static void work_count(struct gpu_state *mine, struct pending *told)
{
	struct group_call timed = { .duration_ns = told->work.duration_ns,
				    .bytes = told->work.bytes };

	groups_add(&mine->gpu.table[told->table], told->key, &timed);
	if (mine->wants_trace && told->table != GPU_WAITS)
		trace_add(mine, &told->work);
}

/* False: its call is not there. */
static bool work_join(struct gpu_state *mine, struct pending *told)
{
	struct map_entry *entry = map_find(&mine->calls, told->id);
	struct call *call = entry ? &mine->call[entry->value - 1] : NULL;

	if (!call)
		return false;
	call->has_work = true;
	if (told->told_ns > call->seen_ns)
		call->seen_ns = told->told_ns;
	if (mine->gpu.keyed == told->table && mine->key.kind)
		told->key[GPU_KEY_PLACE] = call->place;
	if (!call->counts)
		return true;
	if (told->work.start_ns < call->start_ns) {
		told->work.start_ns = call->start_ns;
		mine->gpu.clamped++;
	}
	work_count(mine, told);
	return true;
}

/* Work that nobody is known to have asked for: where only parts were recorded, or are asked for, it is of none of them. */
static void work_homeless(struct gpu_state *mine, struct pending *told)
{
	struct scope_text text;

	mine->gpu.homeless++;
	if (!run_filters(mine->run)->any && !scope_recorded(mine->run, &text))
		work_count(mine, told);
}

static void work_take(struct gpu_state *mine, struct pending *told)
{
	if (work_join(mine, told))
		return;
	mine->pending = memory_room(mine->pending, mine->pending_count + 1, &mine->pending_room,
				    sizeof(*told));
	mine->pending[mine->pending_count++] = *told;
}

static struct pending told_of(const struct source_event *event, enum gpu_table table,
			      int64_t ago_ns, uint64_t duration_ns, uint64_t correlation)
{
	uint64_t now_ns = event->event.time_ns;
	uint64_t start_ns = now_ns - (uint64_t)ago_ns;

	if (ago_ns > 0 && (uint64_t)ago_ns > now_ns)
		start_ns = 0;
	return (struct pending){ .id = id_of(event, correlation),
				 .told_ns = now_ns,
				 .table = table,
				 .work = { .start_ns = start_ns,
					   .duration_ns = duration_ns,
					   .correlation = correlation,
					   .process = event->process->index } };
}

static uint64_t two_words(uint64_t high, uint64_t low)
{
	return high << 32 | (uint32_t)low;
}

static bool is_by(const struct gpu_state *mine, const char *name)
{
	return strcmp(key_list[mine->gpu.by].name, name) == 0;
}

/* What the rows are by, where that is not a kind of key. */
static void told_put_key(const struct gpu_state *mine, struct pending *told)
{
	const struct gpu_work *work = &told->work;
	bool is_keyed = mine->gpu.keyed == told->table;

	if (is_keyed && mine->key.kind && told->table == GPU_KERNELS)
		return;
	if (is_keyed && (is_by(mine, "device") || is_by(mine, "stream"))) {
		told->key[GPU_KEY_DEVICE] = work->device;
		if (is_by(mine, "stream"))
			told->key[GPU_KEY_STREAM] = work->stream;
		return;
	}
	told->key[GPU_KEY_WHAT] = work->what;
	if (!is_keyed || !is_by(mine, "grid"))
		return;
	told->key[GPU_KEY_GRID_XY] = two_words(work->grid[0], work->grid[1]);
	told->key[GPU_KEY_GRID_Z_BLOCK_Z] = two_words(work->grid[2], work->block[2]);
	told->key[GPU_KEY_BLOCK_XY] = two_words(work->block[0], work->block[1]);
}

static void take_kernel(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_kernel *kernel = EVENT_AS(gpu_kernel, &event->event);
	struct gpu_state *mine = state;
	struct pending told = told_of(event, GPU_KERNELS, kernel->ago_ns, kernel->duration_ns,
				      kernel->correlation);
	struct gpu_work *work = &told.work;

	(void)counts;
	work->is_kernel = true;
	work->what = event_name(mine->source, event, kernel->kernel);
	work->device = (uint32_t)kernel->device;
	work->context = (uint32_t)kernel->context;
	work->stream = (uint32_t)kernel->stream;
	work->grid[0] = (uint32_t)kernel->grid_x;
	work->grid[1] = (uint32_t)kernel->grid_y;
	work->grid[2] = (uint32_t)kernel->grid_z;
	work->block[0] = (uint32_t)kernel->block_x;
	work->block[1] = (uint32_t)kernel->block_y;
	work->block[2] = (uint32_t)kernel->block_z;
	told_put_key(mine, &told);
	work_take(mine, &told);
}

static void take_copy(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_copy *copy = EVENT_AS(gpu_copy, &event->event);
	struct pending told = told_of(event, GPU_COPIES, copy->ago_ns, copy->duration_ns,
				      copy->correlation);

	(void)counts;
	told.work.what = copy->kind < GPU_KIND_SET ? (uint32_t)copy->kind : 0;
	told.work.device = (uint32_t)copy->device;
	told.work.context = (uint32_t)copy->context;
	told.work.stream = (uint32_t)copy->stream;
	told.work.bytes = copy->bytes;
	told_put_key(state, &told);
	work_take(state, &told);
}

static void take_set(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_set *set = EVENT_AS(gpu_set, &event->event);
	struct pending told = told_of(event, GPU_COPIES, set->ago_ns, set->duration_ns,
				      set->correlation);

	(void)counts;
	told.work.what = GPU_KIND_SET;
	told.work.device = (uint32_t)set->device;
	told.work.context = (uint32_t)set->context;
	told.work.stream = (uint32_t)set->stream;
	told.work.bytes = set->bytes;
	told_put_key(state, &told);
	work_take(state, &told);
}

static void take_wait(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_wait *wait = EVENT_AS(gpu_wait, &event->event);
	struct pending told = told_of(event, GPU_WAITS, wait->ago_ns, wait->duration_ns,
				      wait->correlation);

	(void)counts;
	told.work.what = (uint32_t)wait->kind;
	told.key[GPU_KEY_WHAT] = (uint32_t)wait->kind;
	work_take(state, &told);
}

/* --- CUPTI --- */

static void take_cupti(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_cupti *cupti = EVENT_AS(gpu_cupti, &event->event);
	struct gpu_state *mine = state;

	(void)counts;
	if (cupti->state >= EVT_GPU_STATE_LIMIT)
		return;
	mine->gpu.state_count[cupti->state]++;
	if (cupti->version)
		mine->gpu.version = cupti->version;
	if (cupti->state == EVT_GPU_STARTED)
		return;
	if (cupti->state == EVT_GPU_SHARED) {
		mine->gpu.shared_what = event_name(mine->source, event, cupti->what);
		return;
	}
	mine->gpu.state_result = cupti->result;
	mine->gpu.state_what = event_name(mine->source, event, cupti->what);
}

static void take_lost(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_lost *lost = EVENT_AS(gpu_lost, &event->event);
	struct gpu_state *mine = state;

	(void)counts;
	if (lost->reason < EVT_GPU_LOST_LIMIT)
		mine->gpu.lost[lost->reason] += lost->count;
}

/* --- life --- */

static enum gpu_table table_of(enum key_id by)
{
	static const char *const reports[GPU_TABLES] = { "kernels", "gpu_copies", "sync" };
	unsigned int i = 0;

	while (i < GPU_TABLES && strcmp(key_list[by].report, reports[i]) != 0)
		i++;
	return (enum gpu_table)i;
}

static void start(void *state, struct run *run, const void *options)
{
	const struct gpu_options *asked = options;
	struct gpu_state *mine = state;

	mine->run = run;
	mine->source = run_source(run);
	mine->wants_trace = asked->trace;
	mine->sweep_at = CALLS_KEPT;
	mine->gpu.by = asked->by;
	mine->gpu.keyed = table_of(asked->by);
	mine->key = run_key(run, asked->by);
	map_init(&mine->calls);
	for (unsigned int i = 0; i < GPU_TABLES; i++)
		groups_init(&mine->gpu.table[i]);
	run_reads(run, EVT_cuda_launch,
		  FIELD_BIT(cuda_launch, duration_ns) | FIELD_BIT(cuda_launch, correlation),
		  take_launch, mine);
	run_reads(run, EVT_cuda_copy,
		  FIELD_BIT(cuda_copy, duration_ns) | FIELD_BIT(cuda_copy, correlation),
		  take_copy_call, mine);
	run_reads(run, EVT_cuda_call,
		  FIELD_BIT(cuda_call, duration_ns) | FIELD_BIT(cuda_call, correlation),
		  take_other_call, mine);
	run_reads(run, EVT_gpu_call, FIELDS_ALL, take_hidden_call, mine);
	run_reads(run, EVT_gpu_kernel, FIELDS_ALL, take_kernel, mine);
	run_reads(run, EVT_gpu_copy, FIELDS_ALL, take_copy, mine);
	run_reads(run, EVT_gpu_set, FIELDS_ALL, take_set, mine);
	run_reads(run, EVT_gpu_wait, FIELDS_ALL, take_wait, mine);
	run_reads(run, EVT_gpu_cupti, FIELDS_ALL, take_cupti, mine);
	run_reads(run, EVT_gpu_lost, FIELDS_ALL, take_lost, mine);
}

static void settle(void *state, uint64_t upto_ns)
{
	struct gpu_state *mine = state;
	size_t kept = 0;

	for (size_t i = 0; i < mine->pending_count; i++) {
		struct pending *told = &mine->pending[i];

		if (work_join(mine, told))
			continue;
		if (upto_ns == UINT64_MAX || told->told_ns + WAIT_NS < upto_ns)
			work_homeless(mine, told);
		else
			mine->pending[kept++] = *told;
	}
	mine->pending_count = kept;
}

static int work_compare(const void *a, const void *b)
{
	const struct gpu_work *left = a, *right = b;

	return left->start_ns < right->start_ns ? -1 : left->start_ns > right->start_ns;
}

static void finish(void *state)
{
	struct gpu_state *mine = state;

	if (mine->gpu.trace_count)
		qsort(mine->gpu.trace, mine->gpu.trace_count, sizeof(*mine->gpu.trace),
		      work_compare);
}

static void release(void *state)
{
	struct gpu_state *mine = state;

	for (unsigned int i = 0; i < GPU_TABLES; i++)
		groups_release(&mine->gpu.table[i]);
	map_release(&mine->calls);
	free(mine->call);
	free(mine->pending);
	free(mine->gpu.trace);
}

const struct analysis_kind analysis_gpu = {
	.name = "gpu",
	.state_bytes = sizeof(struct gpu_state),
	.options_bytes = sizeof(struct gpu_options),
	.start = start,
	.settle = settle,
	.finish = finish,
	.release = release,
};

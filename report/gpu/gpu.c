/* SPDX-License-Identifier: MIT */
/*
 * Receives GPU work with its call from deferred/deferred.h, and adds it to groups of kernels,
 * copies and waits, and to the trace.
 */
#include "report/gpu/gpu.h"
#include "report/gpu/gpu_work.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/coverage.h"
#include "report/gpu/kernel_class.h"
#include "report/gpu/occupancy.h"
#include "report/gpu/wait_calls.h"

#define OCCUPANCIES_KNOWN 16u /* by the lowest bits of the grid and the block */

/* The occupancy of a launch shape. Programs use few shapes, again and again. */
struct known_occupancy {
	struct occupancy_shape {
		struct occupancy_launch launch;
		uint32_t process, device;
	} of;
	bool is_there; /* false: nothing is known of the shape */
	bool is_known;
	struct occupancy found;
};

struct gpu_state {
	struct gpu gpu; /* must be first: others see only this part */
	struct source *source;
	struct run *run;
	struct run_key key;
	bool wants_trace;
	struct known_occupancy known[OCCUPANCIES_KNOWN];
	struct kernel_classes classes;
	struct wait_calls waits;
	uint64_t
		*first_end_ns; /* of the first window of a process, by index; 0: it has not ended */
	size_t first_end_room;
};

const struct run_key *gpu_key(const struct gpu *gpu)
{
	return &((const struct gpu_state *)gpu)->key;
}

/* --- work --- */

static void trace_add(struct gpu_state *mine, const struct deferred_work *work)
{
	const struct gpu_work *of = gpu_work_of(work);
	const struct gpu_piece piece = {
		.start_ns = work->start_ns,
		.duration_ns = work->duration_ns,
		.bytes = of->bytes,
		.correlation = work->correlation,
		.kind = of->kind,
		.process = work->process,
		.what = of->what,
		.device = of->device,
		.context = of->context,
		.stream = of->stream,
		.grid = { of->grid[0], of->grid[1], of->grid[2] },
		.block = { of->block[0], of->block[1], of->block[2] },
	};

	spool_put(&mine->gpu.trace, &piece);
}

static uint64_t gpu_two_words(uint64_t high, uint64_t low)
{
	return high << 32 | (uint32_t)low;
}

static enum gpu_table table_of_work(const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);

	switch (piece->kind) {
	case GPU_WORK_KERNEL:
		return GPU_KERNELS;
	case GPU_WORK_WAIT:
		return GPU_WAITS;
	default:
		return GPU_COPIES;
	}
}

static void key_put_grid(const struct deferred_work *work, uint64_t key[GROUP_WORDS])
{
	const struct gpu_work *piece = gpu_work_of(work);

	key[GPU_KEY_GRID_XY] = gpu_two_words(piece->grid[0], piece->grid[1]);
	key[GPU_KEY_GRID_Z_BLOCK_Z] = gpu_two_words(piece->grid[2], piece->block[2]);
	key[GPU_KEY_BLOCK_XY] = gpu_two_words(piece->block[0], piece->block[1]);
}

/* Sets the words of the key by which the rows are grouped. */
static void work_put_key(const struct gpu_state *mine, uint64_t place,
			 const struct deferred_work *work, uint64_t key[GROUP_WORDS])
{
	const struct gpu_work *piece = gpu_work_of(work);
	enum gpu_table table = table_of_work(work);
	bool is_keyed = mine->gpu.keyed == table;

	if (is_keyed && mine->gpu.form == GPU_BY_KIND)
		key[GPU_KEY_PLACE] = place;
	if (is_keyed && mine->gpu.form == GPU_BY_KIND && table == GPU_KERNELS)
		return;
	if (is_keyed && (mine->gpu.form == GPU_BY_DEVICE || mine->gpu.form == GPU_BY_STREAM)) {
		key[GPU_KEY_DEVICE] = piece->device;
		if (mine->gpu.form == GPU_BY_STREAM)
			key[GPU_KEY_STREAM] = piece->stream;
		return;
	}
	key[GPU_KEY_WHAT] = piece->kind == GPU_WORK_SET ? GPU_KIND_SET : piece->what;
	if (is_keyed && mine->gpu.form == GPU_BY_GRID)
		key_put_grid(work, key);
}

static struct occupancy_shape shape_of(const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	struct occupancy_shape shape = { .launch.shared_bytes = piece->shared_bytes,
					 .launch.registers = piece->registers,
					 .process = work->process,
					 .device = piece->device };

	memcpy(shape.launch.grid, piece->grid, sizeof(shape.launch.grid));
	memcpy(shape.launch.block, piece->block, sizeof(shape.launch.block));
	return shape;
}

/* Entries are valid until the limits of the GPUs change. */
static const struct known_occupancy *occupancy_find(struct gpu_state *mine,
						    const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	const struct occupancy_shape shape = shape_of(work);
	uint32_t bits = shape.launch.grid[0] + shape.launch.block[0] / 32;
	struct known_occupancy *known = &mine->known[bits % OCCUPANCIES_KNOWN];
	const struct evt_gpu_limits *limits;

	if (known->is_there && !memcmp(&known->of, &shape, sizeof(shape)))
		return known;
	limits = gpu_limits_of(&mine->gpu.limits, work->process, piece->device);
	*known = (struct known_occupancy){ .of = shape, .is_there = true };
	known->is_known = limits && occupancy_of(limits, &shape.launch, &known->found);
	return known;
}

static void kernel_add_sums(struct gpu_state *mine, const struct deferred_work *work,
			    double sum[GROUP_SUMS])
{
	const struct gpu_work *piece = gpu_work_of(work);
	const struct known_occupancy *known = occupancy_find(mine, work);
	double duration_ns = (double)work->duration_ns;

	if (piece->uses_tensor_cores)
		sum[GPU_SUM_TENSOR_NS] += duration_ns;
	if (!known->is_known) {
		mine->gpu.occupancy_unknown++;
		return;
	}
	sum[GPU_SUM_KNOWN_NS] += duration_ns;
	sum[GPU_SUM_SM_BLOCKS] += known->found.sm_blocks * duration_ns;
	sum[GPU_SUM_OCCUPANCY] += known->found.part * duration_ns;
}

static void drawn_add(struct gpu_state *mine, enum gpu_table table, uint64_t calls, uint64_t ns)
{
	mine->gpu.drawn[table].calls += calls;
	mine->gpu.drawn[table].ns += ns;
}

static void gpu_work_count(struct gpu_state *mine, uint64_t place, const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	struct groups *groups = &mine->gpu.table[table_of_work(work)];
	struct group_call timed = { .duration_ns = work->duration_ns, .bytes = piece->bytes };
	uint64_t key[GROUP_WORDS] = { 0 };
	struct group *group;

	if (work->has_call && work->process < mine->first_end_room &&
	    mine->first_end_ns[work->process] &&
	    work->call_start_ns > mine->first_end_ns[work->process])
		drawn_add(mine, table_of_work(work), 1, work->duration_ns);
	work_put_key(mine, place, work, key);
	group = groups_add(groups, key, &timed);
	if (piece->kind == GPU_WORK_KERNEL)
		kernel_add_sums(mine, work, group_sums(group));
	if (mine->wants_trace && work->is_on_device)
		trace_add(mine, work);
}

static uint64_t gpu_place_of(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	return key_of(&((struct gpu_state *)state)->key, event);
}

/*
 * Work whose call is not known: if only parts of the run were recorded, or are selected, it belongs
 * to none of them.
 */
static void gpu_take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	struct gpu_state *mine = state;

	if (!work->has_call && coverage_needs_call(mine->run))
		return;
	gpu_work_count(mine, place, work);
}

/* --- calls that wait (INTERCEPT_GPU_WAITS=calls) --- */

static void take_wait_call(struct gpu_state *mine, const struct source_event *event,
			   uint64_t function, uint64_t duration_ns)
{
	uint32_t name = event_name(mine->source, event, function);
	enum wait_call_kind kind = wait_calls_kind_of(&mine->waits, name);
	struct group_call timed = { .duration_ns = duration_ns };
	uint64_t key[GROUP_WORDS] = { [GPU_KEY_WHAT] = kind };

	if (kind == WAIT_CALL_NONE)
		return;
	if (mine->gpu.form == GPU_BY_KIND)
		key[GPU_KEY_PLACE] = key_of(&mine->key, event);
	(void)groups_add(&mine->gpu.table[GPU_WAIT_CALLS], key, &timed);
}

static void gpu_take_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_call *call = EVENT_AS(cuda_call, &event->event);

	/* CUDA's call within a call is part of that */
	if (counts && !(call->flags & EVT_CUDA_NESTED))
		take_wait_call(state, event, call->function, call->duration_ns);
}

static void gpu_take_hidden_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_call *call = EVENT_AS(gpu_call, &event->event);

	if (counts)
		take_wait_call(state, event, call->function, call->duration_ns);
}

/* --- sums (INTERCEPT_GPU=sums) --- */

/* Returns false if sums have no place in that table: nobody knows how they divide into its rows. */
static bool sums_put_key(const struct gpu_state *mine, enum gpu_table table, uint64_t device,
			 uint64_t stream, uint64_t what, uint64_t key[GROUP_WORDS])
{
	enum gpu_form form = mine->gpu.keyed == table ? mine->gpu.form : GPU_BY_WHAT;

	if (form == GPU_BY_KIND || form == GPU_BY_GRID || run_filters(mine->run)->any)
		return false;
	if (form == GPU_BY_WHAT) {
		key[GPU_KEY_WHAT] = what;
		return true;
	}
	key[GPU_KEY_DEVICE] = device;
	if (form == GPU_BY_STREAM)
		key[GPU_KEY_STREAM] = stream;
	return true;
}

static void gpu_take_kernel_sum(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_kernel_sum *sum = EVENT_AS(gpu_kernel_sum, &event->event);
	const struct timing_sums sums = { sum->count, sum->total_ns, sum->min_ns, sum->max_ns,
					  sum->squares };
	struct gpu_state *mine = state;
	uint32_t name = event_name(mine->source, event, sum->kernel);
	uint64_t key[GROUP_WORDS] = { 0 };
	struct group *group;

	(void)counts;
	if (!sums_put_key(mine, GPU_KERNELS, (uint32_t)sum->device, (uint32_t)sum->stream, name,
			  key)) {
		mine->gpu.sums_left_out += sum->count;
		return;
	}
	if (sum->drawn)
		drawn_add(mine, GPU_KERNELS, sum->count, sum->total_ns);
	group = groups_add_sums(&mine->gpu.table[GPU_KERNELS], key, &sums, 0, 0);
	mine->gpu.occupancy_unknown += sum->count;
	if (kernel_classes_of(&mine->classes, name) & KERNEL_USES_TENSOR_CORES)
		group_sums(group)[GPU_SUM_TENSOR_NS] += (double)sum->total_ns;
	else
		(void)group_sums(group);
}

static void gpu_take_copy_sum(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_copy_sum *sum = EVENT_AS(gpu_copy_sum, &event->event);
	const struct timing_sums sums = { sum->count, sum->total_ns, sum->min_ns, sum->max_ns,
					  sum->squares };
	struct gpu_state *mine = state;
	uint64_t key[GROUP_WORDS] = { 0 };

	(void)counts;
	if (sum->drawn)
		drawn_add(mine, GPU_COPIES, sum->count, sum->total_ns);
	if (sums_put_key(mine, GPU_COPIES, (uint32_t)sum->device, (uint32_t)sum->stream,
			 sum->kind == UINT8_MAX ? GPU_KIND_SET : (uint32_t)sum->kind, key))
		(void)groups_add_sums(&mine->gpu.table[GPU_COPIES], key, &sums, sum->bytes,
				      sum->max_bytes);
	else
		mine->gpu.sums_left_out += sum->count;
}

/* A kernel that is in the sums, too: `trace` has it, tables have it already. */
static void gpu_take_unusual(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_unusual *told = EVENT_AS(gpu_unusual, &event->event);
	const struct source_process *process = source_process_of(event->file, told->process);
	struct gpu_state *mine = state;
	int64_t ago_ns = (int64_t)told->ago_ns;

	(void)counts;
	mine->gpu.unusual_left_out += told->left_out;
	if (!process || run_filters(mine->run)->any || ago_ns < 0 ||
	    (uint64_t)ago_ns > event->event.time_ns)
		return;
	mine->gpu.unusual++;
	if (mine->wants_trace)
		spool_put(
			&mine->gpu.trace,
			&(struct gpu_piece){ .start_ns = event->event.time_ns - (uint64_t)ago_ns,
					     .duration_ns = told->duration_ns,
					     .kind = GPU_WORK_KERNEL,
					     .process = process->index,
					     .what = event_name(mine->source, event, told->kernel),
					     .device = (uint32_t)told->device,
					     .context = (uint32_t)told->context,
					     .stream = (uint32_t)told->stream });
}

/* --- CUPTI --- */

static void gpu_take_cupti(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_cupti *cupti = EVENT_AS(gpu_cupti, &event->event);
	struct gpu_state *mine = state;

	(void)counts;
	if (cupti->state >= EVT_GPU_STATE_LIMIT)
		return;
	mine->gpu.state_count[cupti->state]++;
	if (cupti->version)
		mine->gpu.version = cupti->version;
	if (cupti->state == EVT_GPU_STARTED || cupti->state == EVT_GPU_LATE ||
	    cupti->state == EVT_GPU_DETACHED || cupti->state == EVT_GPU_AWAY ||
	    cupti->state == EVT_GPU_ATTACHED)
		return;
	if (cupti->state == EVT_GPU_COPY) {
		mine->gpu.copy_what = event_name(mine->source, event, cupti->what);
		return;
	}
	if (cupti->state == EVT_GPU_SHARED) {
		mine->gpu.shared_what = event_name(mine->source, event, cupti->what);
		return;
	}
	mine->gpu.state_result = cupti->result;
	mine->gpu.state_what = event_name(mine->source, event, cupti->what);
}

static void gpu_take_window(void *state, const struct source_event *event, bool counts)
{
	struct gpu_state *mine = state;
	uint32_t process = event->process->index;

	(void)counts;
	mine->first_end_ns = memory_room(mine->first_end_ns, process, &mine->first_end_room,
					 sizeof(*mine->first_end_ns));
	if (!EVENT_AS(gpu_window, &event->event)->on && !mine->first_end_ns[process])
		mine->first_end_ns[process] = event->event.time_ns;
}

bool gpu_estimate(const struct gpu *gpu, const struct run *run, enum gpu_table table,
		  struct gpu_estimate *ret_estimate)
{
	struct detail_steps of = detail_steps_of_windows(run_gpu_windows(run));
	const struct gpu_drawn *drawn = &gpu->drawn[table];
	struct group all = groups_total(&gpu->table[table]);
	uint64_t steps = of.detailed - of.first_detailed;
	double more;

	if (!run_gpu_windows(run)->until_ns || !steps || run_filters(run)->any)
		return false;
	/* of the steps behind the first window those were recorded */
	more = (double)(of.steps - of.first_detailed) / (double)steps - 1;
	*ret_estimate = (struct gpu_estimate){
		.steps = steps,
		.calls = drawn->calls,
		.ns = drawn->ns,
		.run_calls = all.time.count + (uint64_t)(more * (double)drawn->calls),
		.run_ns = all.time.total_ns + (uint64_t)(more * (double)drawn->ns),
	};
	return true;
}

static void gpu_take_lost(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_lost *lost = EVENT_AS(gpu_lost, &event->event);
	struct gpu_state *mine = state;

	(void)counts;
	if (lost->reason < EVT_GPU_LOST_LIMIT)
		mine->gpu.lost[lost->reason] += lost->count;
}

static void gpu_take_limits(void *state, const struct source_event *event, bool counts)
{
	struct gpu_state *mine = state;

	(void)counts;
	gpu_limits_put(&mine->gpu.limits, event->process->index,
		       EVENT_AS(gpu_limits, &event->event));
	memset(mine->known, 0, sizeof(mine->known));
}

/* --- life --- */

static enum gpu_table gpu_table_of(enum key_id by)
{
	static const char *const reports[GPU_TABLES] = { "kernels", "gpu_copies", "sync", "" };
	unsigned int i = 0;

	while (i < GPU_TABLES && strcmp(key_list[by].report, reports[i]) != 0)
		i++;
	return (enum gpu_table)i;
}

static enum gpu_form gpu_form_of(const struct gpu_state *mine)
{
	static const struct {
		const char *name;
		enum gpu_form form;
	} forms[] = { { "grid", GPU_BY_GRID },
		      { "stream", GPU_BY_STREAM },
		      { "device", GPU_BY_DEVICE } };

	if (mine->key.kind)
		return GPU_BY_KIND;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(key_list[mine->gpu.by].name, forms[i].name))
			return forms[i].form;
	return GPU_BY_WHAT;
}

static void gpu_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .place = gpu_place_of,
							   .take = gpu_take_work,
							   .takes_uncorrelated = true };
	const struct gpu_options *asked = options;
	struct gpu_state *mine = state;

	mine->run = run;
	mine->source = run_source(run);
	mine->wants_trace = asked->trace;
	spool_init(&mine->gpu.trace, sizeof(struct gpu_piece));
	mine->gpu.by = asked->by;
	mine->gpu.keyed = gpu_table_of(asked->by);
	mine->key = run_key(run, asked->by);
	mine->gpu.form = gpu_form_of(mine);
	mine->gpu.deferred = deferred_want(run);
	deferred_listen(mine->gpu.deferred, &listener, mine);
	for (unsigned int i = 0; i < GPU_TABLES; i++)
		groups_init(&mine->gpu.table[i]);
	run_reads(run, EVT_gpu_cupti, FIELDS_ALL, gpu_take_cupti, mine);
	gpu_limits_init(&mine->gpu.limits);
	run_reads(run, EVT_gpu_limits, FIELDS_ALL, gpu_take_limits, mine);
	run_reads(run, EVT_gpu_lost, FIELDS_ALL, gpu_take_lost, mine);
	run_reads(run, EVT_gpu_window, FIELDS_ALL, gpu_take_window, mine);
	kernel_classes_init(&mine->classes, mine->source);
	wait_calls_init(&mine->waits, mine->source);
	if (mine->gpu.keyed == GPU_WAITS) {
		run_reads(run, EVT_cuda_call,
			  FIELD_BIT(cuda_call, function) | FIELD_BIT(cuda_call, duration_ns) |
				  FIELD_BIT(cuda_call, flags),
			  gpu_take_call, mine);
		run_reads(run, EVT_gpu_call, FIELDS_ALL, gpu_take_hidden_call, mine);
	}
	run_reads(run, EVT_gpu_kernel_sum, FIELDS_ALL, gpu_take_kernel_sum, mine);
	run_reads(run, EVT_gpu_copy_sum, FIELDS_ALL, gpu_take_copy_sum, mine);
	run_reads(run, EVT_gpu_unusual, FIELDS_ALL, gpu_take_unusual, mine);
}

static void gpu_release(void *state)
{
	struct gpu_state *mine = state;

	for (unsigned int i = 0; i < GPU_TABLES; i++)
		groups_release(&mine->gpu.table[i]);
	kernel_classes_release(&mine->classes);
	free(mine->first_end_ns);
	wait_calls_release(&mine->waits);
	gpu_limits_release(&mine->gpu.limits);
	spool_release(&mine->gpu.trace);
}

const struct analysis_kind analysis_gpu = {
	.name = "gpu",
	.state_bytes = sizeof(struct gpu_state),
	.options_bytes = sizeof(struct gpu_options),
	.start = gpu_start,
	.release = gpu_release,
};

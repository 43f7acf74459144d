/* SPDX-License-Identifier: MIT */
/*
 * Provides the GPU's work to all analyses that want it (deferred/deferred.h): events of families
 * cuda and gpu become calls and pieces of work. The work that threads launched is counted in gpu_ns
 * and gpu_ops.
 */
#include "report/gpu/gpu_work.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/work.h"
#include "report/gpu/kernel_class.h"

struct gpu_work_state {
	struct source *source;
	struct deferred *deferred;
	struct works *works;
	struct kernel_classes classes;
	struct held *held; /* by the thread that reports it */
	size_t held_room;
	bool holds;
};

/* A piece of work of a graph's node; the next event has the node. */
struct held {
	bool is_there;
	uint64_t told_ns;
	struct gpu_work work;
};

static void gpu_work_put_call(void *state, const struct source_event *event, bool counts,
			      uint64_t correlation, uint64_t duration_ns)
{
	deferred_put_call(((struct gpu_work_state *)state)->deferred, event, counts, correlation,
			  duration_ns);
}

static void gpu_work_take_launch(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_launch *launch = EVENT_AS(cuda_launch, &event->event);

	gpu_work_put_call(state, event, counts, launch->correlation, launch->duration_ns);
}

static void gpu_work_take_copy_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_copy *copy = EVENT_AS(cuda_copy, &event->event);

	gpu_work_put_call(state, event, counts, copy->correlation, copy->duration_ns);
}

static void take_other_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_call *call = EVENT_AS(cuda_call, &event->event);

	gpu_work_put_call(state, event, counts, call->correlation, call->duration_ns);
}

static void gpu_work_take_hidden_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_call *call = EVENT_AS(gpu_call, &event->event);

	gpu_work_put_call(state, event, counts, call->correlation, call->duration_ns);
}

/*
 * Makes the part that all four events have. ago_ns is signed, because clocks may differ a little.
 */
static struct gpu_work gpu_work_work_of(const struct source_event *event, enum gpu_work_kind kind,
					uint64_t correlation)
{
	const struct evt_gpu_kernel *head = EVENT_AS(gpu_kernel, &event->event);
	uint64_t now_ns = event->event.time_ns;
	int64_t ago_ns = head->ago_ns;
	bool is_early = ago_ns > 0 && (uint64_t)ago_ns > now_ns;

	return (struct gpu_work){
		.kind = kind,
		.deferred = { .is_on_device = kind != GPU_WORK_WAIT,
			      .start_ns = is_early ? 0 : now_ns - (uint64_t)ago_ns,
			      .duration_ns = head->duration_ns,
			      .correlation = correlation,
			      .process = event->process->index },
	};
}

_Static_assert(offsetof(struct evt_gpu_kernel, ago_ns) == offsetof(struct evt_gpu_copy, ago_ns) &&
		       offsetof(struct evt_gpu_kernel, ago_ns) ==
			       offsetof(struct evt_gpu_set, ago_ns) &&
		       offsetof(struct evt_gpu_kernel, ago_ns) ==
			       offsetof(struct evt_gpu_wait, ago_ns) &&
		       offsetof(struct evt_gpu_kernel, duration_ns) ==
			       offsetof(struct evt_gpu_copy, duration_ns) &&
		       offsetof(struct evt_gpu_kernel, duration_ns) ==
			       offsetof(struct evt_gpu_set, duration_ns) &&
		       offsetof(struct evt_gpu_kernel, duration_ns) ==
			       offsetof(struct evt_gpu_wait, duration_ns),
	       "work is told with the same head");

static struct held *gpu_work_held_of(struct gpu_work_state *mine, uint32_t thread)
{
	mine->held = memory_room(mine->held, thread, &mine->held_room, sizeof(*mine->held));
	return &mine->held[thread];
}

static void gpu_work_held_put(struct gpu_work_state *mine, struct held *held)
{
	if (held->is_there)
		deferred_put_work(mine->deferred, held->told_ns, &held->work.deferred);
	held->is_there = false;
}

static void gpu_work_put_work(struct gpu_work_state *mine, const struct source_event *event,
			      struct gpu_work *work)
{
	struct held *held;

	works_note_deferred(mine->works);
	if (!mine->holds) {
		deferred_put_work(mine->deferred, event->event.time_ns, &work->deferred);
		return;
	}
	held = gpu_work_held_of(mine, event->thread->index);
	gpu_work_held_put(mine, held);
	*held = (struct held){ true, event->event.time_ns, *work };
	if (!work->graph)
		gpu_work_held_put(mine, held);
}

static void take_node(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_node *node = EVENT_AS(gpu_node, &event->event);
	struct gpu_work_state *mine = state;
	struct held *held = gpu_work_held_of(mine, event->thread->index);

	(void)counts;
	if (held->is_there && held->work.deferred.correlation == node->correlation)
		held->work.node = node->node;
	gpu_work_held_put(mine, held);
}

void gpu_work_want_nodes(struct run *run)
{
	struct gpu_work_state *mine = run_want(run, &analysis_gpu_work, NULL);

	if (mine->holds)
		return;
	mine->holds = true;
	run_reads(run, EVT_gpu_node, FIELDS_ALL, take_node, mine);
}

/* For a file that ends between a piece of work and its node. */
static void gpu_work_settle(void *state, uint64_t upto_ns)
{
	struct gpu_work_state *mine = state;

	for (size_t i = 0; upto_ns == UINT64_MAX && i < mine->held_room; i++)
		gpu_work_held_put(mine, &mine->held[i]);
}

static void gpu_work_take_kernel(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_kernel *kernel = EVENT_AS(gpu_kernel, &event->event);
	struct gpu_work_state *mine = state;
	struct gpu_work work = gpu_work_work_of(event, GPU_WORK_KERNEL, kernel->correlation);
	unsigned int classes;

	(void)counts;
	work.what = event_name(mine->source, event, kernel->kernel);
	classes = kernel_classes_of(&mine->classes, work.what);
	work.is_communication = (classes & KERNEL_IS_COMMUNICATION) != 0;
	work.uses_tensor_cores = (classes & KERNEL_USES_TENSOR_CORES) != 0;
	work.is_helper = (classes & KERNEL_IS_HELPER) != 0;
	work.device = (uint32_t)kernel->device;
	work.context = (uint32_t)kernel->context;
	work.stream = (uint32_t)kernel->stream;
	work.graph = (uint32_t)kernel->graph;
	work.grid[0] = (uint32_t)kernel->grid_x;
	work.grid[1] = (uint32_t)kernel->grid_y;
	work.grid[2] = (uint32_t)kernel->grid_z;
	work.block[0] = (uint32_t)kernel->block_x;
	work.block[1] = (uint32_t)kernel->block_y;
	work.block[2] = (uint32_t)kernel->block_z;
	work.shared_bytes = (uint32_t)kernel->shared_bytes;
	work.registers = (uint32_t)kernel->registers;
	gpu_work_put_work(mine, event, &work);
}

static void gpu_work_take_copy(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_copy *copy = EVENT_AS(gpu_copy, &event->event);
	struct gpu_work work = gpu_work_work_of(event, GPU_WORK_COPY, copy->correlation);

	(void)counts;
	work.what = copy->kind < UINT8_MAX ? (uint32_t)copy->kind : 0;
	work.device = (uint32_t)copy->device;
	work.context = (uint32_t)copy->context;
	work.stream = (uint32_t)copy->stream;
	work.graph = (uint32_t)copy->graph;
	work.bytes = copy->bytes;
	work.from_memory = (uint32_t)copy->source_memory;
	work.to_memory = (uint32_t)copy->destination_memory;
	work.is_asynchronous = copy->asynchronous != 0;
	gpu_work_put_work(state, event, &work);
}

static void take_set(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_set *set = EVENT_AS(gpu_set, &event->event);
	struct gpu_work work = gpu_work_work_of(event, GPU_WORK_SET, set->correlation);

	(void)counts;
	work.device = (uint32_t)set->device;
	work.context = (uint32_t)set->context;
	work.stream = (uint32_t)set->stream;
	work.graph = (uint32_t)set->graph;
	work.to_memory = (uint32_t)set->memory;
	work.bytes = set->bytes;
	gpu_work_put_work(state, event, &work);
}

static void gpu_work_take_wait(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_wait *wait = EVENT_AS(gpu_wait, &event->event);
	struct gpu_work work = gpu_work_work_of(event, GPU_WORK_WAIT, wait->correlation);

	(void)counts;
	work.what = (uint32_t)wait->kind;
	work.context = (uint32_t)wait->context;
	work.stream = (uint32_t)wait->stream;
	gpu_work_put_work(state, event, &work);
}

static void gpu_work_take_cupti(void *state, const struct source_event *event, bool counts)
{
	struct gpu_work_state *mine = state;
	uint64_t what = EVENT_AS(gpu_cupti, &event->event)->state;

	(void)counts;
	if (what == EVT_GPU_STARTED)
		works_note_deferred(mine->works);
	if (what == EVT_GPU_DETACHED) /* CUPTI counts from 1 when it comes back */
		deferred_renumber(mine->deferred, event->process->index);
}

/* --- work that threads launched --- */

static void count_work(void *state, uint64_t place, const struct deferred_work *work)
{
	struct gpu_work_state *mine = state;
	struct work *thread, *process;

	(void)place;
	if (!work->is_on_device)
		return;
	thread = works_deferred_at_thread(mine->works, work->thread);
	process = works_deferred_at_process(mine->works, work->process);
	thread->gpu_ns += work->duration_ns;
	thread->gpu_ops++;
	process->gpu_ns += work->duration_ns;
	process->gpu_ops++;
}

static void gpu_work_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener counting = { .take = count_work };
	struct gpu_work_state *mine = state;

	(void)options;
	mine->source = run_source(run);
	mine->works = works_provide(run);
	mine->deferred = deferred_provide(run, sizeof(struct gpu_work));
	kernel_classes_init(&mine->classes, mine->source);
	deferred_listen(mine->deferred, &counting, mine);
	run_reads(run, EVT_cuda_launch,
		  FIELD_BIT(cuda_launch, duration_ns) | FIELD_BIT(cuda_launch, correlation),
		  gpu_work_take_launch, mine);
	run_reads(run, EVT_cuda_copy,
		  FIELD_BIT(cuda_copy, duration_ns) | FIELD_BIT(cuda_copy, correlation),
		  gpu_work_take_copy_call, mine);
	run_reads(run, EVT_cuda_call,
		  FIELD_BIT(cuda_call, duration_ns) | FIELD_BIT(cuda_call, correlation),
		  take_other_call, mine);
	run_reads(run, EVT_gpu_call, FIELDS_ALL, gpu_work_take_hidden_call, mine);
	run_reads(run, EVT_gpu_kernel, FIELDS_ALL, gpu_work_take_kernel, mine);
	run_reads(run, EVT_gpu_copy, FIELDS_ALL, gpu_work_take_copy, mine);
	run_reads(run, EVT_gpu_set, FIELDS_ALL, take_set, mine);
	run_reads(run, EVT_gpu_wait, FIELDS_ALL, gpu_work_take_wait, mine);
	run_reads(run, EVT_gpu_cupti, FIELD_BIT(gpu_cupti, state), gpu_work_take_cupti, mine);
	/* without this, work of calls beyond the selection would have no call */
	run_follows(run, mine);
}

static void gpu_work_release(void *state)
{
	struct gpu_work_state *mine = state;

	kernel_classes_release(&mine->classes);
	free(mine->held);
}

const struct analysis_kind analysis_gpu_work = {
	.name = "gpu work",
	.state_bytes = sizeof(struct gpu_work_state),
	.start = gpu_work_start,
	.settle = gpu_work_settle,
	.release = gpu_work_release,
};

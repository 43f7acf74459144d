/* SPDX-License-Identifier: MIT */
/* Adds up what the GPU did for each step of the loop. */
#include "report/advice/gpu_evidence.h"
#include "report/gpu/gpu_work.h"

#include <stdlib.h>
#include <string.h>

#include "report/advice/evidence_events.h"
#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/core/key.h"
#include "report/core/selection.h"
#include "report/gpu/gpu.h"
#include "report/gpu/kernel_class.h"
#include "report/torch/op_costs.h"

#define MEMORY_PAGEABLE 1u /* CUpti_ActivityMemoryKind */
#define TO_DEVICE 1u       /* CUpti_ActivityMemcpyKind */
#define TO_HOST 2u
#define MAJOR_OF_TENSOR_CORES 7u /* compute capability of Volta */
#define DEVICES_MAX 64u
#define OPERATORS_AROUND 16u

struct gpu_evidence_state {
	struct gpu_evidence gpu; /* first: it is what others see */
	struct source *source;
	struct evidence *evidence;
	const struct selection *filters;
	const void *operators; /* of key_kind_op */
	struct map steps;      /* process << 40 | number, + 1, to place in `step` */
	struct map works;      /* key of an operator to enum op_work */
	struct map functions;  /* name of a CUDA function to whether it blocks, + 1 */
	struct kernel_classes classes;
	uint64_t has_tensor_cores; /* a bit a device */
};

/* --- steps --- */

static uint64_t step_key(uint32_t process, uint64_t number)
{
	return ((uint64_t)process << 40 | number) + 1;
}

const struct gpu_evidence_step *gpu_evidence_step_of(const struct gpu_evidence *gpu,
						     uint32_t process, uint64_t number)
{
	const struct gpu_evidence_state *mine = (const void *)gpu;
	const struct map_entry *entry = number >> 40
						? NULL
						: map_find(&mine->steps, step_key(process, number));

	return entry ? &gpu->step[entry->value] : NULL;
}

/* Returns the open step of the event's process; SIZE_MAX if none is open or it is warm-up. */
static size_t step_of(struct gpu_evidence_state *mine, const struct source_event *event)
{
	struct gpu_evidence *gpu = &mine->gpu;
	uint32_t process = event->process->index;
	const struct evidence_process *at;
	struct map_entry *entry;
	bool added;

	if (process >= mine->evidence->process_room)
		return SIZE_MAX;
	at = &mine->evidence->process[process];
	if (!at->under_way || at->number < EVIDENCE_SETTLED || at->number >> 40)
		return SIZE_MAX;
	entry = map_put(&mine->steps, step_key(process, at->number), &added);
	if (!added)
		return entry->value;
	gpu->step = memory_room(gpu->step, gpu->step_count, &gpu->step_room, sizeof(*gpu->step));
	gpu->step[gpu->step_count] = (struct gpu_evidence_step){ .process = process,
								 .number = at->number };
	entry->value = gpu->step_count++;
	return entry->value;
}

/* --- places of calls: step + 1, four times, and what operators around it do --- */

/* Of those around a call, the last in the list counts. */
enum op_work { OP_WORK_NONE, OP_WORK_CLONE, OP_WORK_BACKWARD, OP_WORK_PRODUCT };

static enum op_work op_work_of(struct gpu_evidence_state *mine, uint64_t operator)
{
	bool added;
	struct map_entry *known = map_put(&mine->works, operator, & added);
	size_t length;
	const char *text;

	if (!added)
		return (enum op_work)known->value;
	text = key_kind_op.text(mine->operators, operator, & length);
	known->value = op_is_product(text, length)                     ? OP_WORK_PRODUCT
		       : text_begins(text, length, "autograd::engine") ? OP_WORK_BACKWARD
		       : text_is(text, length, "aten::clone")          ? OP_WORK_CLONE
								       : OP_WORK_NONE;
	return (enum op_work)known->value;
}

static enum op_work op_work_around(struct gpu_evidence_state *mine,
				   const struct source_event *event)
{
	uint64_t around[OPERATORS_AROUND];
	unsigned int count = key_kind_op.around(mine->operators, event, around, OPERATORS_AROUND);
	enum op_work most = OP_WORK_NONE;

	for (unsigned int i = 0; i < count; i++) {
		enum op_work work = op_work_of(mine, around[i]);

		most = work > most ? work : most;
	}
	return most;
}

static uint64_t gpu_evidence_place_of(void *state, const struct source_event *event, bool counts)
{
	struct gpu_evidence_state *mine = state;
	size_t step = counts ? step_of(mine, event) : SIZE_MAX;

	if (step == SIZE_MAX)
		return DEFERRED_NOTHING;
	return (uint64_t)(step + 1) << 2 | op_work_around(mine, event);
}

/* --- work --- */

/*
 * Decides by the kernel's name alone, or by a name that says how it multiplies, together with a GPU
 * that could do it otherwise.
 */
static bool is_on_recent_gpu(const struct gpu_evidence_state *mine, uint64_t device,
			     unsigned int classes)
{
	if (classes & KERNEL_IS_OF_RECENT_GPU)
		return true;
	return (classes & KERNEL_IS_SIMT) && device < DEVICES_MAX &&
	       (mine->has_tensor_cores >> device & 1);
}

static void take_limits(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_limits *limits = EVENT_AS(gpu_limits, &event->event);
	struct gpu_evidence_state *mine = state;

	(void)counts;
	if (limits->device < DEVICES_MAX && limits->major >= MAJOR_OF_TENSOR_CORES)
		mine->has_tensor_cores |= (uint64_t)1 << limits->device;
}

static void take_kernel(struct gpu_evidence_state *mine, struct gpu_evidence_work *sum,
			const struct deferred_work *work, enum op_work of)
{
	const struct gpu_work *piece = gpu_work_of(work);
	uint64_t call_ns = work->call_end_ns - work->call_start_ns;
	unsigned int classes = kernel_classes_of(&mine->classes, piece->what);

	if (piece->is_communication)
		return;
	sum->kernels++;
	sum->graph_kernels += piece->graph != 0;
	sum->kernel_ns += work->duration_ns;
	if (classes & KERNEL_IS_DOUBLE)
		sum->double_ns += work->duration_ns;
	if (piece->uses_tensor_cores)
		sum->tensor_core_ns += work->duration_ns;
	if (of == OP_WORK_PRODUCT && !piece->is_helper) {
		sum->product_ns += work->duration_ns;
		sum->recent_ns += is_on_recent_gpu(mine, piece->device, classes) ? work->duration_ns
										 : 0;
	}
	/* the launch of a graph is one call for many kernels */
	if (!piece->graph && work->duration_ns < call_ns) {
		sum->short_kernels++;
		sum->short_by_ns += call_ns - work->duration_ns;
	}
}

static void gpu_evidence_take_copy(struct gpu_evidence_work *sum, const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	bool is_to_device = piece->what == TO_DEVICE, is_to_host = piece->what == TO_HOST;
	uint32_t host_memory = is_to_device ? piece->from_memory : piece->to_memory;

	if (!piece->is_asynchronous || (!is_to_device && !is_to_host))
		return;
	sum->copies++;
	if (host_memory != MEMORY_PAGEABLE)
		return;
	sum->pageable++;
	sum->pageable_bytes += piece->bytes;
	sum->pageable_ns += work->call_end_ns - work->call_start_ns;
}

static void take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	struct gpu_evidence_state *mine = state;
	struct gpu_evidence_work *sum;

	if (place == DEFERRED_NOTHING)
		return;
	sum = &mine->gpu.step[(place >> 2) - 1].work;
	if (piece->kind == GPU_WORK_KERNEL)
		take_kernel(mine, sum, work, place & 3);
	else if (piece->kind == GPU_WORK_COPY)
		gpu_evidence_take_copy(sum, work);
	if ((place & 3) == OP_WORK_CLONE) {
		sum->clones++;
		sum->clones_ns += work->duration_ns;
	}
}

/* --- sums (INTERCEPT_GPU=sums) --- */

static void gpu_evidence_take_kernel_sum(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_kernel_sum *sum = EVENT_AS(gpu_kernel_sum, &event->event);
	struct gpu_evidence_state *mine = state;
	struct gpu_evidence_sums *sums = &mine->gpu.sums;
	unsigned int classes = kernel_classes_of(&mine->classes,
						 event_name(mine->source, event, sum->kernel));

	(void)counts;
	if (!sum->settled || mine->filters->any || (classes & KERNEL_IS_COMMUNICATION))
		return;
	sums->kernel_ns += sum->total_ns;
	if (classes & KERNEL_USES_TENSOR_CORES)
		sums->tensor_core_ns += sum->total_ns;
	if (classes & KERNEL_IS_DOUBLE)
		sums->double_ns += sum->total_ns;
	if ((classes & KERNEL_IS_SIMT) && is_on_recent_gpu(mine, sum->device, classes))
		sums->plain_ns += sum->total_ns;
}

static void copies_add(struct gpu_evidence_copies *to, const struct evt_gpu_copy_sum *sum)
{
	to->copies += sum->count;
	to->bytes += sum->bytes;
	to->ns += sum->total_ns;
}

static void gpu_evidence_take_copy_sum(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_copy_sum *sum = EVENT_AS(gpu_copy_sum, &event->event);
	struct gpu_evidence_state *mine = state;
	struct gpu_evidence_sums *sums = &mine->gpu.sums;

	(void)counts;
	if (!sum->settled || mine->filters->any || sum->kind == GPU_KIND_SET)
		return;
	copies_add(&sums->all, sum);
	if (sum->kind == TO_HOST)
		copies_add(&sums->to_host, sum);
	if (sum->kind != TO_DEVICE)
		return;
	copies_add(&sums->to_device, sum);
	if (sum->settled == 1 + MEMORY_PAGEABLE)
		copies_add(&sums->pageable, sum);
}

/* --- calls that block --- */

static bool gpu_evidence_blocks(struct gpu_evidence_state *mine, const struct source_event *event)
{
	uint32_t name = event_name(mine->source, event,
				   EVENT_AS(cuda_copy, &event->event)->function);
	const struct source_name *text = source_name_at(mine->source, name);
	struct map_entry *known;
	bool added;

	if (!text->text)
		return false;
	known = map_put(&mine->functions, (uint64_t)name + 1, &added);
	if (added)
		known->value = !memmem(text->text, text->length, "Async", strlen("Async"));
	return known->value;
}

static void take_copy_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_copy *copy = EVENT_AS(cuda_copy, &event->event);
	struct gpu_evidence_state *mine = state;
	struct gpu_evidence_work *sum;
	size_t step;

	if (!counts || copy->result || event_is_nested_call(&event->event) ||
	    !gpu_evidence_blocks(mine, event))
		return;
	step = step_of(mine, event);
	if (step == SIZE_MAX)
		return;
	sum = &mine->gpu.step[step].work;
	if (copy->kind == EVT_CUDA_COPY_MEMSET) {
		sum->blocking_sets++;
		sum->blocking_sets_ns += copy->duration_ns;
		return;
	}
	sum->blocking_copies++;
	sum->blocking_bytes += copy->bytes;
	sum->blocking_ns += copy->duration_ns;
}

/* --- the analysis --- */

static void gpu_evidence_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .place = gpu_evidence_place_of,
							   .take = take_work };
	struct gpu_evidence_state *mine = state;

	(void)options;
	mine->source = run_source(run);
	mine->evidence = evidence_want(run, NULL);
	mine->filters = run_filters(run);
	mine->operators = key_kind_op.start(run);
	map_init(&mine->steps);
	map_init(&mine->works);
	map_init(&mine->functions);
	kernel_classes_init(&mine->classes, mine->source);
	mine->gpu.deferred = deferred_want(run);
	deferred_listen(mine->gpu.deferred, &listener, mine);
	run_reads(run, EVT_cuda_copy, FIELDS_ALL, take_copy_call, mine);
	run_reads(run, EVT_gpu_limits, FIELDS_ALL, take_limits, mine);
	run_reads(run, EVT_gpu_kernel_sum, FIELDS_ALL, gpu_evidence_take_kernel_sum, mine);
	run_reads(run, EVT_gpu_copy_sum, FIELDS_ALL, gpu_evidence_take_copy_sum, mine);
}

/* Only steps that were recorded as a whole count. */
static void gpu_evidence_finish(void *state)
{
	struct gpu_evidence_state *mine = state;

	for (size_t i = 0; i < mine->gpu.step_count; i++) {
		const struct gpu_evidence_step *step = &mine->gpu.step[i];

		if (!evidence_sample_of(mine->evidence, step->process, step->number))
			continue;
		mine->gpu.steps++;
#define FIELD(name) mine->gpu.work.name += step->work.name;
		GPU_EVIDENCE_WORK(FIELD)
#undef FIELD
	}
}

static void gpu_evidence_release(void *state)
{
	struct gpu_evidence_state *mine = state;

	map_release(&mine->steps);
	map_release(&mine->works);
	map_release(&mine->functions);
	kernel_classes_release(&mine->classes);
	free(mine->gpu.step);
}

const struct analysis_kind analysis_gpu_evidence = {
	.name = "gpu evidence",
	.state_bytes = sizeof(struct gpu_evidence_state),
	.options_bytes = sizeof(struct gpu_evidence_options),
	.start = gpu_evidence_start,
	.finish = gpu_evidence_finish,
	.release = gpu_evidence_release,
};

/* SPDX-License-Identifier: MIT */
/* Memory of tensors on its way to the model: see model_tensors.h. */
#include "report/tensors/model_tensors.h"

#include <string.h>

#include "report/torch/model_torch.h"

/* Operators that only allocate: who asked for it is the one around them. */
static bool name_only_allocates(const struct source_name *name)
{
	static const char *const names[] = { "aten::empty", "aten::empty_strided" };

	for (size_t i = 0; name->text && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name->text, names[i]))
			return true;
	return false;
}

/* The key of the innermost operator, and those of what is around it. */
static void key_by_op(struct model *model, const struct source_event *event, struct tensor_op *op,
		      uint64_t outer[TENSOR_OUTER_MAX])
{
	uint32_t name[TENSOR_OUTER_MAX];
	unsigned int count = operators_chain(&model->operators, event->thread->index, name,
					     TENSOR_OUTER_MAX);

	op->key = 0;
	if (!count)
		return;
	for (unsigned int i = 1; i < count; i++)
		outer[i - 1] = tensor_key_of_names((uint64_t)name[i] + 1, 0);
	op->outer = outer;
	op->outer_count = count - 1;
	op->key = tensor_key_of_names(
		(uint64_t)name[0] + 1,
		count > 1 && name_only_allocates(source_name_at(model->source, name[0]))
			? (uint64_t)name[1] + 1
			: 0);
}

static void key_by_range(struct model *model, const struct source_event *event,
			 struct tensor_op *op)
{
	uint32_t domain, name;

	if (ranges_innermost(&model->ranges, event->thread->index, &domain, &name))
		op->key = ((uint64_t)domain + 1) << 32 | ((uint64_t)name + 1);
}

static void find_key(struct model *model, const struct source_event *event, struct tensor_op *op,
		     uint64_t outer[TENSOR_OUTER_MAX])
{
	switch (model->tensors.by) {
	case TENSORS_BY_OP:
		key_by_op(model, event, op, outer);
		break;
	case TENSORS_BY_RANGE:
		key_by_range(model, event, op);
		break;
	case TENSORS_BY_THREAD:
		op->key = event->thread->index;
		break;
	case TENSORS_BY_DEVICE:
	case TENSORS_BY_SIZE:
		break;
	}
}

static void tell_operators(struct model *model, const struct source_event *event, uint64_t device,
			   uint64_t bytes)
{
	struct operator_work work = { 0 };

	if (device)
		work.device_bytes = bytes;
	else
		work.cpu_bytes = bytes;
	model->operators.has_memory = true;
	operators_note(&model->operators, event->thread->index, &work);
}

static void take_block(struct model *model, const struct source_event *event, bool counts)
{
	const struct evt_tensor_alloc *fields = EVENT_AS(tensor_alloc, &event->event);
	bool begins = event->event.id == EVT_tensor_alloc;
	uint64_t outer[TENSOR_OUTER_MAX], bytes = fields->bytes;
	struct tensor_op op = {
		.time_ns = event->event.time_ns,
		.address = fields->ptr,
		.bytes = bytes,
		.device = fields->device,
		.process = event->process->index,
		.thread = event->thread->index,
		.counts = counts,
	};

	if (model->options.wants_tensors)
		find_key(model, event, &op, outer);
	if (begins)
		tensors_allocate(&model->tensors, &op);
	else
		bytes = tensors_free(&model->tensors, &op);
	if (model->options.wants_evidence)
		evidence_tensors(&model->evidence, op.process, begins ? bytes : -bytes);
	if (model->options.wants_operators)
		tell_operators(model, event, fields->device, begins ? bytes : -bytes);
}

_Static_assert(offsetof(struct evt_tensor_alloc, ptr) == offsetof(struct evt_tensor_free, ptr) &&
		       offsetof(struct evt_tensor_alloc, bytes) ==
			       offsetof(struct evt_tensor_free, bytes) &&
		       offsetof(struct evt_tensor_alloc, device) ==
			       offsetof(struct evt_tensor_free, device),
	       "both are read as the first");

/* The allocator has given back what it could before it gave up. */
static void take_failure(struct model *model, const struct source_event *event, bool counts)
{
	const struct evt_tensor_oom *oom = EVENT_AS(tensor_oom, &event->event);

	if (oom->device)
		tensors_reserve(&model->tensors, event->process->index, oom->device, oom->reserved);
	if (counts)
		tensors_fail(&model->tensors, oom->device);
}

void model_take_tensors(struct model *model, const struct source_event *event, bool counts)
{
	if (!model->options.wants_tensors && !model->options.wants_operators)
		return;
	switch (event->event.id) {
	case EVT_tensor_alloc:
	case EVT_tensor_free:
		take_block(model, event, counts);
		break;
	case EVT_tensor_totals: {
		const struct evt_tensor_totals *totals = EVENT_AS(tensor_totals, &event->event);

		tensors_reserve(&model->tensors, event->process->index, totals->device,
				totals->reserved);
		break;
	}
	case EVT_tensor_oom:
		take_failure(model, event, counts);
		break;
	}
}

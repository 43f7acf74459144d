/* SPDX-License-Identifier: MIT */
/* Events on their way to what advice rests on: see model_evidence.h. */
#include "report/advice/model_evidence.h"

#include "report/core/cut.h"

#define SCOPE_OF_CALL 15u /* beside at::RecordScope */

static enum evidence_kind look_at_name(const struct source_name *name, uint64_t scope)
{
	return scope == SCOPE_OF_CALL ? evidence_kind_of_call(name->text, name->length)
				      : evidence_kind_of(name->text, name->length, scope);
}

/* A name is looked at once, but for one whose text is still to come. */
static enum evidence_kind kind_of(struct model *model, const struct source_event *event,
				  uint64_t id, uint64_t scope)
{
	uint32_t index = model_name(model, event, id);
	const struct source_name *name = source_name_at(model->source, index);
	struct map_entry *known;
	bool added;

	if (!name->text)
		return evidence_kind_of("", 0, scope);
	known = map_put(&model->evidence_kinds, ((uint64_t)index << 4 | (scope & 15)) + 1, &added);
	if (added)
		known->value = look_at_name(name, scope);
	return (enum evidence_kind)known->value;
}

static void take_scope(struct model *model, const struct source_event *event)
{
	struct nest_place place = event_place(event);
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	bool is_ex = event->event.id == EVT_torch_begin_ex;
	struct evidence_opening opening = { .place = place };

	if (event->event.id == EVT_torch_end) {
		evidence_close(&model->evidence, place);
		return;
	}
	opening.kind = kind_of(model, event, begin->name, is_ex ? begin->scope : 0);
	opening.name = model_name(model, event, begin->name);
	opening.records_gradient = is_ex && begin->sequence >= 0;
	evidence_open(&model->evidence, &opening);
}

static void take_named_end(struct model *model, const struct source_event *event)
{
	const struct evt_torch_end_ex *end = EVENT_AS(torch_end_ex, &event->event);
	struct nest_place place = event_place(event);

	if (!end->thread)
		evidence_close_one(&model->evidence, place,
				   kind_of(model, event, end->name, OPERATOR_SCOPE_USER));
}

static void take_copy(struct model *model, const struct source_event *event, bool waits)
{
	const struct evt_cuda_copy *copy = EVENT_AS(cuda_copy, &event->event);
	struct evidence_copy made = { copy->source, copy->bytes, copy->duration_ns };

	if (waits)
		evidence_wait(&model->evidence, event->process->index, copy->duration_ns);
	else if (copy->kind == EVT_CUDA_COPY_HTOD && copy->source)
		evidence_copy(&model->evidence, event->process->index, &made);
}

static void take_alloc(struct model *model, const struct source_event *event)
{
	const struct evt_cuda_alloc *alloc = EVENT_AS(cuda_alloc, &event->event);

	if (alloc->kind == EVT_CUDA_DEVICE)
		evidence_device_memory(&model->evidence, event->process->index, alloc->duration_ns);
	else if (device_kind_is_host(alloc->kind) && !alloc->result)
		evidence_pin(&model->evidence, event->process->index, alloc->address, alloc->bytes);
}

static void take_free(struct model *model, const struct source_event *event)
{
	const struct evt_cuda_free *freed = EVENT_AS(cuda_free, &event->event);

	if (device_kind_is_host(freed->kind))
		evidence_unpin(&model->evidence, event->process->index, freed->address);
	else if (freed->kind == EVT_CUDA_ANY || freed->kind == EVT_CUDA_DEVICE)
		evidence_device_memory(&model->evidence, event->process->index, freed->duration_ns);
}

static void take_call(struct model *model, const struct source_event *event)
{
	const struct evt_cuda_call *call = EVENT_AS(cuda_call, &event->event);
	bool waits;

	if (cuda_is_nested(&event->event))
		return;
	waits = kind_of(model, event, call->function, SCOPE_OF_CALL) == EVIDENCE_WAITS;
	if (event->event.id == EVT_cuda_copy)
		take_copy(model, event, waits);
	else if (event->event.id == EVT_cuda_alloc)
		take_alloc(model, event);
	else if (event->event.id == EVT_cuda_free)
		take_free(model, event);
	else if (waits)
		evidence_wait(&model->evidence, event->process->index, call->duration_ns);
}

void model_take_evidence(struct model *model, const struct source_event *event, bool counts)
{
	switch (event->event.id) {
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
	case EVT_torch_end:
		take_scope(model, event);
		break;
	case EVT_torch_end_ex:
		take_named_end(model, event);
		break;
	case EVT_cuda_call:
	case EVT_cuda_copy:
	case EVT_cuda_alloc:
	case EVT_cuda_free:
		take_call(model, event);
		break;
	case EVT_step:
		evidence_step(&model->evidence, event_place(event),
			      &(struct evidence_mark){
				      EVENT_AS(step, &event->event)->number,
				      model->heap ? heap_live_bytes(model->heap) : 0, counts });
		break;
	case EVT_capture_start:
	case EVT_capture_stop:
		evidence_interrupt(&model->evidence, event->process->index);
		break;
	}
}

void model_take_fact(struct model *model, const struct source_event *event)
{
	const struct evt_fact *fact = EVENT_AS(fact, &event->event);
	uint64_t time_ns = event->event.time_ns;

	environment_add(
		&model->environment,
		&(struct environment_row){ source_name_of(model->source, event->file, fact->key),
					   source_name_of(model->source, event->file, fact->value),
					   time_ns > fact->age_ns ? time_ns - fact->age_ns : 0,
					   event->process->index });
}

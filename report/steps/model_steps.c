/* SPDX-License-Identifier: MIT */
/* Events that make up steps: see model_steps.h. */
#include "report/steps/model_steps.h"

#include <string.h>

#include "report/core/cut.h"

#define PROFILER_STEP "ProfilerStep" /* what preload calls a step of torch.profiler */

/* A name is looked at once, but for one whose text is still to come. */
static enum step_category scope_category(struct model *model, const struct source_event *event)
{
	bool is_ex = event->event.id == EVT_torch_begin_ex, added;
	uint64_t scope = is_ex ? EVENT_AS(torch_begin_ex, &event->event)->scope
			 : event->event.id == EVT_torch_end_ex ? OPERATOR_SCOPE_USER
							       : 0;
	uint32_t index = model_name(model, event, event->event.value[0]);
	const struct source_name *name = source_name_at(model->source, index);
	struct map_entry *known;

	if (!name->text)
		return step_category_of("", 0, scope);
	known = map_put(&model->step_categories, ((uint64_t)index << 4 | (scope & 15)) + 1, &added);
	if (added)
		known->value = step_category_of(name->text, name->length, scope);
	return (enum step_category)known->value;
}

static void take_mark(struct model *model, const struct source_event *event, bool counts)
{
	const struct evt_step *step = EVENT_AS(step, &event->event);
	struct step_mark mark = { .number = step->number,
				  .name = model_name(model, event, step->name),
				  .counts = counts };
	const struct source_name *name = source_name_at(model->source, mark.name);

	mark.may_be_rest = name->text && !strcmp(name->text, PROFILER_STEP);
	steps_mark(&model->steps, event_place(event), &mark);
}

static bool name_matches(struct model *model, const struct source_event *event, uint64_t id)
{
	const struct source_name *name = source_name_at(model->source,
							model_name(model, event, id));

	return step_ranges_match(&model->step_ranges, name->text, name->length);
}

/* A range of that name opens or closes; `id` is its name's, 0 when it is not told. */
static void take_own_mark(struct model *model, const struct source_event *event, uint64_t id,
			  bool counts)
{
	struct nest_place place = event_place(event);
	struct step_mark mark = { .number = steps_next_number(&model->steps, place.process),
				  .name = model_name(model, event, id),
				  .counts = counts };

	steps_mark(&model->steps, place, &mark);
}

/* The domain of an NVTX event, or what stands for one. */
static uint32_t event_domain(struct model *model, const struct source_event *event)
{
	return event->event.id >= EVT_torch_begin ? STEP_DOMAIN_TORCH
						  : model_name(model, event, event->event.value[0]);
}

/* --step NAME: the steps that were recorded as such say nothing. */
static void take_ranges(struct model *model, const struct source_event *event, bool counts)
{
	struct step_ranges *ranges = &model->step_ranges;
	struct nest_place place = event_place(event);
	uint32_t domain;
	uint64_t name = 0;
	bool ends = false, opens = false;

	switch (event->event.id) {
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
	case EVT_nvtx_push:
	case EVT_nvtx_push_ex:
		domain = event_domain(model, event);
		name = event->event.value[domain != STEP_DOMAIN_TORCH];
		opens = name_matches(model, event, name);
		step_ranges_push(ranges, place, domain, opens);
		break;
	case EVT_torch_end:
	case EVT_nvtx_pop:
		domain = event_domain(model, event);
		ends = step_ranges_pop(ranges, place, domain);
		break;
	case EVT_torch_end_ex:
		if (EVENT_AS(torch_end_ex, &event->event)->thread)
			break; /* it is of another thread */
		name = EVENT_AS(torch_end_ex, &event->event)->name;
		ends = step_ranges_pop_one(ranges, place, name_matches(model, event, name));
		break;
	case EVT_nvtx_start:
		name = EVENT_AS(nvtx_start, &event->event)->name;
		opens = name_matches(model, event, name);
		if (opens)
			step_ranges_start(ranges, place.process,
					  EVENT_AS(nvtx_start, &event->event)->range);
		break;
	case EVT_nvtx_end:
		ends = step_ranges_end(ranges, place.process,
				       EVENT_AS(nvtx_end, &event->event)->range);
		break;
	case EVT_capture_start:
	case EVT_capture_stop:
		step_ranges_forget(ranges, place.process);
		break;
	}
	if (ends || (opens && step_ranges_begin(ranges, place.process)))
		take_own_mark(model, event, name, counts);
}

void model_take_steps(struct model *model, const struct source_event *event, bool counts)
{
	struct nest_place place = event_place(event);

	if (model->step_ranges.name)
		take_ranges(model, event, counts);
	switch (event->event.id) {
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
		steps_open(&model->steps, place, scope_category(model, event));
		break;
	case EVT_torch_end:
		steps_close(&model->steps, place);
		break;
	case EVT_torch_end_ex:
		if (!EVENT_AS(torch_end_ex, &event->event)->thread)
			steps_close_one(&model->steps, place, scope_category(model, event));
		break;
	case EVT_cuda_call:
	case EVT_cuda_launch:
	case EVT_cuda_copy:
	case EVT_cuda_alloc:
	case EVT_cuda_free:
		if (!cuda_is_nested(&event->event))
			steps_span(&model->steps, place, STEP_runtime,
				   EVENT_AS(cuda_call, &event->event)->duration_ns);
		break;
	case EVT_step:
		if (!model->step_ranges.name)
			take_mark(model, event, counts);
		break;
	case EVT_capture_start:
	case EVT_capture_stop:
		steps_interrupt(&model->steps, place);
		break;
	}
}

/* SPDX-License-Identifier: MIT */
/* Events that make up steps: see model_steps.h. */
#include "report/model_steps.h"

/* A name is looked at once, but for one whose text is still to come. */
static enum step_category scope_category(struct model *model, const struct source_event *event)
{
	bool is_ex = event->event.id == EVT_torch_begin_ex, added;
	uint64_t scope = is_ex ? EVENT_AS(torch_begin_ex, &event->event)->scope : 0;
	uint32_t index = model_name(model, event, event->event.value[0]);
	const struct source_name *name = model->name[index];
	struct map_entry *known;

	if (!name->text)
		return step_category_of("", 0, scope);
	known = map_put(&model->step_categories, ((uint64_t)index << 4 | (scope & 15)) + 1, &added);
	if (added)
		known->value = step_category_of(name->text, name->length, scope);
	return (enum step_category)known->value;
}

static void take_mark(struct model *model, const struct source_event *event,
		      const struct step_place *place, bool counts)
{
	const struct evt_step *step = EVENT_AS(step, &event->event);
	struct step_mark mark = { .number = step->number,
				  .name = model_name(model, event, step->name),
				  .counts = counts };

	steps_mark(&model->steps, place, &mark);
}

void model_take_steps(struct model *model, const struct source_event *event, bool counts)
{
	struct step_place place = { event->event.time_ns, event->process->index,
				    event->thread->index };

	switch (event->event.id) {
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
		steps_open(&model->steps, &place, scope_category(model, event));
		break;
	case EVT_torch_end:
		steps_close(&model->steps, &place);
		break;
	case EVT_cuda_call:
	case EVT_cuda_launch:
	case EVT_cuda_copy:
	case EVT_cuda_alloc:
	case EVT_cuda_free:
		if (!cuda_is_nested(&event->event))
			steps_call(&model->steps, &place,
				   EVENT_AS(cuda_call, &event->event)->duration_ns);
		break;
	case EVT_step:
		take_mark(model, event, &place, counts);
		break;
	case EVT_capture_start:
	case EVT_capture_stop:
		steps_interrupt(&model->steps, &place);
		break;
	}
}

/* SPDX-License-Identifier: MIT */
/* PyTorch's events on their way to the model: see model_torch.h. */
#include "report/torch/model_torch.h"

static struct action_event action_of(const struct source_event *event, bool counts)
{
	return (struct action_event){ .place = event_place(event), .counts = counts };
}

static void take_action(struct model *model, const struct source_event *event, bool counts)
{
	struct action_event action = action_of(event, counts);

	if (!model->options.wants_actions)
		return;
	action.name = model_name(model, event, EVENT_AS(action_begin, &event->event)->name);
	if (event->event.id == EVT_action_begin)
		actions_begin(&model->actions, &action);
	else
		actions_end(&model->actions, &action);
}

_Static_assert(sizeof(struct evt_action_begin) == sizeof(struct evt_action_end), "both are a name");

static void take_begin(struct model *model, const struct source_event *event, bool counts)
{
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	uint32_t name = model_name(model, event, begin->name);
	struct operator_opening opening = {
		.place = event_place(event),
		.scope = event->event.id == EVT_torch_begin_ex ? begin->scope : 0,
		.counts = counts,
	};

	opening.name = operator_name_of(&model->operator_names, name,
					operator_text_of(source_name_at(model->source, name)),
					&opening.hidden);
	if (!opening.hidden) {
		model_thread_at(model, opening.place.thread)->work[counts].operators++;
		model_process_at(model, opening.place.process)->work[counts].operators++;
	}
	if (model->options.wants_operators)
		operators_begin(&model->operators, &opening);
	if (model->options.wants_actions) {
		struct action_event action = action_of(event, counts);

		actions_begin_operator(&model->actions, &action,
				       opening.scope == OPERATOR_SCOPE_USER);
	}
}

_Static_assert(offsetof(struct evt_torch_begin, name) == offsetof(struct evt_torch_begin_ex, name),
	       "both begin with the name");

static void take_async_begin(struct model *model, const struct source_event *event, bool counts)
{
	const struct evt_torch_async_begin *begin = EVENT_AS(torch_async_begin, &event->event);
	uint32_t name = model_name(model, event, begin->name);
	struct operator_text text = operator_text_of(source_name_at(model->source, name));
	struct async_scope scope = {
		.opening = { .place = event_place(event),
			     .scope = OPERATOR_SCOPE_USER,
			     .counts = counts },
		.category = step_category_of(text.text ? text.text : "", text.length,
					     OPERATOR_SCOPE_USER),
	};

	scope.opening.name = operator_name_of(&model->operator_names, name, text,
					      &scope.opening.hidden);
	model_thread_at(model, scope.opening.place.thread)->work[counts].operators++;
	model_process_at(model, scope.opening.place.process)->work[counts].operators++;
	async_scopes_begin(&model->async_scopes, begin->function, &scope);
}

static void take_async_end(struct model *model, const struct source_event *event)
{
	struct nest_place place = event_place(event);
	struct async_scope scope;

	if (!async_scopes_end(&model->async_scopes, place.process,
			      EVENT_AS(torch_async_end, &event->event)->function, &scope))
		return;
	if (model->options.wants_operators)
		operators_add_apart(&model->operators, &scope.opening, place.time_ns);
	if (model->options.wants_steps && scope.category != STEP_NOTHING &&
	    place.time_ns > scope.opening.place.time_ns)
		steps_span(&model->steps, place, scope.category,
			   place.time_ns - scope.opening.place.time_ns);
}

static void take_inputs(struct model *model, const struct source_event *event)
{
	const struct evt_torch_inputs *given = EVENT_AS(torch_inputs, &event->event);
	struct nest_place place = event_place(event);
	struct operator_inputs inputs = { .shapes = model_name(model, event, given->shapes),
					  .integers = model_name(model, event, given->integers) };
	uint32_t name;

	inputs.shapes_text = operator_text_of(source_name_at(model->source, inputs.shapes));
	inputs.integers_text = operator_text_of(source_name_at(model->source, inputs.integers));
	if (operators_innermost(&model->operators, place.thread, &name))
		operators_describe(&model->operators, place.thread, inputs.shapes,
				   operator_flops_of(&model->operator_names, name, &inputs));
}

static void take_end(struct model *model, const struct source_event *event)
{
	struct nest_place place = event_place(event);
	const struct evt_torch_end_ex *end = EVENT_AS(torch_end_ex, &event->event);
	bool hidden, elsewhere = event->event.id == EVT_torch_end_ex && end->thread;
	uint32_t name;

	if (model->options.wants_actions && !elsewhere)
		actions_end_operator(&model->actions, place);
	if (!model->options.wants_operators)
		return;
	if (event->event.id == EVT_torch_end) {
		operators_end(&model->operators, place);
		return;
	}
	name = model_name(model, event, end->name);
	name = operator_name_of(&model->operator_names, name,
				operator_text_of(source_name_at(model->source, name)), &hidden);
	operators_end_named(&model->operators, place, name, elsewhere);
}

void model_take_torch(struct model *model, const struct source_event *event, bool counts)
{
	switch (event->event.id) {
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
		take_begin(model, event, counts);
		break;
	case EVT_torch_inputs:
		if (model->options.wants_operators)
			take_inputs(model, event);
		break;
	case EVT_torch_async_begin:
		take_async_begin(model, event, counts);
		break;
	case EVT_torch_async_end:
		take_async_end(model, event);
		break;
	case EVT_torch_sampling:
		if (EVENT_AS(torch_sampling, &event->event)->one_in > model->operators.one_in)
			model->operators.one_in = EVENT_AS(torch_sampling, &event->event)->one_in;
		break;
	case EVT_torch_end:
	case EVT_torch_end_ex:
		take_end(model, event);
		break;
	case EVT_action_begin:
	case EVT_action_end:
		take_action(model, event, counts);
		break;
	}
}

void model_note_range(struct model *model, const struct source_event *event, bool counts)
{
	struct action_event action = action_of(event, counts);

	if (model->options.wants_actions)
		actions_note_range(&model->actions, &action);
}

void model_note_cuda(struct model *model, const struct source_event *event,
		     const struct range_work *work)
{
	struct operator_work done = { .cuda_calls = work->cuda_calls,
				      .cuda_ns = work->cuda_ns,
				      .launches = work->launches };

	if (model->options.wants_operators)
		operators_note(&model->operators, event->thread->index, &done);
}

uint64_t model_operator(const struct model *model, const struct source_event *event)
{
	uint32_t name;

	if (!model->options.wants_operators ||
	    !operators_innermost(&model->operators, event->thread->index, &name))
		return 0;
	return (uint64_t)name + 1;
}

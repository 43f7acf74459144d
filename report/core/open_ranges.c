/* SPDX-License-Identifier: MIT */
/* Which ranges are open on threads: see open_ranges.h. */
#include "report/core/open_ranges.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/cut.h"

static void range_ended(void *state, const struct nest_end *end)
{
	struct open_ranges_nest *of = state;
	const struct open_ranges *ranges = of->ranges;

	if (ranges->ended)
		ranges->ended(ranges->state, &of->open[end->scope], end->thread,
			      of->nest.thread[end->thread].process);
}

void open_ranges_init(struct open_ranges *ranges, open_range_ended *ended, void *state)
{
	*ranges = (struct open_ranges){ .ended = ended, .state = state };
	for (int kind = 0; kind < OPEN_RANGE_KINDS; kind++) {
		struct open_ranges_nest *of = &ranges->of[kind];

		of->ranges = ranges;
		nest_init(&of->nest, (struct nest_options){ .is_keyed = kind == OPEN_RANGE_NVTX },
			  range_ended, of);
	}
}

void open_ranges_release(struct open_ranges *ranges)
{
	for (int kind = 0; kind < OPEN_RANGE_KINDS; kind++) {
		nest_release(&ranges->of[kind].nest);
		free(ranges->of[kind].open);
	}
}

static uint32_t name_of(struct source *source, const struct source_event *event, uint64_t id)
{
	return source_name_of(source, event->file, id)->index;
}

/* Names of labels and actions as keys; 0 is an operator's. */
static uint64_t key_of(uint32_t name)
{
	return (uint64_t)name + 1;
}

static struct open_range *range_put(struct open_ranges_nest *of, struct nest_place place,
				    uint64_t key, const struct open_range *range, bool is_hidden)
{
	uint32_t scope = nest_begin(&of->nest, place, key, is_hidden);

	if (scope >= of->room)
		of->open = memory_room(of->open, scope, &of->room, sizeof(*of->open));
	of->open[scope] = *range;
	return &of->open[scope];
}

/* Operators are followed because an end without a name is the innermost one's; they are no ranges. */
static struct open_range *take_torch(struct open_ranges *ranges, struct source *source,
				     const struct source_event *event)
{
	struct open_range range = { .kind = OPEN_RANGE_LABEL };
	bool is_label = event->event.id != EVT_torch_begin &&
			EVENT_AS(torch_begin_ex, &event->event)->scope == EVT_SCOPE_USER;
	struct open_range *open;

	if (is_label)
		range.name = name_of(source, event, event->event.value[0]);
	open = range_put(&ranges->of[OPEN_RANGE_LABEL], event_place(event),
			 is_label ? key_of(range.name) : 0, &range, !is_label);
	return is_label ? open : NULL;
}

struct open_range *open_ranges_take_opening(struct open_ranges *ranges, struct source *source,
					    const struct source_event *event)
{
	const uint64_t *value = event->event.value;
	struct open_range range = { .kind = OPEN_RANGE_NVTX };

	switch (event->event.id) {
	case EVT_nvtx_push:
	case EVT_nvtx_push_ex: /* domain and name come first */
		range.domain = name_of(source, event, value[0]);
		range.name = name_of(source, event, value[1]);
		return range_put(&ranges->of[OPEN_RANGE_NVTX], event_place(event), range.domain,
				 &range, false);
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
	case EVT_torch_begin_id:
		return take_torch(ranges, source, event);
	case EVT_action_begin:
		range.kind = OPEN_RANGE_ACTION;
		range.name = name_of(source, event, value[0]);
		return range_put(&ranges->of[OPEN_RANGE_ACTION], event_place(event),
				 key_of(range.name), &range, false);
	default:
		return NULL;
	}
}

void open_ranges_take_closing(struct open_ranges *ranges, struct source *source,
			      const struct source_event *event)
{
	struct nest_place place = event_place(event);
	uint64_t first = event->event.value[0];

	switch (event->event.id) {
	case EVT_nvtx_pop:
		(void)nest_end_key(&ranges->of[OPEN_RANGE_NVTX].nest, place,
				   name_of(source, event, first));
		break;
	case EVT_torch_end:
	case EVT_torch_end_outer:
		(void)nest_end(&ranges->of[OPEN_RANGE_LABEL].nest, place);
		break;
	case EVT_torch_end_ex:
	case EVT_torch_end_id:
		(void)nest_end_named(&ranges->of[OPEN_RANGE_LABEL].nest, place,
				     key_of(name_of(source, event, first)),
				     EVENT_AS(torch_end_ex, &event->event)->thread != 0);
		break;
	case EVT_action_end:
		(void)nest_end_key(&ranges->of[OPEN_RANGE_ACTION].nest, place,
				   key_of(name_of(source, event, first)));
		break;
	}
}

void open_ranges_cut(struct open_ranges *ranges, struct nest_place place, enum nest_ending how)
{
	for (int kind = 0; kind < OPEN_RANGE_KINDS; kind++)
		nest_cut(&ranges->of[kind].nest, place, how);
}

const struct open_range *open_ranges_innermost(const struct open_ranges *ranges, uint32_t thread)
{
	const struct open_range *innermost = NULL;
	uint64_t latest_ns = 0;

	for (int kind = 0; kind < OPEN_RANGE_KINDS; kind++) {
		const struct open_ranges_nest *of = &ranges->of[kind];
		uint32_t top = nest_innermost(&of->nest, thread);

		if (top == NEST_NONE || (innermost && of->nest.scope[top].start_ns < latest_ns))
			continue;
		innermost = &of->open[top];
		latest_ns = of->nest.scope[top].start_ns;
	}
	return innermost;
}

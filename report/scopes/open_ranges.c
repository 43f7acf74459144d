/* SPDX-License-Identifier: MIT */
/* Keeps a nest for each kind of range; the range that opened last is the innermost of all kinds. */
#include "report/scopes/open_ranges.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/scopes/cut.h"

static void open_ranges_range_ended(void *state, const struct nest_end *end)
{
	struct open_ranges_nest *of = state;
	const struct open_ranges *ranges = of->ranges;

	if (ranges->ended)
		ranges->ended(ranges->state, &of->open[end->scope], end->thread,
			      of->nest.thread[end->thread].process);
}

/* Returns whether every end of that kind names the range by a key. */
static bool is_keyed(enum evt_scope_kind kind)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		if (evt_roles[id].closes == kind && !evt_roles[id].key)
			return false;
	return true;
}

void open_ranges_init(struct open_ranges *ranges, open_range_ended *ended, void *state)
{
	*ranges = (struct open_ranges){ .ended = ended, .state = state };
	for (int kind = 0; kind < EVT_SCOPE_KIND_LIMIT; kind++) {
		struct open_ranges_nest *of = &ranges->of[ranges->count];

		if (!evt_scope_is_range((enum evt_scope_kind)kind, EVT_OWNER_thread))
			continue;
		ranges->of_kind[kind] = of;
		ranges->count++;
		of->ranges = ranges;
		nest_init(&of->nest,
			  (struct nest_options){
				  .is_keyed = is_keyed((enum evt_scope_kind)kind),
				  .by_generators = kind == EVT_SCOPE_KIND_nvtx_push,
			  },
			  open_ranges_range_ended, of);
	}
}

void open_ranges_release(struct open_ranges *ranges)
{
	for (size_t i = 0; i < ranges->count; i++) {
		nest_release(&ranges->of[i].nest);
		free(ranges->of[i].open);
	}
}

static uint32_t open_ranges_name_of(struct source *source, const struct source_event *event,
				    uint8_t part)
{
	return source_name_of(source, event->file, evt_part(&event->event, part))->index;
}

/* The key of a range is its name; the key of a scope that is no range is 0. */
static uint64_t open_ranges_key_of(struct source *source, const struct source_event *event,
				   uint8_t part)
{
	return (uint64_t)open_ranges_name_of(source, event, part) + 1;
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

/*
 * Scopes that are no ranges are followed too, because an end without a key ends the innermost
 * scope.
 */
struct open_range *open_ranges_take_opening(struct open_ranges *ranges, struct source *source,
					    const struct source_event *event)
{
	const struct evt_role *role = evt_role_of(event->event.id);
	struct open_ranges_nest *of = ranges->of_kind[role->opens];
	struct open_range range = { .kind = role->opens }, *open;
	uint64_t title;
	bool is_range = event_range_title(&event->event, &title);

	if (!of)
		return NULL;
	if (is_range)
		range.name = open_ranges_name_of(source, event, role->title);
	if (is_range && role->domain)
		range.domain = open_ranges_name_of(source, event, role->domain);
	open = range_put(of, event_place(event),
			 is_range ? open_ranges_key_of(source, event, role->key) : 0, &range,
			 !is_range);
	return is_range ? open : NULL;
}

void open_ranges_take_closing(struct open_ranges *ranges, struct source *source,
			      const struct source_event *event)
{
	const struct evt_role *role = evt_role_of(event->event.id);
	struct open_ranges_nest *of = ranges->of_kind[role->closes];

	if (!of)
		return;
	if (role->key)
		(void)nest_end_named(&of->nest, event_place(event),
				     open_ranges_key_of(source, event, role->key),
				     evt_part(&event->event, role->elsewhere) != 0);
	else
		(void)nest_end(&of->nest, event_place(event));
}

void open_ranges_cut(struct open_ranges *ranges, struct nest_place place, enum nest_ending how)
{
	for (size_t i = 0; i < ranges->count; i++)
		nest_cut(&ranges->of[i].nest, place, how);
}

const struct open_range *open_ranges_innermost(const struct open_ranges *ranges, uint32_t thread)
{
	const struct open_range *innermost = NULL;
	uint64_t latest_ns = 0;

	for (size_t i = 0; i < ranges->count; i++) {
		const struct open_ranges_nest *of = &ranges->of[i];
		uint32_t top = nest_innermost(&of->nest, thread);

		if (top == NEST_NONE || (innermost && of->nest.scope[top].start_ns < latest_ns))
			continue;
		innermost = &of->open[top];
		latest_ns = of->nest.scope[top].start_ns;
	}
	return innermost;
}

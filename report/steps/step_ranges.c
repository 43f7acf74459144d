/* SPDX-License-Identifier: MIT */
/*
 * Keeps a nest of NVTX ranges and one of PyTorch's scopes, and counts the open ones that match, by
 * thread and domain.
 */
#include "report/steps/step_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

static void step_range_ended(void *state, const struct nest_end *end);
static void step_ranges_step_scope_ended(void *state, const struct nest_end *end);

void step_ranges_init(struct step_ranges *ranges, const char *name)
{
	*ranges = (struct step_ranges){ .name = name, .length = name ? strlen(name) : 0 };
	ranges->is_prefix = ranges->length && name[ranges->length - 1] == '*';
	ranges->length -= ranges->is_prefix;
	nest_init(&ranges->ranges, (struct nest_options){ .is_keyed = true, .by_generators = true },
		  step_range_ended, ranges);
	nest_init(&ranges->scopes, (struct nest_options){ 0 }, step_ranges_step_scope_ended,
		  ranges);
	map_init(&ranges->matching);
}

void step_ranges_release(struct step_ranges *ranges)
{
	for (size_t i = 0; i < ranges->process_room; i++)
		map_release(&ranges->process[i].started);
	free(ranges->process);
	nest_release(&ranges->ranges);
	nest_release(&ranges->scopes);
	free(ranges->matches);
	map_release(&ranges->matching);
}

bool step_ranges_match(const struct step_ranges *ranges, const char *text, size_t length)
{
	if (!text || (ranges->is_prefix ? length < ranges->length : length != ranges->length))
		return false;
	return memcmp(text, ranges->name, ranges->length) == 0;
}

static struct step_ranges_process *step_ranges_process_at(struct step_ranges *ranges,
							  uint32_t process)
{
	size_t before = ranges->process_room;

	ranges->process = memory_room(ranges->process, process, &ranges->process_room,
				      sizeof(*ranges->process));
	for (size_t i = before; i < ranges->process_room; i++)
		map_init(&ranges->process[i].started);
	return &ranges->process[process];
}

static uint64_t *matching_at(struct step_ranges *ranges, uint32_t thread, uint64_t domain)
{
	bool added;

	return &map_put(&ranges->matching, (uint64_t)(thread + 1) << 32 | domain, &added)->value;
}

/* A matching range has ended; the last open one ends a step. */
static void count_out(struct step_ranges *ranges, const struct nest_end *end, uint64_t domain)
{
	ranges->ends = --*matching_at(ranges, end->thread, domain) == 0;
}

static void step_range_ended(void *state, const struct nest_end *end)
{
	struct step_ranges *ranges = state;

	if (ranges->matches[end->scope])
		count_out(ranges, end, end->key);
}

static void step_ranges_step_scope_ended(void *state, const struct nest_end *end)
{
	if (end->key)
		count_out(state, end, STEP_DOMAIN_TORCH);
}

void step_ranges_push(struct step_ranges *ranges, struct nest_place place, uint32_t domain,
		      bool matches)
{
	uint32_t scope;

	if (matches)
		++*matching_at(ranges, place.thread, domain);
	if (domain == STEP_DOMAIN_TORCH) {
		(void)nest_begin(&ranges->scopes, place, matches, false);
		return;
	}
	scope = nest_begin(&ranges->ranges, place, domain, false);
	ranges->matches = memory_room(ranges->matches, scope, &ranges->matches_room,
				      sizeof(*ranges->matches));
	ranges->matches[scope] = matches;
}

bool step_ranges_pop(struct step_ranges *ranges, struct nest_place place, uint32_t domain)
{
	ranges->ends = false;
	if (domain == STEP_DOMAIN_TORCH)
		(void)nest_end(&ranges->scopes, place);
	else
		(void)nest_end_key(&ranges->ranges, place, domain);
	return ranges->ends;
}

bool step_ranges_pop_one(struct step_ranges *ranges, struct nest_place place, bool matches)
{
	ranges->ends = false;
	(void)nest_end_key(&ranges->scopes, place, matches);
	return ranges->ends;
}

void step_ranges_cut(struct step_ranges *ranges, struct nest_place place)
{
	nest_cut(&ranges->ranges, place, NEST_CUT);
	nest_cut(&ranges->scopes, place, NEST_CUT);
}

void step_ranges_start(struct step_ranges *ranges, uint32_t process, uint64_t number)
{
	bool added;

	(void)map_put(&step_ranges_process_at(ranges, process)->started,
		      number + 1 ? number + 1 : 1, &added);
}

bool step_ranges_end(struct step_ranges *ranges, uint32_t process, uint64_t number)
{
	struct map *started = &step_ranges_process_at(ranges, process)->started;
	struct map_entry *open = map_find(started, number + 1 ? number + 1 : 1);

	if (!open)
		return false;
	map_remove(started, open);
	return true;
}

bool step_ranges_begin(struct step_ranges *ranges, uint32_t process)
{
	bool *has_begun = &step_ranges_process_at(ranges, process)->has_begun;
	bool is_first = !*has_begun;

	*has_begun = true;
	return is_first;
}

void step_ranges_forget(struct step_ranges *ranges, uint32_t process)
{
	step_ranges_process_at(ranges, process)->has_begun = false;
	map_clear(&step_ranges_process_at(ranges, process)->started);
}

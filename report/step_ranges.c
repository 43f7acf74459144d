/* SPDX-License-Identifier: MIT */
/* Ranges that end steps: see step_ranges.h. */
#include "report/step_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "report/memory.h"

#define ONE_DEEPER (1ull << 32)

void step_ranges_init(struct step_ranges *ranges, const char *name)
{
	*ranges = (struct step_ranges){ .name = name, .length = name ? strlen(name) : 0 };
	ranges->is_prefix = ranges->length && name[ranges->length - 1] == '*';
	ranges->length -= ranges->is_prefix;
}

void step_ranges_release(struct step_ranges *ranges)
{
	for (size_t i = 0; i < ranges->process_room; i++) {
		map_release(&ranges->process[i].nests);
		map_release(&ranges->process[i].started);
	}
	free(ranges->process);
}

bool step_ranges_match(const struct step_ranges *ranges, const char *text, size_t length)
{
	if (!text || (ranges->is_prefix ? length < ranges->length : length != ranges->length))
		return false;
	return memcmp(text, ranges->name, ranges->length) == 0;
}

static struct step_ranges_process *process_at(struct step_ranges *ranges, uint32_t process)
{
	size_t before = ranges->process_room;

	ranges->process = memory_room(ranges->process, process, &ranges->process_room,
				      sizeof(*ranges->process));
	for (size_t i = before; i < ranges->process_room; i++) {
		map_init(&ranges->process[i].nests);
		map_init(&ranges->process[i].started);
	}
	return &ranges->process[process];
}

static uint64_t nest_key(const struct step_nest *nest)
{
	return (uint64_t)(nest->thread + 1) << 32 | nest->domain;
}

/* Under it the number of open ones that have the name, of the domain whose ranges need not nest. */
static uint64_t matching_key(const struct step_nest *nest)
{
	return (uint64_t)(nest->thread + 1) << 32 | (STEP_DOMAIN_TORCH - 1);
}

void step_ranges_push(struct step_ranges *ranges, const struct step_nest *nest, bool matches)
{
	bool added;
	struct map *nests = &process_at(ranges, nest->process)->nests;
	struct map_entry *open = map_put(nests, nest_key(nest), &added);

	open->value += ONE_DEEPER;
	if (matches && !(uint32_t)open->value)
		open->value |= open->value >> 32;
	if (matches && nest->domain == STEP_DOMAIN_TORCH)
		map_put(nests, matching_key(nest), &added)->value++;
}

bool step_ranges_pop(struct step_ranges *ranges, const struct step_nest *nest)
{
	struct map_entry *open = map_find(&process_at(ranges, nest->process)->nests,
					  nest_key(nest));
	bool ends;

	if (!open || open->value < ONE_DEEPER)
		return false;
	ends = open->value >> 32 == (uint32_t)open->value;
	open->value -= ONE_DEEPER;
	if (ends)
		open->value &= ~(uint64_t)UINT32_MAX;
	return ends;
}

/* The last of that name ends a step, as the outermost does where they nest. */
bool step_ranges_pop_one(struct step_ranges *ranges, const struct step_nest *nest, bool matches)
{
	struct map *nests = &process_at(ranges, nest->process)->nests;
	struct map_entry *open = map_find(nests, nest_key(nest));
	struct map_entry *matching = map_find(nests, matching_key(nest));
	bool ends = matches && matching && matching->value && --matching->value == 0;
	uint64_t depth, matched;

	if (!open || open->value < ONE_DEEPER)
		return ends;
	depth = (open->value >> 32) - 1;
	matched = ends ? 0 : (uint32_t)open->value;
	open->value = depth << 32 | (matched < depth ? matched : depth);
	return ends;
}

void step_ranges_start(struct step_ranges *ranges, uint32_t process, uint64_t number)
{
	bool added;

	(void)map_put(&process_at(ranges, process)->started, number + 1 ? number + 1 : 1, &added);
}

bool step_ranges_end(struct step_ranges *ranges, uint32_t process, uint64_t number)
{
	struct map *started = &process_at(ranges, process)->started;
	struct map_entry *open = map_find(started, number + 1 ? number + 1 : 1);

	if (!open)
		return false;
	map_remove(started, open);
	return true;
}

bool step_ranges_begin(struct step_ranges *ranges, uint32_t process)
{
	bool *has_begun = &process_at(ranges, process)->has_begun;
	bool is_first = !*has_begun;

	*has_begun = true;
	return is_first;
}

void step_ranges_forget(struct step_ranges *ranges, uint32_t process)
{
	process_at(ranges, process)->has_begun = false;
	map_clear(&process_at(ranges, process)->nests);
	map_clear(&process_at(ranges, process)->started);
}

/* SPDX-License-Identifier: MIT */
/*
 * A map from process and thing to a holding; the holdings of a process are a list. When the
 * source's number of ended processes has changed, the lists of the processes whose end has passed
 * are dropped.
 */
#include "report/core/holdings.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define LOOK_AGAIN UINT64_MAX

void holdings_init(struct holdings *holdings, const struct source *source)
{
	*holdings = (struct holdings){ .source = source };
	map_init(&holdings->places);
	map_init(&holdings->first);
}

void holdings_release(struct holdings *holdings)
{
	map_release(&holdings->places);
	map_release(&holdings->first);
	free(holdings->holding);
	free(holdings->running);
}

/* Puts the holding in front of the others of its process. */
static void holdings_link(struct holdings *holdings, uint32_t place)
{
	struct holding *holding = &holdings->holding[place];
	struct map_entry *first;
	bool added;

	first = map_put(&holdings->first, (uint64_t)holding->process->index + 1, &added);
	if (added) {
		holdings->running = memory_room(holdings->running, holdings->running_count,
						&holdings->running_room,
						sizeof(*holdings->running));
		holdings->running[holdings->running_count++] = holding->process;
		if (holding->process->ended) /* events about an ended process come too late */
			holdings->ends = LOOK_AGAIN;
	} else {
		holding->next = (uint32_t)first->value;
		holding->is_gone = holdings->holding[first->value].is_gone;
	}
	first->value = place;
}

uint32_t holdings_place(struct holdings *holdings, const struct source_process *process,
			uint64_t thing)
{
	struct map_entry *entry;
	bool added;

	if (!process)
		return HOLDING_NONE;
	entry = map_put(&holdings->places,
			map_hash_bytes((uint64_t[]){ process->index, thing }, 16, 0), &added);
	if (!added)
		return (uint32_t)entry->value;
	entry->value = holdings->count;
	holdings->holding = memory_room(holdings->holding, holdings->count, &holdings->room,
					sizeof(*holdings->holding));
	holdings->holding[holdings->count] = (struct holding){ .process = process,
							       .thing = thing,
							       .next = HOLDING_NONE };
	holdings_link(holdings, (uint32_t)holdings->count);
	return (uint32_t)holdings->count++;
}

static void drop_process(struct holdings *holdings, const struct source_process *process,
			 void (*drop)(void *, const struct holding *), void *owner)
{
	uint32_t place = (uint32_t)map_find(&holdings->first, (uint64_t)process->index + 1)->value;

	while (place != HOLDING_NONE) {
		struct holding *holding = &holdings->holding[place];

		if (holding->bytes)
			drop(owner, holding);
		holding->bytes = 0;
		holding->is_gone = true;
		place = holding->next;
	}
}

void holdings_drop_ended(struct holdings *holdings, uint64_t time_ns,
			 void (*drop)(void *, const struct holding *), void *owner)
{
	uint64_t ends = holdings->source ? source_processes_ended(holdings->source) : 0;
	size_t kept = 0;
	bool is_waiting = false;

	if (ends == holdings->ends)
		return;
	for (size_t i = 0; i < holdings->running_count; i++) {
		const struct source_process *process = holdings->running[i];

		if (process->ended && process->end_ns < time_ns) {
			drop_process(holdings, process, drop, owner);
			continue;
		}
		is_waiting |= process->ended;
		holdings->running[kept++] = process;
	}
	holdings->running_count = kept;
	if (!is_waiting)
		holdings->ends = ends;
}

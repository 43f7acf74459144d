/* SPDX-License-Identifier: MIT */
/* Mappings as an analysis: events of family alloc become operations of mappings.h. */
#include "report/heap/mapping_events.h"

static void take_map(void *state, const struct source_event *event, bool counts)
{
	const struct evt_map_anonymous *map = EVENT_AS(map_anonymous, &event->event);

	(void)counts;
	mappings_map(state, &(struct mapping){ event->event.time_ns, map->address, map->bytes,
					       map->protection, map->flags, map->caller,
					       event->process->index });
}

static void take_unmap(void *state, const struct source_event *event, bool counts)
{
	const struct evt_unmap *unmap = EVENT_AS(unmap, &event->event);

	(void)counts;
	mappings_unmap(state, event->process->index, unmap->address, unmap->bytes);
}

static void take_remap(void *state, const struct source_event *event, bool counts)
{
	const struct evt_remap *remap = EVENT_AS(remap, &event->event);

	(void)counts;
	mappings_move(state,
		      &(struct mapping_move){ remap->old_address, remap->old_bytes, remap->address,
					      remap->bytes, event->process->index });
}

static void mapping_events_start(void *state, struct run *run, const void *options)
{
	(void)options;
	mappings_init(state);
	run_reads(run, EVT_map_anonymous, FIELDS_ALL, take_map, state);
	run_reads(run, EVT_unmap, FIELDS_ALL, take_unmap, state);
	run_reads(run, EVT_remap, FIELDS_ALL, take_remap, state);
}

static void mapping_events_release(void *state)
{
	mappings_release(state);
}

const struct analysis_kind analysis_mappings = {
	.name = "mappings",
	.state_bytes = sizeof(struct mappings),
	.options_bytes = sizeof(struct mappings_options),
	.start = mapping_events_start,
	.release = mapping_events_release,
};

/* SPDX-License-Identifier: MIT */
/*
 * What the first process was when it began, as it has stored it in the region (struct
 * region_start). For processes that had ended, or become another program, before they were
 * examined. It is also valid for the processes that it forked.
 *
 * A copy is read; the first malformed part ends the list. One thread.
 */
#ifndef COLLECTOR_PROCESSES_START_MAP_H
#define COLLECTOR_PROCESSES_START_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/core/view.h"

struct start_map {
	uint32_t bytes, at; /* bytes of `room` that are filled, and that were read */
	uint32_t left_out;  /* number of modules that did not fit */
	char room[REGION_START_BYTES];
};

struct start_module {
	uint64_t start, end, bias;
	const char *path; /* in the map, not terminated */
	size_t path_bytes;
	const uint8_t *build_id;
	uint32_t build_id_bytes;
};

/* Returns false if nothing was stored. */
bool start_map_read(struct start_map *map, const struct view *view);
/* Returns false at the end. The first module is the program. */
bool start_map_next(struct start_map *map, struct start_module *ret_module);

/* Returns the length of the text put into `text` (not terminated), 0 if none was stored. */
size_t start_map_command(const struct view *view, char *text, size_t room);
size_t start_map_executable(const struct view *view, char *text, size_t room);

/*
 * Returns the program's name as it was passed to exec(), without its directory, terminated; "" if
 * none was stored.
 */
void start_map_started_as(const struct view *view, char text[REGION_STARTED_BYTES]);

#endif

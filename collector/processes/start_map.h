/* SPDX-License-Identifier: MIT */
/*
 * What the first process was when it began, as it has left it in the region (struct region_start): for processes that
 * were over, or another program, before anybody looked at them. It holds for those that it forked, too.
 *
 * A copy is read: what is not well-formed ends the list. One thread.
 */
#ifndef COLLECTOR_PROCESSES_START_MAP_H
#define COLLECTOR_PROCESSES_START_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/core/view.h"

struct start_map {
	uint32_t bytes, at; /* of `room`: filled, read */
	uint32_t left_out;  /* modules that are not in it */
	char room[REGION_START_BYTES];
};

struct start_module {
	uint64_t start, end, bias;
	const char *path; /* in the map, not terminated */
	size_t path_bytes;
	const uint8_t *build_id;
	uint32_t build_id_bytes;
};

/* False: nothing was left. */
bool start_map_read(struct start_map *map, const struct view *view);
/* False at the end. The first is the program. */
bool start_map_next(struct start_map *map, struct start_module *ret_module);

/* Length of the text put into `text` (not terminated), 0 when it was not left. */
size_t start_map_command(const struct view *view, char *text, size_t room);
size_t start_map_executable(const struct view *view, char *text, size_t room);

/* What exec() was given as the program's name, without its folder, terminated; "" when it was not left. */
void start_map_started_as(const struct view *view, char text[REGION_STARTED_BYTES]);

#endif

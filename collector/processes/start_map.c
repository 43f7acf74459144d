/* SPDX-License-Identifier: MIT */
/*
 * The modules are copied out of the region first and parsed from the copy, with every length
 * checked, because the program could change them meanwhile.
 */
#include "collector/processes/start_map.h"

#include <stdatomic.h>
#include <string.h>

#include "collector/processes/image.h"

static uint32_t align8(uint32_t bytes)
{
	return (bytes + 7) & ~7u;
}

static const struct region_start *left(const struct view *view, uint32_t *ret_bytes,
				       uint32_t *ret_command)
{
	const struct region_start *start = region_start(view->header, &view->shape);
	uint32_t bytes = atomic_load_explicit(&start->bytes, memory_order_acquire);
	uint32_t command = view_load32(&start->command_bytes);

	if (!bytes || bytes > sizeof(start->room) || command > bytes)
		return NULL;
	*ret_bytes = bytes;
	*ret_command = command;
	return start;
}

bool start_map_read(struct start_map *map, const struct view *view)
{
	const struct region_start *start = left(view, &map->bytes, &map->at);

	if (!start)
		return false;
	map->left_out = view_load32(&start->left_out);
	memcpy(map->room, start->room, map->bytes);
	map->at = align8(map->at);
	return map->at < map->bytes;
}

bool start_map_next(struct start_map *map, struct start_module *ret_module)
{
	struct region_start_module module;
	uint32_t left_bytes;

	if (map->at > map->bytes || map->bytes - map->at < sizeof(module))
		return false;
	memcpy(&module, map->room + map->at, sizeof(module));
	left_bytes = map->bytes - map->at - (uint32_t)sizeof(module);
	if (!module.path_bytes || module.path_bytes > left_bytes ||
	    module.build_id_bytes > left_bytes - module.path_bytes ||
	    module.build_id_bytes > IMAGE_BUILD_ID_BYTES || module.start >= module.end)
		return false;
	*ret_module = (struct start_module){
		.start = module.start,
		.end = module.end,
		.bias = module.bias,
		.path = map->room + map->at + sizeof(module),
		.path_bytes = module.path_bytes,
		.build_id = (const uint8_t *)map->room + map->at + sizeof(module) +
			    module.path_bytes,
		.build_id_bytes = module.build_id_bytes,
	};
	map->at = align8(map->at + (uint32_t)sizeof(module) + module.path_bytes +
			 module.build_id_bytes);
	return true;
}

size_t start_map_command(const struct view *view, char *text, size_t room)
{
	uint32_t bytes, length;
	const struct region_start *start = left(view, &bytes, &length);

	if (!start)
		return 0;
	if (length > room)
		length = (uint32_t)room;
	memcpy(text, start->room, length);
	return length;
}

size_t start_map_executable(const struct view *view, char *text, size_t room)
{
	struct start_module program;
	struct start_map map;

	if (!start_map_read(&map, view) || !start_map_next(&map, &program) ||
	    program.path_bytes > room)
		return 0;
	memcpy(text, program.path, program.path_bytes);
	return program.path_bytes;
}

void start_map_started_as(const struct view *view, char text[REGION_STARTED_BYTES])
{
	uint32_t bytes, command;
	const struct region_start *start = left(view, &bytes, &command);

	*text = 0;
	if (!start)
		return;
	memcpy(text, start->started_as, REGION_STARTED_BYTES);
	text[REGION_STARTED_BYTES - 1] = 0;
}

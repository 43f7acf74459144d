/* SPDX-License-Identifier: MIT */
/*
 * Counts the processes whose capture range is open. A window begins with the first of them and ends
 * with the last.
 */
#include "report/core/recorded_time.h"

#include <stdlib.h>

#include "report/base/memory.h"

void recorded_time_release(struct recorded_time *captured)
{
	free(captured->open);
	free(captured->closed);
}

#define CLOSED_MAX 65536u

static void window_add(struct recorded_time *captured, uint64_t from_ns, uint64_t to_ns)
{
	if (captured->closed_count == CLOSED_MAX) {
		captured->closed[CLOSED_MAX - 1].to_ns = to_ns;
		return;
	}
	captured->closed = memory_room(captured->closed, captured->closed_count,
				       &captured->closed_room, sizeof(*captured->closed));
	captured->closed[captured->closed_count++] = (struct recorded_window){ from_ns, to_ns };
}

void recorded_time_open(struct recorded_time *captured, uint32_t process, uint64_t time_ns)
{
	captured->open = memory_room(captured->open, process, &captured->room,
				     sizeof(*captured->open));
	if (captured->open[process])
		return;
	captured->open[process] = true;
	captured->windows++;
	if (!captured->open_count++)
		captured->since_ns = time_ns;
}

void recorded_time_close(struct recorded_time *captured, uint32_t process, uint64_t time_ns)
{
	if (process >= captured->room || !captured->open[process])
		return;
	captured->open[process] = false;
	if (--captured->open_count || time_ns <= captured->since_ns)
		return;
	captured->total_ns += time_ns - captured->since_ns;
	window_add(captured, captured->since_ns, time_ns);
}

bool recorded_time_touches(const struct recorded_time *captured, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t i = 0; i < captured->closed_count; i++)
		if (captured->closed[i].from_ns < to_ns && captured->closed[i].to_ns > from_ns)
			return true;
	return captured->open_count && captured->since_ns < to_ns;
}

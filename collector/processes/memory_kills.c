/* SPDX-License-Identifier: MIT */
/*
 * The group is looked up anew each time, because a launcher may move a process. A process that is
 * leaving or gone has no group any more, so the file's name is kept: the OOM killer's victim may
 * take seconds to leave.
 */
#include "collector/processes/memory_kills.h"

#include <stdlib.h>
#include <string.h>

#include "collector/processes/memory_group.h"

#define LIMIT_PAUSE_NS 10000000000u

static void memory_kills_note(struct memory_kills *kills, const char *path, uint64_t count,
			      uint64_t now_ns)
{
	const struct memory_look look = { count, now_ns };

	if (!kills->file || strcmp(kills->file, path)) {
		free(kills->file);
		kills->file = strdup(path);
		kills->before = kills->last = look;
	} else if (now_ns >= kills->last.looked_ns + MEMORY_KILLS_SURE_NS) {
		kills->before = kills->last;
		kills->last = look;
	}
}

void memory_kills_look(struct memory_kills *kills, uint32_t pid, uint64_t now_ns)
{
	struct memory_group group;
	char path[PATH_MAX];
	uint64_t count;
	bool is_known = memory_group_of(pid, &group);

	if (!is_known && kills->limit_bytes)
		return;
	if (!kills->limit_bytes || now_ns - kills->limit_ns >= LIMIT_PAUSE_NS) {
		kills->limit_bytes = memory_group_or_machine(is_known ? &group : NULL);
		kills->limit_ns = now_ns;
	}
	if (!is_known || !memory_group_kills_file(&group, path, sizeof(path)) ||
	    !memory_group_kills(path, &count))
		return;
	memory_kills_note(kills, path, count, now_ns);
}

struct memory_kills_end memory_kills_since(const struct memory_kills *kills, uint64_t end_ns)
{
	struct memory_kills_end end = { 0 };
	uint64_t count;

	if (!kills->file || !memory_group_kills(kills->file, &count) || count < kills->before.count)
		return end;
	end.within_ns = end_ns > kills->before.looked_ns ? end_ns - kills->before.looked_ns : 0;
	if (count > kills->before.count || end.within_ns >= MEMORY_KILLS_SURE_NS)
		end.kills = count - kills->before.count + 1;
	end.is_machine = strcmp(kills->file, MEMORY_GROUP_MACHINE) == 0;
	return end;
}

void memory_kills_release(struct memory_kills *kills)
{
	free(kills->file);
	*kills = (struct memory_kills){ 0 };
}

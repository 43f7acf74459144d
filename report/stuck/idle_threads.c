/* SPDX-License-Identifier: MIT */
/* See idle_threads.h. The first few names are kept; threads of other names are only counted. */
#include "report/stuck/idle_threads.h"

#include <stdio.h>
#include <string.h>

#include "report/table/export.h"

static bool idle_threads_are_waited_for(const struct stuck *stuck, const struct last_look *look)
{
	for (size_t i = 0; i < stuck->looks->look_count; i++) {
		const struct last_look *other = &stuck->looks->look[i];

		if (other->thread && other->thread->process == look->thread->process &&
		    stuck_holder(stuck, other) == look->thread->tid)
			return true;
	}
	return false;
}

bool idle_threads_have(struct stuck *stuck, const struct last_look *look)
{
	char words[STUCK_PLACE_BYTES];

	return look != stuck->process[look->thread->process->index].main &&
	       stuck_waits_for(stuck, look, words) &&
	       !own_place_of(stuck->samples, &stuck->own, look->place) &&
	       !idle_threads_are_waited_for(stuck, look);
}

void idle_threads_count(struct idle_threads *idle, const struct last_look *look)
{
	char name[STUCK_NAME_BYTES] = "without a name";
	const char *known;
	size_t length;

	thread_name(look->thread, &known, &length);
	if (length)
		snprintf(name, sizeof(name), "%.*s", (int)(length < 64 ? length : 64), known);
	idle->threads++;
	for (size_t i = 0; i < IDLE_NAMES_MAX; i++) {
		struct idle_name *of = &idle->name[i];

		if (!of->threads)
			memcpy(of->name, name, sizeof(name));
		if (!strcmp(of->name, name)) {
			of->threads++;
			return;
		}
	}
}

void idle_threads_say(const struct idle_threads *idle, const struct screen *screen)
{
	char names[IDLE_NAMES_MAX * (STUCK_NAME_BYTES + 16) + 32] = "";
	uint32_t left = idle->threads;
	size_t used = 0;

	if (!idle->threads)
		return;
	for (size_t i = 0; i < IDLE_NAMES_MAX && idle->name[i].threads; i++) {
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "", idle->name[i].name);
		if (idle->name[i].threads > 1)
			used += (size_t)snprintf(names + used, sizeof(names) - used, " (%u times)",
						 idle->name[i].threads);
		left -= idle->name[i].threads;
	}
	if (left)
		snprintf(names + used, sizeof(names) - used, " and %u others", left);
	screen_print_prose(screen,
			   "Not shown: %u thread%s of libraries that wait%s and are in none of "
			   "your own code: %s. --limit 0 shows %s.",
			   idle->threads, idle->threads == 1 ? "" : "s",
			   idle->threads == 1 ? "s" : "", names, idle->threads == 1 ? "it" : "all");
}

/* SPDX-License-Identifier: MIT */
/* See watch_stuck.h. Whether anything is stuck is decided by stuck/stuck.h alone. */
#include "report/watch/watch_stuck.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/core/clocks.h"
#include "report/stuck/stuck.h"

#define SECOND_NS 1000000000ull
#define PAUSE_NS (3 * SECOND_NS)
#define PAUSE_COSTS 20u /* a reading is at most one part in this many of the time */
#define STILL_PARTS 20u /* less than such a part of a CPU is next to none */

static uint64_t watch_stuck_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static bool watch_stuck_stands_still(const struct watched *watched)
{
	uint64_t steps = 0, cpu_ns = 0, longest_ns = 0, loops = 0;

	for (size_t i = 0; i < watched->count; i++) {
		const struct follower *follower = watched->follower[i];
		struct follower_window window = follower_window(follower);

		steps += follower_count_in(follower, &window, FOLLOWER_STEPS);
		cpu_ns += follower_count_in(follower, &window, FOLLOWER_CPU_NS);
		longest_ns = window.ns > longest_ns ? window.ns : longest_ns;
		loops += follower->steps->processes;
	}
	return (loops && !steps) || cpu_ns < longest_ns / STILL_PARTS;
}

/* All sentences as one text; NULL: nothing is known to be stuck that has anything to do. */
static char *watch_stuck_verdict(const struct stuck *stuck)
{
	size_t length = 1;
	char *text;

	if (!stuck_is_training(stuck) && !stuck->has_cycle)
		return NULL;
	for (size_t i = 0; i < stuck->sentence_count; i++)
		length += strlen(stuck->sentence[i]) + 1;
	text = memory_zero(length, 1);
	for (size_t i = 0; i < stuck->sentence_count; i++) {
		strcat(text, i ? " " : "");
		strcat(text, stuck->sentence[i]);
	}
	return text;
}

static char *watch_stuck_read(const struct watch_stuck *mine, struct source *source)
{
	static const struct filter_settings all = { .pid = FILTER_NO_ID,
						    .tid = FILTER_NO_ID,
						    .to_ns = UINT64_MAX };
	struct stuck stuck = { 0 };
	char *verdict;
	struct run *run;

	clocks_correct(source);
	run = run_new(source, &all);
	run_set_options(run, mine->options);
	stuck_want(&stuck, run);
	run_read(run, false);
	stuck_find(&stuck, mine->options);
	verdict = watch_stuck_verdict(&stuck);
	stuck_release(&stuck);
	run_free(run);
	return verdict;
}

static void watch_stuck_ask(struct watch_stuck *mine, const struct watched *watched)
{
	static const struct source_options opening = { .live = true, .only_named = true };
	char **path = memory_zero(watched->count + 1, sizeof(*path));
	struct source *source;
	char message[256];

	free(mine->verdict);
	mine->verdict = NULL;
	for (size_t i = 0; i < watched->count; i++)
		path[i] = watched->follower[i]->path;
	if (!source_open(&source, path, watched->count, &opening, message, sizeof(message))) {
		mine->verdict = watch_stuck_read(mine, source);
		source_close(source);
	}
	free(path);
}

void watch_stuck_look(struct watch_stuck *stuck, const struct watched *watched)
{
	uint64_t now_ns = watch_stuck_now_ns(), cost_ns;

	/* once it has ended, what happened before it stood still may be within the window */
	if (!watched->count ||
	    (!watch_stuck_stands_still(watched) && !watched_has_ended(watched))) {
		free(stuck->verdict);
		stuck->verdict = NULL;
		return;
	}
	if (now_ns < stuck->next_ns && !watched_has_ended(watched))
		return;
	watch_stuck_ask(stuck, watched);
	cost_ns = watch_stuck_now_ns() - now_ns;
	stuck->next_ns = now_ns + cost_ns +
			 (cost_ns * PAUSE_COSTS > PAUSE_NS ? cost_ns * PAUSE_COSTS : PAUSE_NS);
}

void watch_stuck_release(struct watch_stuck *stuck)
{
	free(stuck->verdict);
}

/* SPDX-License-Identifier: MIT */
/* Sums of rows of wait_looks.h, see serving_tally.h. */
#include "report/advice/serving_tally.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/advice/wait_text.h"
#include "report/base/memory.h"

void serving_tally_make(struct serving_tally *tally, const struct bottleneck *bottleneck,
			serving_kind *is_wanted)
{
	const struct serving *serving = &bottleneck->serving;
	const struct wait_looks *looks = bottleneck->waits;

	*tally = (struct serving_tally){ .threads = serving->thread_count };
	line_sums_init(&tally->lines);
	tally->by_thread = memory_zero(tally->threads + 1, sizeof(*tally->by_thread));
	tally->alone = memory_zero(tally->threads + 1, sizeof(*tally->alone));
	for (size_t i = 0; serving->is_server && i < looks->row_count; i++) {
		const struct wait_row *row = &looks->row[i];
		struct step_line line = serving->place[i].line;

		if (!serving_has(row) || !is_wanted(bottleneck, i))
			continue;
		tally->ns += row->ns;
		tally->looks += row->looks;
		tally->alone[row->look.thread] += row->ns;
		tally->by_thread[serving->chains.of[row->look.thread].first] += row->ns;
		line.ns = row->ns;
		line.looks = row->looks;
		if (serving->place[i].has_line && line.is_users)
			line_sums_add(&tally->lines, &line);
	}
}

void serving_tally_release(struct serving_tally *tally)
{
	line_sums_release(&tally->lines);
	free(tally->by_thread);
	free(tally->alone);
}

size_t serving_tally_thread(const struct serving_tally *tally)
{
	size_t most = 0;

	for (size_t i = 1; i < tally->threads; i++)
		if (tally->by_thread[i] > tally->by_thread[most])
			most = i;
	return most;
}

void serving_say_who(const struct bottleneck *bottleneck, size_t thread,
		     char text[SERVING_WHO_BYTES])
{
	bool is_chain = bottleneck->serving.chains.of[thread].count > 1;
	char name[PLACE_NAME_BYTES];

	wait_thread_name(bottleneck->waits->thread[thread], name);
	snprintf(text, SERVING_WHO_BYTES,
		 is_chain ? "threads that ran one after another, as %s," : "thread %s", name);
}

bool serving_tally_exceeds(const struct serving_tally *tally, const struct bottleneck *bottleneck,
			   struct advice *advice)
{
	uint64_t all_ns = bottleneck->serving.ns;

	if (tally->looks < SERVING_LOOKS_MIN || !all_ns)
		return false;
	advice->of = ADVICE_OF_SERVING;
	advice->gain_ns = tally->by_thread[serving_tally_thread(tally)];
	if (advice->gain_ns > all_ns)
		advice->gain_ns = all_ns;
	if (tally->looks < WAIT_LOOKS_MIN)
		advice->severity = ADVICE_NOTE;
	return advice_exceeds(advice, 100.0 * (double)advice->gain_ns / (double)all_ns);
}

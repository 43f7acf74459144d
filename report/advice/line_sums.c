/* SPDX-License-Identifier: MIT */
/*
 * Lines are identified by file, function and number, as in report lines: a lambda differs from the
 * code around it.
 */
#include "report/advice/line_sums.h"

#include <stdlib.h>

#include "report/base/memory.h"

void line_sums_init(struct line_sums *sums)
{
	*sums = (struct line_sums){ .line = NULL };
	map_init(&sums->map);
	line_links_init(&sums->callers);
}

void line_sums_release(struct line_sums *sums)
{
	free(sums->line);
	map_release(&sums->map);
	line_links_release(&sums->callers);
}

static uint64_t hash_of(const struct step_line *line)
{
	const uint32_t words[] = { line->file, line->function, line->number };

	return map_hash_bytes(words, sizeof(words), 0);
}

uint64_t line_sums_ns_of(const struct line_sums *sums, const struct step_line *line)
{
	const struct map_entry *entry = map_find(&sums->map, hash_of(line));

	return entry ? sums->line[entry->value].ns : 0;
}

void line_sums_add(struct line_sums *sums, const struct step_line *line)
{
	struct map_entry *entry;
	bool added;

	entry = map_put(&sums->map, hash_of(line), &added);
	if (added) {
		sums->line = memory_room(sums->line, sums->count, &sums->room, sizeof(*sums->line));
		sums->line[sums->count] = *line;
		sums->line[sums->count].ns = sums->line[sums->count].looks = 0;
		entry->value = sums->count++;
	}
	sums->line[entry->value].ns += line->ns;
	sums->line[entry->value].looks += line->looks;
	sums->ns += line->ns;
	sums->looks += line->looks;
	if (line->caller_file != SAMPLE_NONE)
		line_links_add(&sums->callers, &(struct line_link){ .line = entry->value,
								    .kind = LINE_LINK_CALLER,
								    .file = line->caller_file,
								    .number = line->caller_number,
								    .weight = line->ns });
}

void line_sums_add_queued(struct line_sums *sums, uint64_t ns)
{
	sums->ns += ns;
	sums->queued_ns += ns;
}

/* Returns the line's own time and its part of the time in the queue. */
static uint64_t line_sums_with_queued(const struct line_sums *sums, uint64_t ns)
{
	uint64_t placed_ns = sums->ns - sums->queued_ns;

	return placed_ns ? ns + (uint64_t)((double)sums->queued_ns * (double)ns / (double)placed_ns)
			 : ns;
}

bool line_sums_most(const struct line_sums *sums, struct step_line *ret_line)
{
	const struct line_link *caller;
	size_t most = 0;

	if (!sums->count)
		return false;
	for (size_t i = 1; i < sums->count; i++)
		if (sums->line[i].ns > sums->line[most].ns)
			most = i;
	caller = line_links_most(&sums->callers, most, LINE_LINK_CALLER);
	*ret_line = sums->line[most];
	ret_line->ns = line_sums_with_queued(sums, ret_line->ns);
	ret_line->caller_file = caller ? caller->file : SAMPLE_NONE;
	ret_line->caller_number = caller ? caller->number : 0;
	return true;
}

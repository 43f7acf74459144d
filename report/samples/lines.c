/* SPDX-License-Identifier: MIT */
/*
 * See lines.h. A map by a hash of what tells lines apart; lines of the same hash follow each
 * other. Each counted stack is walked outwards: `self` goes to its innermost line, `total` once to
 * each of its lines.
 */
#include "report/samples/lines.h"

#include <stdlib.h>

struct making {
	struct lines *lines;
	const struct samples *samples;
};

/* What the lines are told apart by. */
static uint64_t hash_of(const struct line *line)
{
	const uint32_t words[] = { line->file, line->function, line->number, line->first_line,
				   line->is_torn };

	return map_hash_bytes(words, sizeof(words), 0);
}

static bool is_same(const struct line *one, const struct line *other)
{
	return one->file == other->file && one->function == other->function &&
	       one->number == other->number && one->first_line == other->first_line &&
	       one->is_torn == other->is_torn;
}

struct line *lines_line(struct lines *lines, const struct line *wanted)
{
	uint64_t hash = hash_of(wanted);
	bool added;

	for (;; hash = hash + 1 ? hash + 1 : 1) { /* two of one hash follow each other */
		struct map_entry *entry = map_put(&lines->map, hash, &added);

		if (added) {
			lines->line = memory_room(lines->line, lines->count, &lines->room,
						  sizeof(*lines->line));
			lines->line[lines->count] = *wanted;
			entry->value = lines->count++;
			return &lines->line[entry->value];
		}
		if (is_same(&lines->line[entry->value], wanted))
			return &lines->line[entry->value];
	}
}

static struct line *line_torn(struct making *making)
{
	return lines_line(
		making->lines,
		&(struct line){ .file = SAMPLE_NONE, .function = SAMPLE_NONE, .is_torn = true });
}

struct line lines_place(enum lines_by by, uint32_t file, uint32_t function, uint32_t number,
			uint32_t first)
{
	if (by == LINES_BY_NUMBER)
		return (struct line){ .file = file, .function = SAMPLE_NONE, .number = number };
	return (struct line){ .file = file,
			      .function = function,
			      .number = by == LINES_BY_FUNCTION ? first : number,
			      .first_line = first };
}

static struct line *line_of(struct making *making, const struct sample_place *place)
{
	const struct sample_code *code = place ? samples_code(making->samples, place->code) : NULL;
	struct line wanted = { .file = SAMPLE_NONE, .function = SAMPLE_NONE };

	if (code)
		wanted = lines_place(making->lines->by, code->file, code->function, place->line,
				     code->line);
	return lines_line(making->lines, &wanted);
}

/* A row of a stack: its innermost line has it itself, each line of it in all. */
static void row_add(struct making *making, const struct sample_row *row)
{
	uint64_t stack = ++making->lines->stacks;
	const struct sample_place *place = samples_place(making->samples, row->place);
	struct line *line = row->place == SAMPLE_TORN_PLACE ? line_torn(making)
							    : line_of(making, place);
	unsigned int depth = 0;

	sample_counts_add(&line->self, &row->counts);
	for (;;) {
		if (line->seen != stack)
			sample_counts_add(&line->total, &row->counts);
		line->seen = stack;
		place = place && place->from ? samples_place(making->samples, place->from) : NULL;
		if (!place || ++depth >= SAMPLE_DEPTH_MAX)
			return;
		line = line_of(making, place);
	}
}

void lines_make(struct lines *lines, const struct samples *samples, enum lines_by by)
{
	struct making making = { lines, samples };

	*lines = (struct lines){ .by = by };
	map_init(&lines->map);
	for (size_t i = 0; i < samples->row_count; i++)
		row_add(&making, &samples->row[i]);
}

void lines_make_gil(struct lines *lines, const struct gil *gil, enum lines_by by)
{
	struct making making = { lines, gil->samples };

	*lines = (struct lines){ .by = by };
	map_init(&lines->map);
	for (size_t i = 0; i < gil->row_count; i++) {
		const struct gil_row *row = &gil->row[i];
		struct gil_counts *counts;

		if (row->thread)
			continue;
		counts = row->place == SAMPLE_TORN_PLACE
				 ? &line_torn(&making)->gil
				 : &line_of(&making, samples_place(gil->samples, row->place))->gil;
		counts->looks += row->counts.looks;
		counts->held_ns += row->counts.held_ns;
		counts->wait_ns += row->counts.wait_ns;
		counts->blocked_ns += row->counts.blocked_ns;
	}
}

void lines_release(struct lines *lines)
{
	free(lines->line);
	map_release(&lines->map);
}

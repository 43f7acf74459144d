/* SPDX-License-Identifier: MIT */
/*
 * A map by a hash of what distinguishes lines; lines of the same hash follow each other. Each
 * counted stack is walked outwards: `self` goes to its innermost line, `total` once to each of its
 * lines. With `own` only the user's lines of a stack count, and links say what was around and
 * inside them.
 */
#include "report/samples/lines.h"

#include <stdlib.h>
#include <string.h>

#include "report/samples/own_places.h"

struct making {
	struct lines *lines;
	const struct samples *samples;
	bool of_steps;
};

/* Hashes what distinguishes the lines. */
static uint64_t lines_hash_of(const struct line *line)
{
	const uint32_t words[] = { line->file, line->function, line->number, line->first_line,
				   line->is_torn | (uint32_t)line->is_outside << 1 |
					   (uint32_t)line->is_import << 2 };

	return map_hash_bytes(words, sizeof(words), 0);
}

static bool lines_is_same(const struct line *one, const struct line *other)
{
	return one->file == other->file && one->function == other->function &&
	       one->number == other->number && one->first_line == other->first_line &&
	       one->is_torn == other->is_torn && one->is_outside == other->is_outside &&
	       one->is_import == other->is_import;
}

struct line *lines_line(struct lines *lines, const struct line *wanted)
{
	uint64_t hash = lines_hash_of(wanted);
	bool added;

	for (;; hash = hash + 1 ? hash + 1 : 1) { /* entries of equal hashes follow each other */
		struct map_entry *entry = map_put(&lines->map, hash, &added);

		if (added) {
			lines->line = memory_room(lines->line, lines->count, &lines->room,
						  sizeof(*lines->line));
			lines->line[lines->count] = *wanted;
			entry->value = lines->count++;
			return &lines->line[entry->value];
		}
		if (lines_is_same(&lines->line[entry->value], wanted))
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

static struct line *lines_line_of(struct making *making, const struct sample_place *place)
{
	const struct sample_code *code = place ? samples_code(making->samples, place->code) : NULL;
	struct line wanted = { .file = SAMPLE_NONE, .function = SAMPLE_NONE };

	if (code)
		wanted = lines_place(making->lines->by, code->file, code->function, place->line,
				     code->line);
	return lines_line(making->lines, &wanted);
}

static const struct sample_place *lines_outwards(const struct making *making,
						 const struct sample_place *place)
{
	return place->from ? samples_place(making->samples, place->from) : NULL;
}

/* Adds the row of a stack: to its innermost line as self, and to each of its lines as total. */
static void lines_row_add(struct making *making, const struct sample_row *row)
{
	uint64_t stack = ++making->lines->stacks;
	const struct sample_place *place = samples_place(making->samples, row->place);
	struct line *line = row->place == SAMPLE_TORN_PLACE ? line_torn(making)
							    : lines_line_of(making, place);
	unsigned int depth = 0;

	sample_counts_add(&line->self, &row->counts);
	for (;;) {
		if (line->seen != stack)
			sample_counts_add(&line->total, &row->counts);
		line->seen = stack;
		place = place ? lines_outwards(making, place) : NULL;
		if (!place || ++depth >= SAMPLE_DEPTH_MAX)
			return;
		line = lines_line_of(making, place);
	}
}

/* --- the user's own code --- */

static void link_put(struct making *making, size_t line, enum line_link_kind kind,
		     const struct sample_place *place, const struct sample_counts *counts)
{
	const struct sample_code *code = place ? samples_code(making->samples, place->code) : NULL;

	if (code)
		line_links_add(&making->lines->links,
			       &(struct line_link){ .line = line,
						    .kind = kind,
						    .file = code->file,
						    .function = code->function,
						    .number = place->line,
						    .weight = counts->cpu_ns + counts->wait_ns +
							      counts->looks });
}

/* Adds the user's lines of a stack, from the innermost one outwards. */
static void users_add(struct making *making, const struct sample_place *innermost,
		      const struct sample_place *users, const struct sample_counts *counts)
{
	struct own *own = making->lines->own;
	uint64_t stack = ++making->lines->stacks;
	struct line *line = lines_line_of(making, users);
	size_t number = (size_t)(line - making->lines->line);
	unsigned int depth = 0;

	sample_counts_add(&line->self, counts);
	if (innermost != users)
		link_put(making, number, LINE_LINK_LIBRARY, innermost, counts);
	link_put(making, number, LINE_LINK_CALLER, own_place_caller(making->samples, own, users),
		 counts);
	for (; users && depth < SAMPLE_DEPTH_MAX; users = lines_outwards(making, users), depth++) {
		if (own_place_begins_process(making->samples, own, users))
			return;
		if (!own_place_is_users(making->samples, own, users))
			continue;
		line = lines_line_of(making, users);
		if (line->seen != stack)
			sample_counts_add(&line->total, counts);
		line->seen = stack;
	}
}

/* For a stack without any line of the user's. */
static void others_add(struct making *making, const struct sample_row *row,
		       const struct sample_place *innermost, const struct sample_counts *counts)
{
	struct line *line = row->place == SAMPLE_TORN_PLACE ? line_torn(making)
							    : lines_line_of(making, innermost);

	sample_counts_add(&line->self, counts);
	sample_counts_add(&line->total, counts);
}

static void special_add(struct making *making, const struct line *wanted,
			const struct sample_counts *counts)
{
	struct line *line = lines_line(making->lines, wanted);

	sample_counts_add(&line->self, counts);
	sample_counts_add(&line->total, counts);
}

static void own_row_add(struct making *making, const struct sample_row *row)
{
	static const struct line import = { SAMPLE_NONE, SAMPLE_NONE, .is_import = true },
				 rest = { SAMPLE_NONE, SAMPLE_NONE, .is_outside = true };
	struct own *own = making->lines->own;
	const struct sample_place *innermost = samples_place(making->samples, row->place);
	const struct sample_place *users = own_place_of(making->samples, own, row->place);
	struct sample_counts counts = row->counts;
	bool imports = own_place_is_import(making->samples, own, innermost, users);

	if (making->of_steps) {
		struct sample_counts outside = row->counts;

		counts = row->in_steps;
		sample_counts_take(&outside, &counts);
		if (outside.looks && making->samples->has_steps)
			special_add(making, imports ? &import : &rest, &outside);
	}
	if (!counts.looks)
		return;
	if (imports)
		special_add(making, &import, &counts);
	else if (users)
		users_add(making, innermost, users, &counts);
	else
		others_add(making, row, innermost, &counts);
}

void lines_make_own(struct lines *lines, const struct samples *samples, enum lines_by by,
		    struct own *own, bool of_steps)
{
	struct making making = { lines, samples, of_steps && samples_have_steps(samples) };

	if (!own || own->is_off) {
		lines_make(lines, samples, by);
		return;
	}
	*lines = (struct lines){ .by = by, .own = own };
	own_places_note_scripts(samples, own);
	map_init(&lines->map);
	line_links_init(&lines->links);
	for (size_t i = 0; i < samples->row_count; i++)
		own_row_add(&making, &samples->row[i]);
}

/* --- all code --- */

void lines_make(struct lines *lines, const struct samples *samples, enum lines_by by)
{
	struct making making = { .lines = lines, .samples = samples };

	*lines = (struct lines){ .by = by };
	map_init(&lines->map);
	line_links_init(&lines->links);
	for (size_t i = 0; i < samples->row_count; i++)
		lines_row_add(&making, &samples->row[i]);
}

void lines_make_gil(struct lines *lines, const struct gil *gil, enum lines_by by, struct own *own)
{
	struct making making = { .lines = lines, .samples = gil->samples };

	*lines = (struct lines){ .by = by };
	map_init(&lines->map);
	line_links_init(&lines->links);
	if (own)
		own_places_note_scripts(gil->samples, own);
	for (size_t i = 0; i < gil->row_count; i++) {
		const struct gil_row *row = &gil->row[i];
		struct gil_counts *counts;

		if (row->thread)
			continue;
		counts = row->place == SAMPLE_TORN_PLACE
				 ? &line_torn(&making)->gil
				 : &lines_line_of(&making, own_place_or_innermost(gil->samples, own,
										  row->place))
					    ->gil;
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
	line_links_release(&lines->links);
}

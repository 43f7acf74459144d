/* SPDX-License-Identifier: MIT */
/* Rows of report step-diff: see rows_step_diff.h. */
#include "report/step_diff/rows_step_diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/samples/own_places.h"
#include "report/table/cells.h"

#define SAME_PERCENT 10u

/* A pair with its parts; NULL: the step does not have it. */
struct diff_row {
	const struct step_part *part[STEP_SIDES];
	const struct step_part *any;
	enum step_part_kind kind;
	int64_t longer_ns;
};

static struct diff_row diff_row_of(const struct step_diff *diff, const struct step_pair *pair)
{
	struct diff_row row = { .kind = STEP_PART_SAME };

	for (unsigned int i = 0; i < STEP_SIDES; i++)
		if (pair->part[i] != STEP_PART_NONE)
			row.part[i] = &diff->tracks->of[i].part[pair->part[i]];
	if (!row.part[STEP_TYPICAL])
		row.kind = STEP_PART_ADDITIONAL;
	else if (!row.part[STEP_SLOW])
		row.kind = STEP_PART_MISSING;
	row.any = row.part[STEP_SLOW] ? row.part[STEP_SLOW] : row.part[STEP_TYPICAL];
	if (row.part[STEP_SLOW])
		row.longer_ns += (int64_t)row.part[STEP_SLOW]->self_ns;
	if (row.part[STEP_TYPICAL])
		row.longer_ns -= (int64_t)row.part[STEP_TYPICAL]->self_ns;
	return row;
}

static const char *diff_row_word(const struct diff_row *row)
{
	uint64_t least_ns;

	if (row->kind != STEP_PART_SAME)
		return row->kind == STEP_PART_ADDITIONAL ? "additional" : "missing";
	least_ns = row->part[STEP_TYPICAL]->self_ns / (100 / SAME_PERCENT);
	if (row->longer_ns > 0 && (uint64_t)row->longer_ns > least_ns)
		return "longer";
	return row->longer_ns < 0 && (uint64_t)-row->longer_ns > least_ns ? "shorter" : "same";
}

/* --- names --- */

static void diff_row_text(const struct step_diff *diff, const struct step_part *part, bool indents,
			  char text[STEP_PART_BYTES])
{
	char shown[STEP_PART_BYTES - 40];
	size_t length;
	const char *name;

	if (part->name == STEP_PART_NONE) {
		snprintf(text, STEP_PART_BYTES, "%s",
			 diff->tracks->of[STEP_SLOW].count > 1 ||
					 diff->tracks->of[STEP_TYPICAL].count > 1
				 ? "(before the first operator)"
				 : "(the whole step)");
		return;
	}
	name = name_text(source_name_at(diff->source, part->name), &length);
	text_escape(shown, sizeof(shown), name, length);
	snprintf(text, STEP_PART_BYTES, part->is_gap ? "%*s(after %s)" : "%*s%s",
		 indents ? 2 * (int)(part->depth < 8 ? part->depth : 8) : 0, "", shown);
}

/* A user's line that was seen in a part. */
struct seen_line {
	uint32_t file, number;
	uint64_t ns, looks;
};

#define SEEN_LINES 16u /* of one part; others are left out */

static void seen_line_add(struct seen_line *lines, size_t *count, const struct sample_code *code,
			  uint32_t number, uint64_t ns)
{
	size_t at = 0;

	while (at < *count && (lines[at].file != code->file || lines[at].number != number))
		at++;
	if (at == SEEN_LINES)
		return;
	if (at == *count)
		lines[(*count)++] = (struct seen_line){ .file = code->file, .number = number };
	lines[at].ns += ns;
	lines[at].looks++;
}

/* The time that a look stands for in a part; 0: it was taken before or after it. */
static uint64_t look_in_part_ns(const struct step_look *look, const struct step_part *part)
{
	uint64_t from_ns = look->from_ns > part->start_ns ? look->from_ns : part->start_ns;

	return look->to_ns > from_ns && look->to_ns <= part->end_ns ? look->to_ns - from_ns : 0;
}

/* The user's line that the slow step's thread was in for most of a part; false: none was seen. */
static bool diff_row_line(const struct step_diff *diff, struct own *own,
			  const struct step_part *part, struct seen_line *ret_line)
{
	const struct step_track *track = &diff->tracks->of[STEP_SLOW];
	struct seen_line lines[SEEN_LINES];
	size_t count = 0, most = 0;

	for (size_t i = 0; i < track->look_count; i++) {
		uint64_t ns = look_in_part_ns(&track->look[i], part);
		const struct sample_place *place = ns ? own_place_of(diff->samples, own,
								     track->look[i].place)
						      : NULL;
		const struct sample_code *code = place ? samples_code(diff->samples, place->code)
						       : NULL;

		if (code)
			seen_line_add(lines, &count, code, place->line, ns);
	}
	for (size_t i = 1; i < count; i++)
		if (lines[i].ns > lines[most].ns)
			most = i;
	if (count)
		*ret_line = lines[most];
	return count;
}

static void seen_line_text(const struct step_diff *diff, const struct seen_line *line,
			   char text[STEP_PART_BYTES])
{
	char shown[STEP_PART_BYTES - 16];
	size_t length;
	const char *name = name_text(source_name_at(diff->source, line->file), &length);
	const char *slash = memrchr(name, '/', length);

	if (slash) {
		length -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	text_escape(shown, sizeof(shown), name, length);
	snprintf(text, STEP_PART_BYTES, "%s:%u", shown, line->number);
}

/* --- rows --- */

static const enum column_id diff_self[STEP_SIDES] = { COLUMN_step_diff_typical_ns,
						      COLUMN_step_diff_slow_ns };
static const enum column_id diff_wait[STEP_SIDES] = { COLUMN_step_diff_typical_waiting_ns,
						      COLUMN_step_diff_slow_waiting_ns };
static const enum column_id diff_start[STEP_SIDES] = { COLUMN_step_diff_typical_start_ns,
						       COLUMN_step_diff_slow_start_ns };

static void diff_row_put(struct step_diff *diff, const struct diff_row *row, struct table *table)
{
	char text[STEP_PART_BYTES];
	const char *what = diff_row_word(row);
	uint64_t waited_ns;

	diff_row_text(diff, row->any, diff->options->format == FORMAT_TABLE, text);
	table_put_text(table, COLUMN_step_diff_part,
		       text_store_put(&table->texts, text, strlen(text)));
	table_set_text(table, COLUMN_step_diff_what, what, strlen(what));
	table_set_number(table, COLUMN_step_diff_depth, row->any->depth);
	table_set_signed(table, COLUMN_step_diff_longer_ns, row->longer_ns);
	for (unsigned int i = 0; i < STEP_SIDES; i++) {
		const struct step_part *part = row->part[i];

		if (!part)
			continue;
		table_set_number(table, diff_self[i], part->self_ns);
		table_set_number(table, diff_start[i], part->start_ns - diff->two->step[i].from_ns);
		if (step_track_waited(&diff->tracks->of[i], part->start_ns, part->end_ns,
				      &waited_ns))
			table_set_number(table, diff_wait[i], waited_ns);
	}
}

static void step_diff_note(struct step_diff *diff, const struct diff_row *row,
			   const struct seen_line *line)
{
	diff->longer_ns[row->kind] += row->longer_ns;
	diff->parts[row->kind]++;
	if (row->longer_ns <= diff->most.longer_ns)
		return;
	diff->most = (struct step_diff_most){ .longer_ns = row->longer_ns,
					      .kind = row->kind,
					      .looks = line ? line->looks : 0 };
	diff_row_text(diff, row->any, false, diff->most.part);
	if (line)
		seen_line_text(diff, line, diff->most.line);
}

static void step_diff_put(struct step_diff *diff, struct own *own, const struct step_pair *pair,
			  uint64_t position, struct table *table)
{
	struct diff_row row = diff_row_of(diff, pair);
	struct seen_line line;
	bool has_line = row.part[STEP_SLOW] && diff_row_line(diff, own, row.part[STEP_SLOW], &line);
	char text[STEP_PART_BYTES];

	table_add_row(table);
	table_set_number(table, COLUMN_step_diff_position, position);
	diff_row_put(diff, &row, table);
	if (has_line) {
		seen_line_text(diff, &line, text);
		table_put_text(table, COLUMN_step_diff_line,
			       text_store_put(&table->texts, text, strlen(text)));
	}
	step_diff_note(diff, &row, has_line ? &line : NULL);
}

void step_diff_fill(struct step_diff *diff, struct table *table)
{
	struct step_pairs pairs = { .count = 0 };
	struct own own;

	if (!diff->two->are_known)
		return;
	own_places_init(&own, diff->samples, diff->source, diff->options);
	step_match(&pairs, diff->tracks);
	for (size_t i = 0; i < pairs.count; i++)
		step_diff_put(diff, &own, &pairs.pair[i], i, table);
	step_pairs_release(&pairs);
	own_release(&own);
}

bool step_diff_waited(const struct step_diff *diff, enum two_steps_side side, uint64_t *ret_ns)
{
	return step_track_waited(&diff->tracks->of[side], diff->two->step[side].from_ns,
				 diff->two->step[side].to_ns, ret_ns);
}

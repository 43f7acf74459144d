/* SPDX-License-Identifier: MIT */
/*
 * A row's key is the text of its key columns, behind its parent's key in a tree. If several rows of
 * a run have the same key, their other texts are added to the key (who imported a module, and
 * where). Rows that are still equal are numbered in their order. diff.def says which columns are
 * keys, and which columns give the error of a value.
 */
#include "report/diff/joined.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_PRIORITY 4 /* less important columns are not part of a row's name */
#define LEAF_SHARE 0.9   /* of a total: the remaining part is too small to make the total vary */
#define KEY_SEPARATOR '\x1f'
#define KEY_ZERO '\x1e'

static const struct {
	const char *report, *columns;
} own_keys[] = {
#define DIFF_KEY(report, columns) { #report, columns },
#include "report/diff/diff.def"
};

static const char *const of_one_run[] = {
#define DIFF_OF_ONE_RUN(column) #column,
#include "report/diff/diff.def"
};

static bool is_of_one_run(const char *column)
{
	for (size_t i = 0; i < sizeof(of_one_run) / sizeof(of_one_run[0]); i++)
		if (!strcmp(of_one_run[i], column))
			return true;
	return false;
}

static bool joined_has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t own = strcspn(at, " ");

		if (own == length && !memcmp(at, word, length))
			return true;
		at += own;
	}
	return false;
}

/* Returns the words that name columns: those of the report, or those of its key if it has any. */
static const char *key_words(const struct batch_report *one)
{
	if (one->by != KEY_ID_LIMIT && *key_list[one->by].columns)
		return key_list[one->by].columns;
	for (size_t i = 0; i < sizeof(own_keys) / sizeof(own_keys[0]); i++)
		if (!strcmp(own_keys[i].report, report_infos[one->id].id))
			return own_keys[i].columns;
	return NULL;
}

static bool is_key(const struct batch_report *one, size_t at)
{
	const struct column *column = one->job.table.column[at];
	const char *words = key_words(one);
	bool is_listed = words ? joined_has_word(words, column->name) : column->priority == 0;

	if (!is_listed || is_of_one_run(column->name))
		return false;
	return column_is_text(column) || column->unit == UNIT_CLASS || column->unit == UNIT_ID ||
	       !strcmp(column->name, "step") || !strcmp(column->name, "shared_bytes");
}

/*
 * Returns whether the column distinguishes rows beyond their key, such as the file of a function.
 */
static bool joined_is_more(const struct batch_report *one, size_t at)
{
	const struct table *table = &one->job.table;
	const struct column *column = table->column[at];

	if (is_key(one, at) || is_of_one_run(column->name) ||
	    (table->stacks.frames && column == &column_list[table->stacks.column]))
		return false;
	return column_is_text(column) || column->unit == UNIT_ID;
}

bool joined_compares(const struct batch_report *one, size_t at)
{
	const struct column *column = one->job.table.column[at];

	return !column_is_text(column) && column->unit != UNIT_ID && column->unit != UNIT_CLASS &&
	       !is_of_one_run(column->name) && !is_key(one, at);
}

enum key_id joined_key(enum report_id id)
{
	static const struct {
		enum report_id id;
		const char *key;
	} shown[] = {
#define DIFF_ROWS(report, key, column, rows) { REPORT_##report, #key },
#include "report/diff/diff.def"
	};

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (shown[i].id == id && *shown[i].key)
			return batch_key(id, shown[i].key);
	return batch_key(id, NULL);
}

/* --- which rows are the same --- */

struct naming {
	char *key, *name;
	size_t key_bytes, name_bytes;
	FILE *key_out, *name_out;
};

/* Keys are texts that end at a zero byte, but names may contain one. */
static void put_whole(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!text[i])
			putc(KEY_ZERO, out);
		putc(text[i] ? text[i] : '0', out);
	}
}

static void naming_add(struct naming *naming, const struct column *column, const struct cell *cell)
{
	const char *gap = ftell(naming->name_out) > 0 ? ", " : "";
	char text[UNIT_TEXT_BYTES];

	putc(KEY_SEPARATOR, naming->key_out);
	if (cell->kind == CELL_TEXT) {
		put_whole(naming->key_out, cell->text, cell->length);
		if (cell->length && column->priority <= NAMED_PRIORITY)
			fprintf(naming->name_out, "%s%.*s", gap, (int)cell->length, cell->text);
	} else if (cell->kind != CELL_NONE) {
		fprintf(naming->key_out, "%" PRIu64, cell->number);
		if (column->unit == UNIT_CLASS)
			fprintf(naming->name_out, "%s%s", gap,
				unit_format(text, UNIT_CLASS, cell->number));
		else
			fprintf(naming->name_out, "%s%s %" PRIu64, gap, column->header,
				cell->number);
	}
}

static struct joined_row *joined_find(struct joined *joined, const char *key, const char *name)
{
	uint32_t number = interned_put(&joined->keys, key, strlen(key));
	struct joined_row *row;

	if (number < joined->count)
		return &joined->row[number];
	joined->row = memory_room(joined->row, joined->count, &joined->room, sizeof(*joined->row));
	row = &joined->row[joined->count++];
	*row = (struct joined_row){ .name = text_store_put(&joined->texts, name, strlen(name)),
				    .side = SIZE_MAX };
	row->row = memory_zero(joined->sides->count, sizeof(*row->row));
	for (size_t i = 0; i < joined->sides->count; i++)
		row->row[i] = SIZE_MAX;
	return row;
}

/* Equal rows of one side are distinguished by their order. */
static void joined_put(struct joined *joined, size_t side, size_t row, const char *key,
		       const char *name)
{
	struct joined_row *found = joined_find(joined, key, name);
	const char *nth_key, *nth_name;

	if (found->side != side)
		found->seen = 0;
	found->side = side;
	if (found->seen++) {
		nth_key = text_store_format(&joined->texts, "%s%c#%u", key, KEY_SEPARATOR,
					    found->seen);
		nth_name = text_store_format(&joined->texts, "%s #%u", name, found->seen);
		found = joined_find(joined, nth_key, nth_name);
	}
	found->row[side] = row;
}

typedef bool is_part(const struct batch_report *one, size_t at);

static void naming_begin(struct naming *naming)
{
	*naming = (struct naming){ .key = NULL };
	naming->key_out = open_memstream(&naming->key, &naming->key_bytes);
	naming->name_out = open_memstream(&naming->name, &naming->name_bytes);
	if (!naming->key_out || !naming->name_out)
		memory_grow(NULL, SIZE_MAX, 2); /* ends the program with the message about memory */
}

static void naming_end(struct naming *naming, const struct batch_report *one, size_t row,
		       is_part *part)
{
	const struct table *table = &one->job.table;

	for (size_t i = 0; i < table->column_count; i++)
		if (part(one, i))
			naming_add(naming, table->column[i], table_cell(table, row, i));
	fclose(naming->key_out);
	fclose(naming->name_out);
}

static void joined_naming_release(struct naming *naming)
{
	free(naming->key);
	free(naming->name);
}

/* A row of a tree is the same as another one if the rows around it are, too. */
static void name_row(const struct batch_report *one, size_t row, const char *const *keys,
		     struct naming *naming)
{
	const struct table *table = &one->job.table;

	naming_begin(naming);
	if (table->is_tree && table->parent[row] != TABLE_NO_PARENT && keys[table->parent[row]])
		fputs(keys[table->parent[row]], naming->key_out);
	naming_end(naming, one, row, is_key);
}

/* Adds the distinguishing texts to the key. */
static void put_ambiguous(struct joined *joined, size_t side, size_t row,
			  const struct naming *naming)
{
	const struct batch_report *one = joined->sides->side[side].batch.report[joined->place];
	struct naming more;
	const char *key, *name = naming->name;

	naming_begin(&more);
	naming_end(&more, one, row, joined_is_more);
	key = text_store_format(&joined->texts, "%s%s", naming->key, more.key);
	if (*more.name)
		name = text_store_format(&joined->texts, "%s (%s)", naming->name, more.name);
	joined_put(joined, side, row, key, name);
	joined_naming_release(&more);
}

/*
 * Rows that have the key on one side: the side + 1 in the upper half, and a bit if any side has
 * several.
 */
#define SEVERAL 1u

static void count_key(struct joined *joined, size_t side, const struct naming *naming)
{
	struct map_entry *seen;
	bool added;

	seen = map_put(&joined->seen, map_hash_bytes(naming->key, naming->key_bytes, 0), &added);
	if (!added && seen->value >> 32 == side + 1)
		seen->value |= SEVERAL;
	seen->value = (uint64_t)(side + 1) << 32 | (seen->value & SEVERAL);
}

static void join_row(struct joined *joined, size_t side, size_t row, const struct naming *naming)
{
	bool added;
	struct map_entry *seen = map_put(&joined->seen,
					 map_hash_bytes(naming->key, naming->key_bytes, 0), &added);

	if (seen->value & SEVERAL)
		put_ambiguous(joined, side, row, naming);
	else
		joined_put(joined, side, row, naming->key, naming->name);
}

/* First counts the keys of the rows, then joins the rows. */
static void joined_add_side(struct joined *joined, size_t side, bool counts)
{
	const struct batch_report *one = joined->sides->side[side].batch.report[joined->place];
	const char **keys = memory_zero(one->job.table.row_count + 1, sizeof(*keys));

	for (size_t row = 0; row < one->job.table.row_count; row++) {
		struct naming naming;

		name_row(one, row, keys, &naming);
		if (one->job.table.is_tree)
			keys[row] = text_store_put(&joined->texts, naming.key, strlen(naming.key));
		if (counts)
			count_key(joined, side, &naming);
		else
			join_row(joined, side, row, &naming);
		joined_naming_release(&naming);
	}
	free(keys);
}

void joined_make(struct joined *joined, const struct sides *sides, size_t place)
{
	*joined = (struct joined){ .sides = sides, .place = place };
	map_init(&joined->seen);
	for (size_t side = 0; side < sides->count; side++)
		joined_add_side(joined, side, true);
	for (size_t side = 0; side < sides->count; side++)
		joined_add_side(joined, side, false);
}

void joined_release(struct joined *joined)
{
	for (size_t i = 0; i < joined->count; i++)
		free(joined->row[i].row);
	free(joined->row);
	interned_release(&joined->keys);
	map_release(&joined->seen);
	text_store_release(&joined->texts);
}

bool joined_is_one_sided(const struct sides *sides, size_t place)
{
	size_t with = 0;

	for (size_t i = 0; i < sides->count; i++)
		with += sides->side[i].batch.report[place]->job.table.row_count > 0;
	return with && with < sides->count;
}

/* --- their numbers --- */

static double cell_value(const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NUMBER:
		return (double)cell->number;
	case CELL_SIGNED:
		return (double)(int64_t)cell->number;
	case CELL_REAL:
		return cell->real;
	default:
		return NAN;
	}
}

/* Returns NAN if the table has no such column, or the row has no value. */
static double named_value(const struct table *table, size_t row, const char *name)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (!strcmp(table->column[i]->name, name))
			return cell_value(table_cell(table, row, i));
	return NAN;
}

static double calls_error(const struct table *table, size_t row, const char *name)
{
	static const struct {
		const char *total, *mean, *spread, *calls;
	} timed[] = {
#define DIFF_CALLS(total, mean, spread, calls) { #total, #mean, #spread, #calls },
#include "report/diff/diff.def"
	};

	for (size_t i = 0; i < sizeof(timed) / sizeof(timed[0]); i++) {
		double calls = named_value(table, row, timed[i].calls);
		double error = noise_of_calls(named_value(table, row, timed[i].spread), calls);

		if (isnan(error))
			continue;
		if (!strcmp(name, timed[i].mean))
			return error;
		if (!strcmp(name, timed[i].total))
			return error * calls;
	}
	return NAN;
}

static const struct {
	const char *column, *samples;
} sampled[] = {
#define DIFF_SAMPLES(column, samples) { #column, #samples },
#include "report/diff/diff.def"
};

static bool is_sampled(const struct table *table, size_t row, const char *name)
{
	for (size_t i = 0; i < sizeof(sampled) / sizeof(sampled[0]); i++)
		if (!strcmp(name, sampled[i].column) &&
		    !isnan(named_value(table, row, sampled[i].samples)))
			return true;
	return false;
}

static double fact_value(const struct facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->count; i++)
		if (!strcmp(facts->fact[i].name, name) && facts->fact[i].cell.kind != CELL_TEXT)
			return cell_value(&facts->fact[i].cell);
	return NAN;
}

/*
 * Looks that found a thread waiting say nothing of its CPU time. On a busy machine few others are
 * left, and each stands for much of it: a row has as many of them as its share of all CPU time.
 */
static double samples_error(const struct batch_report *one, size_t row, const char *name)
{
	const struct facts *facts = &one->job.facts;
	double whole = fact_value(facts, "cpu_ns"), looks = fact_value(facts, "cpu_samples");

	for (size_t i = 0; i < sizeof(sampled) / sizeof(sampled[0]); i++) {
		double value = named_value(&one->job.table, row, sampled[i].column);
		double samples = named_value(&one->job.table, row, sampled[i].samples);

		if (strcmp(name, sampled[i].column) != 0 || !(samples > 0) || !(value > 0))
			continue;
		if (whole > 0 && looks > 0)
			samples = fmin(samples, looks * value / whole);
		return noise_of_samples(value, samples);
	}
	return NAN;
}

static double row_error(const struct batch_report *one, size_t row, const char *name)
{
	const struct table *table = &one->job.table;
	static const struct {
		const char *column, *total;
	} leaves[] = {
#define DIFF_LEAF(column, total) { #column, #total },
#include "report/diff/diff.def"
	};
	double error = calls_error(table, row, name);

	if (isnan(error))
		error = samples_error(one, row, name);
	for (size_t i = 0; isnan(error) && i < sizeof(leaves) / sizeof(leaves[0]); i++)
		if (!strcmp(name, leaves[i].column) &&
		    named_value(table, row, name) >=
			    LEAF_SHARE * named_value(table, row, leaves[i].total))
			error = calls_error(table, row, leaves[i].total);
	return error;
}

/* Stacks may be counted per step. */
static double joined_share(const struct joined *joined, size_t side, size_t column)
{
	const struct batch_report *one = joined->sides->side[side].batch.report[joined->place];

	return one->id == REPORT_flame && one->job.table.column[column]->unit == UNIT_AMOUNT
		       ? joined->sides->side[side].steps
		       : 1;
}

static struct measured measure_row(const struct batch_report *one, size_t row, size_t column)
{
	struct measured measured = { .error = NAN };

	if (row == SIZE_MAX)
		return measured;
	measured.value = cell_value(table_cell(&one->job.table, row, column));
	measured.has = !isnan(measured.value);
	measured.error = row_error(one, row, one->job.table.column[column]->name);
	measured.is_sampled = is_sampled(&one->job.table, row, one->job.table.column[column]->name);
	return measured;
}

struct change joined_change(const struct joined *joined, const struct joined_row *row,
			    size_t column)
{
	const struct sides *sides = joined->sides;
	struct measured *measured = memory_zero(sides->count, sizeof(*measured));
	const struct batch_report *one = sides->side[0].batch.report[joined->place];
	struct change change;

	for (size_t i = 0; i < sides->count; i++) {
		measured[i] = measure_row(sides->side[i].batch.report[joined->place], row->row[i],
					  column);
		measured[i].value /= joined_share(joined, i, column);
	}
	change = noise_judge(measured, sides->before, sides->count - sides->before,
			     one->job.table.column[column]->unit);
	/* samples may have missed the stack by chance, and the table does not have their number */
	if ((change.verdict == VERDICT_NEW || change.verdict == VERDICT_GONE) &&
	    sides_is_sampled(sides, joined->place))
		change.verdict = VERDICT_NONE;
	free(measured);
	return change;
}

struct moment {
	double start, value;
};

static int compare_moments(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* For a column of steps, in the order of the steps; NAN if a step has no value. */
static double series_error(const struct table *table, const char *column, bool is_median)
{
	struct moment *moment = memory_zero(table->row_count + 1, sizeof(*moment));
	double *value = memory_zero(table->row_count + 1, sizeof(*value)), error = NAN;
	bool is_whole = true;

	for (size_t row = 0; row < table->row_count; row++) {
		moment[row] = (struct moment){ named_value(table, row, "start_ns"),
					       named_value(table, row, column) };
		is_whole = is_whole && !isnan(moment[row].start) && !isnan(moment[row].value);
	}
	if (is_whole) {
		qsort(moment, table->row_count, sizeof(*moment), compare_moments);
		for (size_t row = 0; row < table->row_count; row++)
			value[row] = moment[row].value;
		error = noise_of_series(value, table->row_count, is_median);
	}
	free(moment);
	free(value);
	return error;
}

/* Only steps have totals whose variation inside of a run is known. */
static double total_error(const struct batch_report *one, const char *fact)
{
	if (one->id != REPORT_steps)
		return NAN;
	if (!strcmp(fact, "p50_ns"))
		return series_error(&one->job.table, "total_ns", true);
	if (!strcmp(fact, "avg_ns"))
		return series_error(&one->job.table, "total_ns", false);
	return (double)one->job.table.row_count * series_error(&one->job.table, fact, false);
}

/* Without rows, a total of 0 is no measurement, except that nothing leaked. */
static bool has_totals(const struct batch_report *one)
{
	return one->job.table.row_count ||
	       (one->id == REPORT_leaks &&
		!why_empty_is_off(one->job.report.run, one->job.report.kind->family));
}

struct change joined_change_total(const struct sides *sides, size_t place, const char *fact,
				  enum unit *ret_unit)
{
	struct measured *measured = memory_zero(sides->count, sizeof(*measured));
	struct change change;

	*ret_unit = UNIT_COUNT;
	for (size_t i = 0; i < sides->count; i++) {
		const struct batch_report *one = sides->side[i].batch.report[place];

		measured[i].error = NAN;
		for (size_t k = 0; k < one->job.facts.count; k++) {
			const struct fact *found = &one->job.facts.fact[k];

			if (strcmp(found->name, fact) != 0 || found->cell.kind == CELL_TEXT)
				continue;
			measured[i].value = cell_value(&found->cell) /
					    (one->id == REPORT_flame ? sides->side[i].steps : 1);
			measured[i].has = !isnan(measured[i].value) && has_totals(one);
			measured[i].error = total_error(one, fact);
			*ret_unit = found->unit;
		}
	}
	change = noise_judge(measured, sides->before, sides->count - sides->before, *ret_unit);
	free(measured);
	return change;
}

/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/table/table.c, report/table/export*.c: order, conditions, trees, and what tables look
 * like.
 */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/table/row_filter.h"
#include "report/table/export.h"
#include "report/base/json.h"
#include "report/base/text.h"

static void add_range(struct table *table, const char *name, uint64_t count, uint64_t total_ns)
{
	table_add_row(table);
	table_set_text(table, COLUMN_nvtx_name, name, strlen(name));
	table_set_text(table, COLUMN_nvtx_domain, "default", 7);
	table_set_number(table, COLUMN_nvtx_count, count);
	table_set_number(table, COLUMN_nvtx_total_ns, total_ns);
	table_set_number(table, COLUMN_nvtx_self_ns, total_ns / 2);
	table_set_real(table, COLUMN_nvtx_percent, 12.5);
	table_set_number(table, COLUMN_nvtx_avg_ns, total_ns / count);
	table_set_number(table, COLUMN_nvtx_min_ns, 1000);
	table_set_number(table, COLUMN_nvtx_max_ns, 2000000);
	table_set_number(table, COLUMN_nvtx_stddev_ns, 1234);
	table_set_number(table, COLUMN_nvtx_p50_ns, 1500);
	table_set_number(table, COLUMN_nvtx_p90_ns, 15000);
	table_set_number(table, COLUMN_nvtx_p99_ns, 150000);
	table_set_number(table, COLUMN_nvtx_bytes_allocated, 4718592);
}

static struct table three_ranges(void)
{
	struct table table;

	table_init(&table, "nvtx", NULL);
	add_range(&table, "forward", 100, 5000000);
	add_range(&table, "backward \"x\", y", 100, 7000000);
	add_range(&table, "at::native::conv2d_forward_with_a_very_long_name(at::Tensor const&)",
		  1234567, 900000000);
	return table;
}

static int column_of(const struct table *table, const char *name)
{
	return columns_find(table->column, table->column_count, name, strlen(name));
}

static void arrange(struct table *table, const char *sort, bool descending, size_t limit)
{
	table_arrange(table, &(struct arrangement){ column_of(table, sort), descending, limit, NULL,
						    0, 0, false });
}

#define NO_LIMIT 0

/* What an exporter writes, as a string of static storage. */
static const char *drawn(const struct table *table, size_t width, bool utf8,
			 void (*exporter)(const struct document *, const struct screen *))
{
	static char text[16384];
	struct document document = { .report = "nvtx", .table = table };
	struct screen screen = { .out = fmemopen(text, sizeof(text), "w"),
				 .width = width,
				 .uncut = width == NO_LIMIT,
				 .utf8 = utf8 };

	for (size_t i = 0; i < table->column_count; i++)
		document.shown[document.shown_count++] = i;
	exporter(&document, &screen);
	fclose(screen.out);
	return text;
}

TEST(rows_are_sorted_and_limited)
{
	struct table table = three_ranges();

	arrange(&table, "total_ns", true, 2);
	assert_int_equal(table.shown, 2);
	assert_int_equal(table.passed, 3);
	assert_int_equal(table.order[0], 2);
	assert_int_equal(table.order[1], 1);
	arrange(&table, "count", false, 0); /* a tie goes by name */
	assert_int_equal(table.order[0], 1);
	assert_int_equal(table.order[1], 0);
	assert_int_equal(table.shown, 3);
	add_range(&table, "a", 100, 1000000);
	table_arrange(&table,
		      &(struct arrangement){ .sort = column_of(&table, "count"),
					     .then = (size_t)column_of(&table, "total_ns") + 1 });
	assert_int_equal(table.order[0], 1); /* or by what is asked for, the largest first */
	assert_int_equal(table.order[1], 0);
	assert_int_equal(table.order[2], 3);
	table_release(&table);
}

#define MANY 5000u

/* Those that are shown are the ones that come first when all are sorted, ties too. */
TEST(few_of_many_are_the_first_ones)
{
	static const size_t limits[] = { 1, 2, 7, 40, 1249, 1250, 4999, 5000, 9000 };
	static char name[MANY][12];
	uint64_t seed = 1;
	struct table table, whole;

	table_init(&table, "nvtx", NULL);
	table_init(&whole, "nvtx", NULL);
	for (size_t i = 0; i < MANY; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		snprintf(name[i], sizeof(name[i]), "r%u", (unsigned int)(seed >> 40) % 50);
		add_range(&table, name[i], 1 + (seed >> 33) % 300, 1000);
		add_range(&whole, name[i], 1 + (seed >> 33) % 300, 1000);
	}
	for (unsigned int i = 0; i < 2 * sizeof(limits) / sizeof(limits[0]); i++) {
		size_t limit = limits[i / 2];

		arrange(&whole, "count", i % 2, NO_LIMIT);
		arrange(&table, "count", i % 2, limit);
		assert_int_equal(table.passed, MANY);
		assert_int_equal(table.shown, limit < MANY ? limit : MANY);
		assert_memory_equal(table.order, whole.order, table.shown * sizeof(*table.order));
	}
	table_release(&table);
	table_release(&whole);
}

/*
 * A table that is told how it will be arranged keeps few rows, shows the same ones and counts all.
 */
TEST(rows_that_cannot_be_shown_are_dropped)
{
	static const size_t limits[] = { 1, 2, 7, 40 };
	static char name[MANY][12];
	uint64_t seed = 1;

	for (unsigned int k = 0; k < 2 * sizeof(limits) / sizeof(limits[0]); k++) {
		struct table table, whole;
		struct arrangement plan = { .descending = k % 2, .limit = limits[k / 2] };

		table_init(&table, "nvtx", NULL);
		table_init(&whole, "nvtx", NULL);
		plan.sort = column_of(&table, "count");
		table.plan = &plan;
		for (size_t i = 0; i < MANY; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			snprintf(name[i], sizeof(name[i]), "r%u", (unsigned int)(seed >> 40) % 50);
			add_range(&table, name[i], 1 + (seed >> 33) % 300, 1000);
			table_settle_row(&table);
			add_range(&whole, name[i], 1 + (seed >> 33) % 300, 1000);
		}
		table_arrange(&table, &plan);
		table_arrange(&whole, &plan);
		assert_true(table.row_count < MANY / 2);
		assert_int_equal(table.passed, MANY);
		assert_int_equal(table.shown, plan.limit);
		for (size_t i = 0; i < table.shown; i++)
			for (size_t column = 0; column < table.column_count; column++)
				assert_memory_equal(table_cell(&table, table.order[i], column),
						    table_cell(&whole, whole.order[i], column),
						    sizeof(struct cell));
		table_release(&table);
		table_release(&whole);
	}
}

/* What a column says is known of the rows that were dropped, too. */
TEST(dropped_rows_tell)
{
	static const char *const names[] = { "count", "min_ns", "max_ns", "name", "domain" };
	static const bool filled[] = { true, true, false, true, true };
	static const bool tells[] = { true, true, false, true, false };
	struct arrangement plan = { .descending = true, .limit = 1 };
	struct table table;

	table_init(&table, "nvtx", NULL);
	plan.sort = column_of(&table, "count");
	table.plan = &plan;
	for (unsigned int i = 0; i < 3; i++) {
		table_add_row(&table);
		table_set_text(&table, COLUMN_nvtx_name, i == 1 ? "other" : "name", i == 1 ? 5 : 4);
		table_set_text(&table, COLUMN_nvtx_domain, "default", 7);
		table_set_number(&table, COLUMN_nvtx_count, 10 - i);
		if (i == 2)
			table_set_number(&table, COLUMN_nvtx_min_ns, 7);
		table_settle_row(&table);
	}
	table_arrange(&table, &plan);
	assert_int_equal(table.row_count, 1);
	assert_int_equal(table.passed, 3);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t column = (size_t)column_of(&table, names[i]);

		assert_int_equal(table_column_is_filled(&table, column), filled[i]);
		assert_int_equal(table_column_tells(&table, column), tells[i]);
	}
	table_release(&table);
}

static double number_in(const char *expression)
{
	const struct column *columns[COLUMNS_MAX];
	size_t count = columns_of("actions", columns);
	struct row_filter condition;
	char message[200];

	assert_int_equal(
		row_filter_parse(&condition, expression, columns, count, message, sizeof(message)),
		0);
	return condition.number;
}

TEST(a_heading_in_seconds_compares_seconds)
{
	assert_true(number_in("Mean duration (s)>0.5") == 5e8);
	assert_true(number_in("Mean duration (s) > 2") == 2e9);
	assert_true(number_in("Mean duration (s)>5ms") == 5e6);
	assert_true(number_in("mean_ns>5") == 5);
}

TEST(rows_must_meet_all_conditions)
{
	struct table table = three_ranges();
	struct row_filter condition[2];
	char message[256];

	assert_int_equal(row_filter_parse(&condition[0], "name=*ward*", table.column,
					  table.column_count, message, sizeof(message)),
			 0);
	assert_int_equal(row_filter_parse(&condition[1], "total_ns>6ms", table.column,
					  table.column_count, message, sizeof(message)),
			 0);
	table_arrange(&table, &(struct arrangement){ column_of(&table, "total_ns"), true, 0,
						     condition, 1, 0, false });
	assert_int_equal(table.shown, 3);
	table_arrange(&table, &(struct arrangement){ column_of(&table, "total_ns"), true, 0,
						     condition, 2, 0, false });
	assert_int_equal(table.shown, 2);
	table_release(&table);
}

TEST(eighty_columns)
{
	struct table table = three_ranges();

	arrange(&table, "total_ns", true, 0);
	assert_string_equal(
		drawn(&table, 80, true, export_table_rows),
		"range                               count    total     self      p50  heap bytes\n"
		"\u2026::conv2d_forward_with_a_very\u2026  1,234,567   900 ms   450 ms  1.50 us    "
		"4.50 "
		"MiB\n"
		"backward \"x\", y                       100  7.00 ms  3.50 ms  1.50 us    4.50 "
		"MiB\n"
		"forward                               100  5.00 ms  2.50 ms  1.50 us    4.50 MiB\n"
		"not shown: --columns percent,avg_ns,min_ns,max_ns,stddev_ns,p90_ns,p99_ns\n");
	table_release(&table);
}

TEST(no_line_is_wider_than_the_screen)
{
	struct table table = three_ranges();

	arrange(&table, "total_ns", true, 0);
	for (size_t width = 50; width <= 250; width++) {
		const char *line = drawn(&table, width, width & 1, export_table_rows);

		while (*line) {
			size_t length = strcspn(line, "\n");

			if (text_width(line, length) > width)
				fail_msg("%zu columns: '%.*s'", width, (int)length, line);
			line += length + 1;
		}
	}
	table_release(&table);
}

TEST(wide_screens_show_all_that_says_something)
{
	struct table table = three_ranges();
	const char *text;

	arrange(&table, "total_ns", true, 0);
	text = drawn(&table, 200, true, export_table_rows);
	assert_non_null(strstr(text, "conv2d_forward_with_a_very_long_name"));
	assert_non_null(strstr(text, "stddev"));
	assert_null(strstr(text, "domain"));     /* the same in all rows */
	assert_null(strstr(text, "cuda calls")); /* hidden */
	assert_null(strstr(text, "not shown"));
	table_release(&table);
}

TEST(without_a_screen_nothing_is_cut)
{
	struct table table = three_ranges();
	char folder[400] = "/";
	const char *text, *line;

	memset(folder + 1, 'x', 300);
	add_range(&table, folder, 1, 1);
	arrange(&table, "total_ns", true, 0);
	text = drawn(&table, NO_LIMIT, true, export_table_rows);
	assert_non_null(strstr(
		text, "at::native::conv2d_forward_with_a_very_long_name(at::Tensor const&)"));
	assert_non_null(strstr(text, "p99"));
	assert_null(strstr(text, "domain"));
	assert_null(strstr(text, "\u2026"));
	assert_null(strstr(text, "not shown"));
	/* a name beyond reason is there in full, and the other rows are not as wide as it is */
	assert_non_null(strstr(text, folder));
	line = strstr(text, "\nforward");
	assert_non_null(line);
	assert_true(strcspn(line + 1, "\n") < 300);
	table_release(&table);
}

TEST(empty_columns_are_left_out)
{
	struct table table = three_ranges();
	const char *text;

	for (size_t row = 0; row < table.row_count; row++)
		table.cell[row * table.column_count + (size_t)column_of(&table, "p50_ns")]
			.kind = CELL_NONE;
	/* of all rows but one that is not shown */
	for (size_t row = 1; row < table.row_count; row++)
		table.cell[row * table.column_count + (size_t)column_of(&table, "self_ns")]
			.kind = CELL_NONE;
	arrange(&table, "total_ns", true, 1);
	text = drawn(&table, NO_LIMIT, true, export_table_rows);
	assert_null(strstr(text, "p50"));
	assert_non_null(strstr(text, "self"));
	text = drawn(&table, NO_LIMIT, true, export_markdown);
	assert_null(strstr(text, "p50"));
	assert_non_null(strstr(text, "self"));
	assert_non_null(strstr(drawn(&table, 80, true, export_csv), ",p50_ns,"));
	table_release(&table);
}

TEST(markdown_has_the_columns_of_the_screen)
{
	struct table table = three_ranges();
	const char *text;

	arrange(&table, "total_ns", true, 0);
	text = drawn(&table, 80, true, export_markdown);
	assert_non_null(strstr(text, "| range | count | total | self | p50 | heap bytes |\n"));
	/* names stay whole: no line ends where a screen does */
	assert_non_null(strstr(text, "conv2d\\_forward\\_with\\_a\\_very\\_long\\_name"));
	table_release(&table);
}

TEST(csv_is_raw_and_quoted)
{
	struct table table = three_ranges();
	const char *text;

	arrange(&table, "total_ns", false, 2);
	text = drawn(&table, 80, true, export_csv);
	assert_int_equal(strncmp(text, "name,domain,depth,count,total_ns,percent,", 41), 0);
	assert_non_null(strstr(text, "\nforward,default,,100,5000000,12.5,2500000,50000,"));
	assert_non_null(strstr(text, "\n\"backward \"\"x\"\", y\",default,"));
	table_release(&table);
}

TEST(csv_defuses_formulas)
{
	struct table table;
	const char *text;

	table_init(&table, "nvtx", NULL);
	add_range(&table, "=1+1", 1, 1);
	add_range(&table, "-2 \"x\"", 1, 2);
	add_range(&table, "\tx", 1, 3);
	add_range(&table, "a=b", 1, 4);
	add_range(&table, "", 1, 5);
	table_set_signed(&table, COLUMN_nvtx_total_ns, -5); /* a number stays one */
	arrange(&table, "total_ns", false, 0);
	text = drawn(&table, 80, true, export_csv);
	assert_non_null(strstr(text, "\n,default,,1,-5,"));
	assert_non_null(strstr(text, "\n'=1+1,default,"));
	assert_non_null(strstr(text, "\n\"'-2 \"\"x\"\"\",default,"));
	assert_non_null(strstr(text, "\n'\\tx,default,"));
	assert_non_null(strstr(text, "\na=b,default,"));
	table_release(&table);
}

TEST(markdown_escapes_its_own_signs)
{
	struct table table = three_ranges();

	add_range(&table, "a|b\n<c>", 1, 1);
	arrange(&table, "total_ns", false, 1);
	assert_non_null(
		strstr(drawn(&table, 80, true, export_markdown), "| a\\|b\\\\n\\<c> | 1 |"));
	table_release(&table);
}

TEST(json_strings_are_valid_utf8)
{
	char text[256] = "";
	struct json json = { .out = fmemopen(text, sizeof(text), "w") };

	json_open(&json, NULL, '{');
	json_text(&json, "a", "x\"\\\n\xff\xe6\x97\xa5\0y", 10);
	json_number(&json, "b", UINT64_MAX);
	json_signed(&json, "c", -1);
	json_real(&json, "d", 0.0 / 0.0);
	json_close(&json, '}');
	fclose(json.out);
	assert_string_equal(text,
			    "{\n \"a\": \"x\\\"\\\\\\u000a\xef\xbf\xbd\xe6\x97\xa5\\u0000y\",\n"
			    " \"b\": 18446744073709551615,\n \"c\": -1,\n \"d\": null\n}\n");
}

TEST(json_writes_out_what_is_not_seen)
{
	char text[256] = "";
	struct json json = { .out = fmemopen(text, sizeof(text), "w") };

	json_open(&json, NULL, '{');
	json_text(&json, "a", "\xc3\xa9\xe2\x80\x8b\xf3\xa0\x81\xa1", 9);
	text_set_utf8(false);
	json_text(&json, "b", "\xc3\xa9\xf0\x9f\x98\x80\xff", 7);
	text_set_utf8(true);
	json_close(&json, '}');
	fclose(json.out);
	assert_string_equal(text, "{\n \"a\": \"\xc3\xa9\\u200b\\udb40\\udc61\",\n"
				  " \"b\": \"\\u00e9\\ud83d\\ude00\\ufffd\"\n}\n");
}

TEST(trees_keep_rows_below_their_parents)
{
	struct table table;

	table_init(&table, "nvtx", NULL);
	table.is_tree = true;
	add_range(&table, "root small", 1, 10);
	add_range(&table, "root big", 1, 100);
	add_range(&table, "child small", 1, 40);
	table.parent[2] = 1;
	table_set_number(&table, COLUMN_nvtx_depth, 1);
	add_range(&table, "child big", 1, 60);
	table.parent[3] = 1;
	table_set_number(&table, COLUMN_nvtx_depth, 1);
	add_range(&table, "child of small", 1, 9);
	table.parent[4] = 0;
	table_set_number(&table, COLUMN_nvtx_depth, 1);
	arrange(&table, "total_ns", true, 0);
	assert_int_equal(table.order[0], 1);
	assert_int_equal(table.order[1], 3);
	assert_int_equal(table.order[2], 2);
	assert_int_equal(table.order[3], 0);
	assert_int_equal(table.order[4], 4);
	assert_non_null(strstr(drawn(&table, 80, true, export_table_rows), "\n  child big"));
	table_release(&table);
}

TEST(deep_trees_are_no_problem)
{
	enum { DEPTH = 100000 };
	struct table table;

	table_init(&table, "nvtx", NULL);
	table.is_tree = true;
	for (uint32_t i = 0; i < DEPTH; i++) {
		add_range(&table, "x", 1, DEPTH - i);
		table.parent[i] = i ? i - 1 : TABLE_NO_PARENT;
	}
	arrange(&table, "total_ns", false, 0);
	assert_int_equal(table.shown, DEPTH);
	assert_int_equal(table.order[DEPTH - 1], DEPTH - 1);
	table_release(&table);
}

/* --- cells that are made late --- */

struct maker {
	struct text_store texts;
	char one[32]; /* of the row that was made last, where they are made by row */
	size_t made;
};

static void make_stack(void *state, struct table *table, size_t row)
{
	struct maker *maker = state;
	const char *text;

	maker->made++;
	snprintf(maker->one, sizeof(maker->one), "range \"%zu\" %s", row,
		 row % 7 ? "" : "with a tail");
	text = table->late.is_by_row
		       ? maker->one
		       : text_store_put(&maker->texts, maker->one, strlen(maker->one));
	table_fill_text(table, row, COLUMN_leaks_stack, text, strlen(text));
}

/* Of a table of so many rows, whose stacks are made late; to be freed. */
static char *written(size_t rows, const struct arrangement *plan, struct maker *maker,
		     void (*exporter)(const struct document *, const struct screen *))
{
	static const enum column_id stack = COLUMN_leaks_stack;
	struct document document = { .report = "leaks", .shown_count = 2 };
	struct screen screen = { .width = 40 };
	struct table table;
	size_t length;
	char *text;

	table_init(&table, "leaks", NULL);
	for (size_t i = 0; i < rows; i++) {
		table_add_row(&table);
		table_set_number(&table, COLUMN_leaks_allocations, i * 7919 % rows);
	}
	table.late = (struct table_late){
		.make = make_stack, .state = maker, .column = &stack, .column_count = 1
	};
	table_arrange(&table, plan);
	document.table = &table;
	document.shown[0] = (size_t)column_of(&table, "stack");
	document.shown[1] = (size_t)column_of(&table, "allocations");
	screen.out = open_memstream(&text, &length);
	exporter(&document, &screen);
	fclose(screen.out);
	table_release(&table);
	text_store_release(&maker->texts);
	return text;
}

/*
 * Whoever looks at a row without asking for it, or keeps what was made of another, writes something
 * else.
 */
TEST(rows_are_made_as_they_are_written)
{
	static void (*const all[])(const struct document *,
				   const struct screen *) = { export_csv, export_markdown,
							      export_table_rows };
	struct table table;
	int count;

	table_init(&table, "leaks", NULL);
	count = column_of(&table, "allocations");
	table_release(&table);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct maker kept = { .made = 0 }, by_row = { .made = 0 };
		struct arrangement plan = { .sort = count, .descending = true };
		char *wanted = written(LATE_ROWS_MAX + 500, &plan, &kept, all[i]), *text;

		plan.writes_by_row = true;
		text = written(LATE_ROWS_MAX + 500, &plan, &by_row, all[i]);
		assert_string_equal(text, wanted);
		assert_non_null(strstr(text, "range"));
		assert_int_equal(kept.made, LATE_ROWS_MAX + 500);
		assert_true(by_row.made >= kept.made);
		free(wanted);
		free(text);
	}
}

/* Few rows are made once and kept, and so are those whose order is about what is made. */
TEST(late_cells_are_kept)
{
	struct maker few = { .made = 0 }, sorted = { .made = 0 };
	struct arrangement plan = { .sort = -1, .writes_by_row = true };
	struct table table;
	char *text;

	text = written(LATE_ROWS_MAX, &plan, &few, export_table_rows);
	assert_int_equal(few.made, LATE_ROWS_MAX);
	free(text);
	table_init(&table, "leaks", NULL);
	plan.sort = column_of(&table, "stack");
	table_release(&table);
	text = written(LATE_ROWS_MAX + 1, &plan, &sorted, export_csv);
	assert_int_equal(sorted.made, LATE_ROWS_MAX + 1);
	assert_true(strstr(text, "\"\"10\"\"") < strstr(text, "\"\"9\"\""));
	free(text);
}

#define PENDING_MANY 10000u /* some parts of a table that is streamed */

/* Rows with numbers as count, times as min_ns, each time twice and the middle ones all at once. */
struct pending_rows {
	uint64_t made;
};

static uint64_t time_of_pending(uint64_t number)
{
	return number > 2000 && number < 6000 ? 1000 : number < 6000 ? number / 2 : number;
}

static bool make_pending_row(void *state, struct table *table)
{
	struct pending_rows *rows = state;
	const char *name;

	if (rows->made == PENDING_MANY)
		return false;
	table_add_row(table);
	name = text_store_format(&table->texts, "r%u", (unsigned int)(rows->made * 7919 % 97));
	table_set_text(table, COLUMN_nvtx_name, name, strlen(name));
	table_set_number(table, COLUMN_nvtx_count, rows->made);
	table_set_number(table, COLUMN_nvtx_min_ns, time_of_pending(rows->made++));
	return true;
}

static bool pending_row_ties(void *state)
{
	const struct pending_rows *rows = state;

	return rows->made && rows->made < PENDING_MANY &&
	       time_of_pending(rows->made) == time_of_pending(rows->made - 1);
}

/*
 * What is streamed is what is written when all rows are there; parts are small, and end where no
 * tie does.
 */
TEST(rows_are_streamed_in_parts)
{
	struct pending_rows made = { 0 }, again = { 0 };
	struct table whole, parts;
	struct arrangement arrangement = { .limit = 0 };
	size_t row = 0, largest = 0;

	table_init(&whole, "nvtx", NULL);
	table_init(&parts, "nvtx", NULL);
	arrangement.sort = column_of(&whole, "min_ns");
	whole.pending = (struct table_pending){ make_pending_row, pending_row_ties, &made,
						COLUMN_nvtx_min_ns };
	parts.pending = (struct table_pending){ make_pending_row, pending_row_ties, &again,
						COLUMN_nvtx_min_ns };
	table_arrange(&whole, &arrangement);
	assert_int_equal(whole.shown, PENDING_MANY);
	assert_true(table_can_stream(&parts, &arrangement));
	while (table_next_part(&parts, &arrangement)) {
		largest = parts.row_count > largest ? parts.row_count : largest;
		for (size_t i = 0; i < parts.shown; i++, row++)
			for (size_t k = 0; k < parts.column_count; k++) {
				const struct cell *a = table_cell(&parts, parts.order[i], k);
				const struct cell *b = table_cell(&whole, whole.order[row], k);

				assert_int_equal(a->kind, b->kind);
				assert_int_equal(a->length, b->length);
				if (a->kind == CELL_TEXT)
					assert_memory_equal(a->text, b->text, a->length);
				else
					assert_int_equal(a->number, b->number);
			}
	}
	assert_int_equal(row, PENDING_MANY);
	assert_in_range(largest, 1, PENDING_MANY - 1);
	table_release(&whole);
	table_release(&parts);
}

/* Another order, and the first few of many, need all rows. */
TEST(what_is_not_in_order_is_not_streamed)
{
	struct pending_rows made = { 0 };
	struct table table;
	struct arrangement plan = { .limit = 5 };

	table_init(&table, "nvtx", NULL);
	table.pending = (struct table_pending){ make_pending_row, NULL, &made, COLUMN_nvtx_min_ns };
	plan.sort = column_of(&table, "min_ns");
	assert_false(table_can_stream(&table, &plan));
	plan.limit = 0;
	plan.descending = true;
	assert_false(table_can_stream(&table, &plan));
	plan = (struct arrangement){ .sort = column_of(&table, "count"), .limit = 3 };
	assert_false(table_can_stream(&table, &plan));
	plan.descending = true;
	plan.limit = 3;
	table.plan = &plan;
	table_arrange(&table, &plan);
	assert_int_equal(table.passed, PENDING_MANY);
	assert_int_equal(table.shown, 3);
	assert_int_equal(table_cell(&table, table.order[0], (size_t)plan.sort)->number,
			 PENDING_MANY - 1);
	assert_false(table_can_stream(&table, &plan));
	table_release(&table);
}

/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/table/stack_cells.c: rows of different stacks read differently on a narrow screen. */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/base/text.h"
#include "report/table/export.h"

#define ROWS_MAX 200u

static char *line[ROWS_MAX + 1]; /* below the header */
static size_t lines;

static size_t column_of(const struct table *table, const char *name)
{
	return (size_t)columns_find(table->column, table->column_count, name, strlen(name));
}

static void split(char *text)
{
	char *rest = NULL;

	lines = 0;
	for (char *at = strtok_r(text, "\n", &rest); at && lines <= ROWS_MAX;
	     at = strtok_r(NULL, "\n", &rest))
		line[lines++] = at;
	assert_true(lines > 1);
	memmove(&line[0], &line[1], --lines * sizeof(line[0]));
}

/* What a screen of so many columns shows of these stacks, into `line`; to be freed. */
static char *shown(const char *const *stack, size_t rows, size_t width, bool beside)
{
	struct document document = { .report = "alloc", .shown_chosen = true };
	struct screen screen = { .width = width };
	struct table table;
	size_t length;
	char *text;

	table_init(&table, "alloc", NULL);
	for (size_t i = 0; i < rows; i++) {
		const char *leaf = strrchr(stack[i], ';');

		leaf = leaf ? leaf + 1 : stack[i];
		table_add_row(&table);
		table_set_text(&table, COLUMN_alloc_function, leaf, strlen(leaf));
		table_set_text(&table, COLUMN_alloc_stack, stack[i], strlen(stack[i]));
	}
	table.stacks.innermost = COLUMN_alloc_function;
	table_arrange(&table, &(struct arrangement){ .sort = -1 });
	document.table = &table;
	if (beside)
		document.shown[document.shown_count++] = column_of(&table, "function");
	document.shown[document.shown_count++] = column_of(&table, "stack");
	screen.out = open_memstream(&text, &length);
	export_table_rows(&document, &screen);
	fclose(screen.out);
	table_release(&table);
	split(text);
	for (size_t i = 0; i < lines; i++)
		assert_true(text_width(line[i], strlen(line[i])) <= width);
	return text;
}

static void expect(const char *const *stack, size_t rows, size_t width, bool beside,
		   const char *const *expected)
{
	char *text = shown(stack, rows, width, beside);

	assert_int_equal(lines, rows);
	for (size_t i = 0; i < rows; i++)
		assert_string_equal(line[i], expected[i]);
	free(text);
}

static void expect_all_differ(const char *const *stack, size_t rows, size_t width, bool beside)
{
	char *text = shown(stack, rows, width, beside);

	assert_int_equal(lines, rows);
	for (size_t i = 0; i < rows; i++)
		for (size_t j = i + 1; j < rows; j++)
			assert_string_not_equal(line[i], line[j]);
	free(text);
}

#define INNER ";step_of_the_model;forward_of_a_layer;resize_the_storage;leaf"

TEST(the_frame_that_differs_is_shown)
{
	static const char *const stack[] = { "main;train" INNER, "main;evaluate" INNER,
					     "main;train;other;leaf" };
	static const char *const beside[] = { "leaf      ..;train;(2);resize_the_storage;..",
					      "leaf      ..;evaluate;(2);resize_the_storage;..",
					      "leaf      main;train;other;leaf" };
	static const char *const narrow[] = { "leaf      main;train;(3);..",
					      "leaf      main;evaluate;(3);..",
					      "leaf      main;train;other;leaf" };
	static const char *const alone[] = { "..;train;(2);resize_the_storage;leaf",
					     "..;evaluate;(2);resize_the_storage;leaf",
					     "main;train;other;leaf" };

	expect(stack, 3, 48, true, beside);
	expect(stack, 3, 42, false, alone);
	expect(stack, 3, 38, true, narrow);
}

/*
 * It has no outer frames where it is the outermost; and next to the inner ones nothing lies
 * between.
 */
TEST(no_mark_stands_for_nothing)
{
	static const char *const stack[] = { "train" INNER, "evaluate" INNER };
	static const char *const shown_so[] = { "train;(2);resize_the_storage;leaf",
						"evaluate;(2);resize_the_storage;leaf" };
	static const char *const near[] = {
		"a_function_of_some_length;first;resize_the_storage;leaf",
		"a_function_of_some_length;other;resize_the_storage;leaf"
	};
	static const char *const near_so[] = { "..;first;resize_the_storage;leaf",
					       "..;other;resize_the_storage;leaf" };

	expect(stack, 2, 40, false, shown_so);
	expect(near, 2, 34, false, near_so);
}

/* Groups within groups, and columns of any width. */
TEST(all_of_many_differ)
{
	enum { ROWS = 81 };
	static char text[ROWS][256];
	const char *stack[ROWS];

	for (unsigned int i = 0; i < ROWS; i++) {
		snprintf(text[i], sizeof(text[i]),
			 "main;begin_%u;a_function;begin_%u;a_function;begin_%u;a_function;begin_%"
			 "u" INNER,
			 i % 3, i / 3 % 3, i / 9 % 3, i / 27);
		stack[i] = text[i];
	}
	for (size_t width = 40; width < 100; width += 7) {
		expect_all_differ(stack, 2, width, true);
		expect_all_differ(stack, 3, width, false);
	}
	/* one frame cannot tell apart all that differ in several: it ends all the same */
	free(shown(stack, ROWS, 60, true));
}

/* Imports of Python: what differs is how often. */
TEST(a_recursion_differs_by_its_depth)
{
	enum { ROWS = 12 };
	static char text[ROWS][1024];
	const char *stack[ROWS];

	for (unsigned int i = 0; i < ROWS; i++) {
		strcpy(text[i], "main;run_the_program");
		for (unsigned int n = 0; n <= i; n++)
			strcat(text[i], ";import_a_module;execute_the_code;find_a_module");
		strcat(text[i], ";load;leaf");
		stack[i] = text[i];
	}
	expect_all_differ(stack, ROWS, 60, true);
	expect_all_differ(stack, ROWS, 44, false);
	expect_all_differ(stack, ROWS, 38, true);
}

/* Where frames are missing in the text already, nobody knows how many lie between. */
TEST(frames_that_are_not_there_are_not_counted)
{
	static const char *const stack[] = { "main;train;a;(12 frames);step;layer;leaf",
					     "main;evaluate;a;(12 frames);step;layer;leaf" };
	char *text = shown(stack, 2, 33, false);

	assert_non_null(strstr(line[0], "train;..;"));
	assert_non_null(strstr(line[1], "evaluate;..;"));
	free(text);
}

TEST(hostile_stacks_fit)
{
	static const char *const stack[] = {
		";;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;a",
		";;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;a",
		"x;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;a",
		"a",
		"a",
		"(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(a",
		"y;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(;(a"
	};

	for (size_t width = 40; width < 90; width++) {
		free(shown(stack, 7, width, true));
		free(shown(stack, 7, width, false));
	}
}

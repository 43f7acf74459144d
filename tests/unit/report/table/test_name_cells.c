/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/table/name_cells.c: rows of different names read differently on a narrow screen. */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/base/text.h"
#include "report/table/export.h"

#define ROWS_MAX 20u

static char *line[ROWS_MAX + 1]; /* below the header */

static void split(char *text, size_t rows)
{
	char *rest = NULL;
	size_t lines = 0;

	for (char *at = strtok_r(text, "\n", &rest); at && lines <= ROWS_MAX;
	     at = strtok_r(NULL, "\n", &rest))
		line[lines++] = at;
	assert_int_equal(lines, rows + 1);
	memmove(&line[0], &line[1], rows * sizeof(line[0]));
}

/* What a screen of so many columns shows of a table of one column, into `line`; to be freed. */
static char *shown(const char *report, enum column_id column, const char *const *name, size_t rows,
		   size_t width)
{
	struct document document = { .report = report, .shown_chosen = true, .shown_count = 1 };
	struct screen screen = { .width = width, .utf8 = true };
	struct table table;
	size_t length;
	char *text;

	table_init(&table, report, NULL);
	for (size_t i = 0; i < rows; i++) {
		table_add_row(&table);
		table_set_text(&table, column, name[i], strlen(name[i]));
	}
	table_arrange(&table, &(struct arrangement){ .sort = -1 });
	document.table = &table;
	document.shown[0] = (size_t)columns_find(table.column, table.column_count,
						 column_list[column].name,
						 strlen(column_list[column].name));
	screen.out = open_memstream(&text, &length);
	export_table_rows(&document, &screen);
	fclose(screen.out);
	table_release(&table);
	split(text, rows);
	for (size_t i = 0; i < rows; i++)
		assert_true(text_width(line[i], strlen(line[i])) <= width);
	return text;
}

static void expect(enum column_id column, const char *const *name, size_t rows, size_t width,
		   const char *const *expected)
{
	char *text = shown(column == COLUMN_diff_what ? "diff" : "leaks", column, name, rows,
			   width);

	for (size_t i = 0; i < rows; i++)
		assert_string_equal(line[i], expected[i]);
	free(text);
}

#define EXPECT(column, name, width, ...)                            \
	expect(column, name, sizeof(name) / sizeof(name[0]), width, \
	       (const char *const[sizeof(name) / sizeof(name[0])]){ __VA_ARGS__ })

TEST(what_differs_is_shown)
{
	static const char *const in_the_middle[] = {
		"at::native::vectorized_loop_of_float<add_kernel>::operator()(long, long)",
		"at::native::vectorized_loop_of_float<mul_kernel>::operator()(long, long)",
		"something_else",
	};
	static const char *const folders[] = {
		"/home/me/projects/first/source/package/training/loop.py:41 (step)",
		"/home/me/projects/other/source/package/training/loop.py:41 (step)",
	};

	EXPECT(COLUMN_diff_what, in_the_middle, 40, "at::n…oat<add_kernel…operator…ong, long)",
	       "at::n…oat<mul_kernel…operator…ong, long)", "something_else");
	EXPECT(COLUMN_diff_what, folders, 40, "…ojects/first/source/pa…oop.py:41 (step)",
	       "…ojects/other/source/pa…oop.py:41 (step)");
}

/*
 * What the column of functions leaves out, parameters and namespaces, is shown where it is all that
 * differs.
 */
TEST(parameters_tell_overloads_apart)
{
	static const char *const overloads[] = {
		"at::_ops::add_Tensor::call(at::Tensor const&, at::Tensor const&, c10::Scalar "
		"const&)",
		"at::_ops::add_Tensor::call(at::Tensor const&, at::Tensor const&, double)",
	};

	EXPECT(COLUMN_leaks_function, overloads, 40, "at::_o…call… const&, c10::Scalar const&)",
	       "at::_ops…call…at::Tensor const&, double)");
}

/* Each differs from one other row in one place and from another in another. */
TEST(all_places_that_differ_are_shown)
{
	static const char *const name[] = {
		"outer_function_of_something<first_one, and_a_long_middle, "
		"third_one>::run_it_now_and_here",
		"outer_function_of_something<first_one, and_a_long_middle, "
		"fourth_one>::run_it_now_and_here",
		"outer_function_of_something<second_one, and_a_long_middle, "
		"third_one>::run_it_now_and_here",
		"outer_function_of_something<second_one, and_a_long_middle, "
		"fourth_one>::run_it_now_and_here",
	};
	char *text;

	text = shown("diff", COLUMN_diff_what, name, 4, 50);
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(line[i], line[k]);
	assert_non_null(strstr(line[3], "sec"));
	assert_non_null(strstr(line[3], "fo"));
	free(text);
}

TEST(other_rows_stay_as_they_are)
{
	static const char *const name[] = {
		"the_same_name_that_is_much_too_long_for_this_screen",
		"the_same_name_that_is_much_too_long_for_this_screen",
		"another_name_that_is_much_too_long_for_this_screen",
		"short",
	};
	static const char *const wide[] = {
		"\xc3\xa4\xc3\xb6\xc3\xbc-\xc3\xa4\xc3\xb6\xc3\xbc-\xc3\xa4-a-\xc3\xb6\xc3\xbc-"
		"\xc3\xa4\xc3\xb6\xc3\xbc-\xc3\xa4\xc3\xb6\xc3\xbc",
		"\xc3\xa4\xc3\xb6\xc3\xbc-\xc3\xa4\xc3\xb6\xc3\xbc-\xc3\xa4-b-\xc3\xb6\xc3\xbc-"
		"\xc3\xa4\xc3\xb6\xc3\xbc-\xc3\xa4\xc3\xb6\xc3\xbc",
	};

	EXPECT(COLUMN_diff_what, name, 30, "the_same_name_t…or_this_screen",
	       "the_same_name_t…or_this_screen", "another_name_th…or_this_screen", "short");
	EXPECT(COLUMN_diff_what, wide, 16, "äö…ä-a-öü-…ü-äöü", "äö…ä-b-öü-…ü-äöü");
}

/* Sixteen that differ in four places each: no neighbour in order has all of them. */
TEST(places_of_names_further_away_are_found)
{
	char names[16][160];
	const char *name[16];
	char *text;

	for (unsigned int i = 0; i < 16; i++) {
		snprintf(names[i], sizeof(names[i]),
			 "a_long_name_that_begins_%c_goes_on_for_long_%c_and_longer_still_%c_until_"
			 "it_"
			 "comes_%c_to_its_end_at_last",
			 i & 8 ? 'x' : 'y', i & 4 ? 'x' : 'y', i & 2 ? 'x' : 'y',
			 i & 1 ? 'x' : 'y');
		name[i] = names[i];
	}
	text = shown("diff", COLUMN_diff_what, name, 16, 50);
	for (size_t i = 0; i < 16; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(line[i], line[k]);
	free(text);
}

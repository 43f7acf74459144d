/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/app/recipe.c: when there is no recording at all, and not one of another process of the
 * same run.
 */
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "report/app/recipe.h"

static char folder[] = "recipe.XXXXXX";

static int setup(void **state)
{
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	return chdir("..") || rmdir(folder) ? -1 : 0;
}

static void make(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fclose(file);
}

TEST(nothing_is_there)
{
	assert_true(recipe_is_needed("run.evt"));
	assert_true(recipe_is_needed("nowhere/run.evt"));
}

TEST(a_recording_is_there)
{
	make("run.evt");
	assert_false(recipe_is_needed("run.evt"));
	assert_true(recipe_is_needed("other.evt"));
	unlink("run.evt");
}

/* NAME.NUMBER.evt is what another process of the run has written. */
TEST(another_process_has_written)
{
	make("run.123.evt");
	assert_false(recipe_is_needed("run.evt"));
	assert_true(recipe_is_needed("ru.evt"));
	unlink("run.123.evt");
}

/* What is in the way is said by whoever opens it. */
TEST(what_cannot_be_reached_is_no_reason)
{
	make("file");
	assert_false(recipe_is_needed("file/run.evt"));
	unlink("file");
}

TEST_GROUP(setup, teardown)

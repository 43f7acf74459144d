/* SPDX-License-Identifier: MIT */
/* links: preload:routes/template.c */
/* preload/routes/template.h: which end of a path a template of Starlette fits. */
#include "tests/unit/unit.h"

#include "preload/routes/template.h"

/* Where the end begins; -1: the template does not fit. */
static int fits(const char *template, const char *path)
{
	size_t from = 0;

	return template_fits_end((struct string_view){ template, strlen(template) },
				 (struct string_view){ path, strlen(path) }, &from)
		       ? (int)from
		       : -1;
}

TEST(names_stand_for_one_part)
{
	assert_int_equal(fits("/items/{id}", "/items/17"), 0);
	assert_int_equal(fits("/items/{id:int}", "/items/17"), 0);
	assert_int_equal(fits("/items/{id}", "/items/17/reviews"), -1);
	assert_int_equal(fits("/items/{id}/reviews", "/items/17/reviews"), 0);
	assert_int_equal(fits("/items/{id}", "/items/"), -1);
	assert_int_equal(fits("/a-{x}-{y}.json", "/a-1-2-3.json"), 0);
	assert_int_equal(fits("/", "/"), 0);
	assert_int_equal(fits("/a", "/b"), -1);
}

TEST(paths_stand_for_anything)
{
	assert_int_equal(fits("/files/{name:path}", "/files/a/b/c.txt"), 0);
	assert_int_equal(fits("/files/{name:path}", "/files/"), 0);
	assert_int_equal(fits("/files/{name:path}/raw", "/files/a/b/raw"), 0);
	assert_int_equal(fits("/files/{name:path}/raw", "/files/a/b"), -1);
}

/* The application may be mounted somewhere; the longest end counts. */
TEST(what_is_in_front_is_told)
{
	assert_int_equal(fits("/items/{id}", "/api/v1/items/17"), 7);
	assert_int_equal(fits("/{id}", "/items/17"), 6);
	assert_int_equal(fits("/{a}/{b}", "/x/y"), 0);
	assert_int_equal(fits("items/{id}", "/items/17"), -1);
}

TEST(bad_input_fits_nothing)
{
	char path[4001];

	assert_int_equal(fits("/items/{id", "/items/17"), -1);
	assert_int_equal(fits("", "/items"), -1);
	assert_int_equal(fits("/a", ""), -1);
	/* it ends, whatever the two are */
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = 0;
	assert_int_equal(fits("/{a}a{b}a{c}a{d}a{e}a{f}b", path), -1);
}

/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/base/row_links.c: the target with the greatest sum, of each row and kind. */
#include "tests/unit/unit.h"
#include "report/base/row_links.h"

static void most_is(const struct row_links *links, uint64_t row, unsigned int kind, uint64_t target)
{
	uint64_t found;

	assert_true(row_links_most(links, row, kind, &found));
	assert_int_equal(found, target);
}

TEST(greatest_sum)
{
	struct row_links links;
	uint64_t found;

	row_links_init(&links);
	row_links_add(&links, 0, 0, 7, 3);
	most_is(&links, 0, 0, 7);
	row_links_add(&links, 0, 0, 8, 2);
	most_is(&links, 0, 0, 7);
	row_links_add(&links, 0, 0, 8, 1);
	most_is(&links, 0, 0, 7); /* the first of equals */
	row_links_add(&links, 0, 0, 8, 1);
	most_is(&links, 0, 0, 8);
	row_links_add(&links, 0, 1, 9, 1);
	row_links_add(&links, 1, 0, 10, 100);
	most_is(&links, 0, 0, 8);
	most_is(&links, 0, 1, 9);
	most_is(&links, 1, 0, 10);
	assert_false(row_links_most(&links, 1, 1, &found));
	row_links_release(&links);
}

TEST(many)
{
	struct row_links links;

	row_links_init(&links);
	for (uint64_t i = 0; i < 100000; i++)
		row_links_add(&links, i % 100, 0, i % 1000, i % 1000);
	for (uint64_t row = 0; row < 100; row++)
		most_is(&links, row, 0, 900 + row);
	row_links_release(&links);
}

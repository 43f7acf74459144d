/* SPDX-License-Identifier: MIT */
/*
 * Numbers by index: what was set, and zeros everywhere else, at little cost however far apart they
 * are.
 */
/* links: report format */
#include "tests/unit/unit.h"
#include "report/base/pages.h"

static const uint32_t far_apart[] = { 0, 1, 255, 256, 257, 70000, 1u << 24, (1u << 26) - 1 };

#define FAR (sizeof(far_apart) / sizeof(far_apart[0]))

TEST(what_was_set_is_there)
{
	struct pages pages = { 0 };
	uint32_t *first;

	assert_int_equal(pages_get(&pages, 5), 0);
	first = pages_place(&pages, far_apart[0]);
	for (uint32_t i = 0; i < FAR; i++)
		*pages_place(&pages, far_apart[i]) = i + 1;
	for (uint32_t i = 0; i < FAR; i++)
		assert_int_equal(pages_get(&pages, far_apart[i]), i + 1);
	assert_int_equal(*first, 1); /* it has not moved */
	assert_int_equal(pages_get(&pages, 2), 0);
	assert_int_equal(pages_get(&pages, 300000), 0);
	assert_int_equal(pages_get(&pages, UINT32_MAX), 0);
	pages_release(&pages);
	assert_int_equal(pages_get(&pages, 0), 0);
}

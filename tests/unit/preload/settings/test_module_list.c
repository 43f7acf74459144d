/* SPDX-License-Identifier: MIT */
/* links: preload:settings/module_list.c */
/* preload/settings/module_list.c: which modules INTERCEPT_FUNCTIONS means. */
#include "tests/unit/unit.h"
#include "preload/settings/module_list.h"

TEST(a_package_is_with_all_below_it)
{
	assert_true(module_list_has("mypkg.*", "mypkg"));
	assert_true(module_list_has("mypkg.*", "mypkg.part.deep"));
	assert_false(module_list_has("mypkg.*", "mypkgs"));
	assert_false(module_list_has("mypkg.*", "other.mypkg"));
	assert_true(module_list_has("mypkg", "mypkg"));
	assert_false(module_list_has("mypkg", "mypkg.part"));
	assert_true(module_list_has("my*", "mypkg.part"));
}

TEST(the_last_that_fits_decides)
{
	assert_false(module_list_has("mypkg.*,!mypkg.utils", "mypkg.utils"));
	assert_true(module_list_has("mypkg.*,!mypkg.utils", "mypkg.other"));
	assert_true(module_list_has("!mypkg.utils,mypkg.*", "mypkg.utils"));
}

TEST(only_left_out_means_all_others)
{
	assert_true(module_list_has("!torch.*", "__main__"));
	assert_false(module_list_has("!torch.*", "torch"));
	assert_true(module_list_has("!torch.*", ""));
	assert_false(module_list_has("*,!torch.*", "torch.nn"));
	assert_true(module_list_has("*,!torch.*", ""));
}

TEST(odd_lists_do_no_harm)
{
	assert_true(module_list_has("", "a"));
	assert_true(module_list_has(",,", "a"));
	assert_true(module_list_has("!", "a"));
	assert_true(module_list_has(",a,", "a"));
	assert_false(module_list_has(".*", "a"));
}

TEST(what_is_no_list_of_modules)
{
	static const char *const wrong[] = { "",     ",",    ",,",      "!",   "a,!", "a b",
					     "a, b", "a.**", "*.utils", "a!b", "!!a", "a\n" };
	static const char *const right[] = { "a",  "*",      "!a.*", "a.*,!a.b", "a,",
					     ",a", "!*,a.b", "my*",  "!*" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (module_list_is_one(wrong[i]))
			fail_msg("'%s' is taken", wrong[i]);
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		if (!module_list_is_one(right[i]))
			fail_msg("'%s' is refused", right[i]);
}

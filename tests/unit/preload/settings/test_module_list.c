/* SPDX-License-Identifier: MIT */
/* links: preload:settings/module_list.c */
/* preload/settings/module_list.c: which modules INTERCEPT_FUNCTIONS means. */
#include "tests/unit/unit.h"
#include "preload/settings/module_list.h"

static void a_package_is_with_all_below_it(void **state)
{
	assert_true(module_list_has("mypkg.*", "mypkg"));
	assert_true(module_list_has("mypkg.*", "mypkg.part.deep"));
	assert_false(module_list_has("mypkg.*", "mypkgs"));
	assert_false(module_list_has("mypkg.*", "other.mypkg"));
	assert_true(module_list_has("mypkg", "mypkg"));
	assert_false(module_list_has("mypkg", "mypkg.part"));
	assert_true(module_list_has("my*", "mypkg.part"));
}

static void the_last_that_fits_decides(void **state)
{
	assert_false(module_list_has("mypkg.*,!mypkg.utils", "mypkg.utils"));
	assert_true(module_list_has("mypkg.*,!mypkg.utils", "mypkg.other"));
	assert_true(module_list_has("!mypkg.utils,mypkg.*", "mypkg.utils"));
}

static void only_left_out_means_all_others(void **state)
{
	assert_true(module_list_has("!torch.*", "__main__"));
	assert_false(module_list_has("!torch.*", "torch"));
	assert_true(module_list_has("!torch.*", ""));
	assert_false(module_list_has("*,!torch.*", "torch.nn"));
	assert_true(module_list_has("*,!torch.*", ""));
}

static void odd_lists_do_no_harm(void **state)
{
	assert_true(module_list_has("", "a"));
	assert_true(module_list_has(",,", "a"));
	assert_true(module_list_has("!", "a"));
	assert_true(module_list_has(",a,", "a"));
	assert_false(module_list_has(".*", "a"));
}

static void what_is_no_list_of_modules(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_package_is_with_all_below_it),
		cmocka_unit_test(the_last_that_fits_decides),
		cmocka_unit_test(only_left_out_means_all_others),
		cmocka_unit_test(odd_lists_do_no_harm),
		cmocka_unit_test(what_is_no_list_of_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

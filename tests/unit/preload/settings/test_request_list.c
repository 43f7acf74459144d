/* SPDX-License-Identifier: MIT */
/* links: preload:settings/request_list.c */
/* preload/settings/request_list.h: which values are valid, and what they name. */
#include "tests/unit/unit.h"
#include "preload/settings/request_list.h"

TEST(valid_and_not)
{
	assert_true(request_list_is_one("label:predict"));
	assert_true(request_list_is_one("label:two words,worker:Worker.handle"));
	assert_false(request_list_is_one(""));
	assert_false(request_list_is_one("handle"));
	assert_false(request_list_is_one("label:"));
	assert_false(request_list_is_one(":handle"));
	assert_false(request_list_is_one("worker:handle,"
					 ",label:a"));
	assert_false(request_list_is_one("worker:handle it"));
	assert_false(request_list_is_one("worker:a:b"));
}

TEST(labels)
{
	static const char list[] = "worker:predict,label:predict,label:batch*";

	assert_true(request_list_has_label(list, "predict", 7));
	assert_false(request_list_has_label(list, "predict2", 8));
	assert_true(request_list_has_label(list, "batch", 5));
	assert_true(request_list_has_label(list, "batch 17", 8));
	assert_false(request_list_has_label(list, "bat", 3));
	assert_true(request_list_has_any(list, true));
	assert_true(request_list_has_any(list, false));
	assert_false(request_list_has_any("worker:a", true));
}

TEST(functions)
{
	static const char list[] = "label:a,worker:Worker.handle,jobs:run_*";

	assert_true(request_list_has_function(list, "worker", "Worker.handle", "handle"));
	assert_false(request_list_has_function(list, "worker", "Other.handle", "handle"));
	assert_true(request_list_has_function(list, "worker", NULL, "handle"));
	assert_false(request_list_has_function(list, "worker2", "Worker.handle", "handle"));
	assert_true(request_list_has_function(list, "jobs", "run_one", "run_one"));
	assert_false(request_list_has_function(list, "label", "a", "a"));
}

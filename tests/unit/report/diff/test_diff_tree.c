/* SPDX-License-Identifier: MIT */
/* links: report format */
/* Trees of several runs: sums and means, verdicts of functions with what they call, order. */
#include <string.h>

#include "tests/unit/unit.h"
#include "report/diff/diff_tree.h"

static void add(struct diff_tree *tree, size_t run, const char *stack, double value)
{
	diff_tree_add(tree, run, stack, strlen(stack), value);
}

static const struct diff_node *named(const struct diff_tree *tree, const char *name)
{
	for (size_t i = 0; i < tree->count; i++)
		if (!strcmp(tree->node[i].name, name))
			return &tree->node[i];
	return NULL;
}

TEST(a_function_has_what_it_calls)
{
	struct diff_tree tree;

	diff_tree_init(&tree, 2, 1);
	add(&tree, 0, "main;load", 30);
	add(&tree, 0, "main", 5);
	add(&tree, 1, "main;load", 10);
	add(&tree, 1, "main;step;mul", 40);
	diff_tree_settle(&tree, UNIT_BYTES, false);
	assert_int_equal(tree.count, 5);
	assert_true(tree.node[DIFF_TREE_ROOT].total[0] == 35);
	assert_true(tree.node[DIFF_TREE_ROOT].total[1] == 50);
	assert_true(named(&tree, "main")->self[0] == 5 && named(&tree, "main")->self[1] == 0);
	assert_true(named(&tree, "step")->total[1] == 40 && named(&tree, "step")->self[1] == 0);
	assert_int_equal(named(&tree, "step")->verdict, VERDICT_NEW);
	assert_int_equal(named(&tree, "mul")->verdict, VERDICT_NEW);
	/* one run against one: there is no spread to judge by */
	assert_int_equal(named(&tree, "load")->verdict, VERDICT_NONE);
	diff_tree_release(&tree);
}

TEST(samples_may_miss_a_stack)
{
	struct diff_tree tree;

	diff_tree_init(&tree, 2, 1);
	add(&tree, 0, "main;rare", 10);
	add(&tree, 1, "main;other", 10);
	diff_tree_settle(&tree, UNIT_NS, true);
	assert_int_equal(named(&tree, "rare")->verdict, VERDICT_NONE);
	assert_int_equal(named(&tree, "other")->verdict, VERDICT_NONE);
	assert_int_equal(named(&tree, "main")->verdict, VERDICT_SAME);
	diff_tree_release(&tree);
}

TEST(the_spread_of_several_runs_decides)
{
	static const double steady[6] = { 100, 101, 99, 200, 201, 199 };
	static const double loose[6] = { 50, 150, 100, 60, 160, 120 };
	struct diff_tree tree;

	diff_tree_init(&tree, 6, 3);
	for (size_t run = 0; run < 6; run++) {
		add(&tree, run, "slower", steady[run]);
		add(&tree, run, "loose", loose[run]);
	}
	add(&tree, 5, "once", 10);
	for (size_t run = 3; run < 6; run++)
		add(&tree, run, "always", 10);
	diff_tree_settle(&tree, UNIT_NS, true);
	assert_true(named(&tree, "slower")->total[0] == 100);
	assert_true(named(&tree, "slower")->total[1] == 200);
	assert_int_equal(named(&tree, "slower")->verdict, VERDICT_LONGER);
	assert_int_equal(named(&tree, "loose")->verdict, VERDICT_NOISE);
	/* a run that lacks it counts as 0 */
	assert_true(named(&tree, "once")->total[1] > 3.3 && named(&tree, "once")->total[1] < 3.4);
	assert_int_equal(named(&tree, "once")->verdict, VERDICT_NOISE);
	assert_int_equal(named(&tree, "always")->verdict, VERDICT_NEW);
	diff_tree_release(&tree);
}

TEST(siblings_are_in_the_order_of_names)
{
	static const char *const wanted[] = { "a", "x", "y", "a b", "c" };
	struct diff_tree tree;
	uint32_t *order;

	diff_tree_init(&tree, 2, 1);
	add(&tree, 0, "c", 1);
	add(&tree, 0, "a;y", 1);
	add(&tree, 1, "a b", 1);
	add(&tree, 1, "a;x", 1);
	diff_tree_settle(&tree, UNIT_BYTES, false);
	order = diff_tree_order(&tree);
	for (size_t i = 0; i + 1 < tree.count; i++)
		assert_string_equal(tree.node[order[i]].name, wanted[i]);
	free(order);
	diff_tree_release(&tree);
}

TEST(nothing_and_a_deep_stack)
{
	char deep[8192];
	struct diff_tree tree;
	uint32_t *order;

	diff_tree_init(&tree, 2, 1);
	diff_tree_settle(&tree, UNIT_BYTES, false);
	order = diff_tree_order(&tree);
	assert_int_equal(tree.count, 1);
	assert_int_equal(tree.node[0].verdict, VERDICT_SAME);
	free(order);
	diff_tree_release(&tree);
	diff_tree_init(&tree, 2, 1);
	for (size_t i = 0; i < sizeof(deep); i++)
		deep[i] = i % 2 ? ';' : 'f';
	diff_tree_add(&tree, 1, deep, sizeof(deep), 7);
	add(&tree, 0, "", 3);
	diff_tree_settle(&tree, UNIT_BYTES, false);
	assert_int_equal(tree.count, sizeof(deep) / 2 + 1);
	assert_true(tree.node[DIFF_TREE_ROOT].total[0] == 3);
	assert_true(tree.node[tree.count - 1].total[1] == 7);
	diff_tree_release(&tree);
}

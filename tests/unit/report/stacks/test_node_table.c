/* SPDX-License-Identifier: MIT */
/*
 * Pairs are numbered in the order of their appearance, and the same pair is the same number,
 * however many there are.
 */
/* links: report format */
#include "tests/unit/unit.h"
#include "report/stacks/node_table.h"

#define NODES 50000u
#define CHILDREN 3000u

static uint32_t parent_of(uint32_t number)
{
	return number / 3;
}

TEST(the_same_pair_is_the_same_node)
{
	struct node_table table;

	node_table_init(&table);
	for (uint32_t i = 1; i <= NODES; i++)
		assert_int_equal(node_table_put(&table, parent_of(i), i % 3 + 7), i);
	for (uint32_t i = NODES; i; i--) {
		assert_int_equal(node_table_put(&table, parent_of(i), i % 3 + 7), i);
		assert_int_equal(table.node[i].parent, parent_of(i));
		assert_int_equal(table.node[i].frame, i % 3 + 7);
	}
	assert_int_equal(table.count, NODES + 1);
	/* what is swapped is another pair */
	assert_int_equal(node_table_put(&table, 700, 4), NODES + 1);
	assert_int_equal(node_table_put(&table, 4, 700), NODES + 2);
	node_table_release(&table);
}

/* Far more than are in a list, of several parents in turns, among them none. */
TEST(a_parent_may_have_any_number_of_children)
{
	struct node_table table;
	uint32_t number[3][CHILDREN];

	node_table_init(&table);
	assert_int_equal(node_table_put(&table, 0, 1), 1);
	assert_int_equal(node_table_put(&table, 1, 1), 2);
	for (uint32_t i = 0; i < CHILDREN; i++)
		for (uint32_t parent = 0; parent < 3; parent++) {
			number[parent][i] = node_table_put(&table, parent, 100 + i);
			assert_int_equal(number[parent][i], 3 + i * 3 + parent);
		}
	for (uint32_t i = CHILDREN; i-- > 0;)
		for (uint32_t parent = 0; parent < 3; parent++)
			assert_int_equal(node_table_put(&table, parent, 100 + i),
					 number[parent][i]);
	assert_int_equal(table.count, 3 + 3 * CHILDREN);
	assert_int_equal(node_table_put(&table, 3, 100), 3 + 3 * CHILDREN);
	node_table_release(&table);
}

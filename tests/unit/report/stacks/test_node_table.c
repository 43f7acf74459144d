/* SPDX-License-Identifier: MIT */
/* Pairs are numbered in the order of their appearance, and the same pair is the same number, however many there are. */
/* links: report format */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/stacks/node_table.h"

#define NODES 50000u

static uint32_t parent_of(uint32_t number)
{
	return number / 3;
}

static void the_same_pair_is_the_same_node(void **state)
{
	struct node_table table;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_pair_is_the_same_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

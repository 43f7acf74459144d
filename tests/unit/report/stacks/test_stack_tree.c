/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/stacks/stack_tree.c, flame_svg.c: values added up along stacks, their order, and what a
 * graph is made of.
 */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/session/source_state.h"
#include "report/stacks/flame_svg.h"
#include "report/stacks/stack_tree.h"

static struct named_stacks names;
static struct stack_tree tree;

/* Frames by hand: a frame of each name, whose number is given back. */
static uint32_t frame_of(const char *name)
{
	for (uint32_t i = 1; i < names.frame_count; i++)
		if (!strcmp(names.frame[i].name, name))
			return i;
	names.frame = memory_room(names.frame, names.frame_count, &names.frame_room,
				  sizeof(*names.frame));
	names.frame[names.frame_count] = (struct named_frame){ .name = name };
	return (uint32_t)names.frame_count++;
}

static uint32_t below(uint32_t parent, const char *name)
{
	uint32_t frame = frame_of(name);

	return node_table_put(&names.nodes, parent, frame);
}

static int start(void **state)
{
	names = (struct named_stacks){ .frame_count = 1 };
	names.frame = memory_room(NULL, 0, &names.frame_room, sizeof(*names.frame));
	node_table_init(&names.nodes);
	return 0;
}

static int stop(void **state)
{
	stack_tree_release(&tree);
	free(names.frame);
	node_table_release(&names.nodes);
	return 0;
}

/* main;train;get 10, main;get 5, main 1 */
static void fill(bool is_bottom_up)
{
	uint32_t top = below(NAMED_NONE, "main"), train = below(top, "train");

	stack_tree_init(&tree, &names, is_bottom_up);
	stack_tree_add(&tree, below(train, "get"), 10);
	stack_tree_add(&tree, below(top, "get"), 5);
	stack_tree_add(&tree, top, 1);
	stack_tree_settle(&tree);
}

static void assert_node(uint32_t node, const char *name, uint32_t depth, uint64_t self,
			uint64_t total)
{
	assert_string_equal(tree_name(&tree, node), name);
	assert_int_equal(tree.node[node].depth, depth);
	assert_int_equal(tree.node[node].self, self);
	assert_int_equal(tree.node[node].total, total);
}

TEST_BOTH(from_the_outermost_inwards, start, stop)
{
	uint32_t *order;

	fill(false);
	order = stack_tree_order(&tree);
	assert_int_equal(tree.count, 5);
	assert_node(TREE_ROOT, "all", 0, 0, 16);
	assert_node(order[0], "main", 1, 1, 16);
	assert_node(order[1], "get", 2, 5, 5);
	assert_node(order[2], "train", 2, 0, 10);
	assert_node(order[3], "get", 3, 10, 10);
	free(order);
}

TEST_BOTH(from_the_innermost_outwards, start, stop)
{
	uint32_t *order;

	fill(true);
	order = stack_tree_order(&tree);
	assert_int_equal(tree.count, 6);
	assert_node(order[0], "get", 1, 0, 15);
	assert_node(order[1], "main", 2, 5, 5);
	assert_node(order[2], "train", 2, 0, 10);
	assert_node(order[3], "main", 3, 10, 10);
	assert_node(order[4], "main", 1, 1, 1);
	free(order);
}

TEST_BOTH(recursion_is_counted_once_a_level, start, stop)
{
	uint32_t stack = NAMED_NONE;

	stack_tree_init(&tree, &names, true);
	for (int i = 0; i < 100; i++)
		stack = below(stack, "fib");
	stack_tree_add(&tree, stack, 7);
	stack_tree_settle(&tree);
	assert_int_equal(tree.count, 1 + TREE_CALLERS_MAX);
	assert_int_equal(tree.node[TREE_ROOT].total, 7);
	assert_int_equal(tree.node[1].total, 7);
}

TEST_BOTH(an_empty_tree_is_no_fault, start, stop)
{
	uint32_t *order;

	stack_tree_init(&tree, &names, false);
	stack_tree_settle(&tree);
	order = stack_tree_order(&tree);
	assert_int_equal(tree.node[TREE_ROOT].total, 0);
	free(order);
}

static char *svg(void)
{
	static const struct flame_text text = { .title = "a <program> & \"its\" name",
						.subtitle = "bytes",
						.unit = UNIT_BYTES };
	char *bytes = NULL;
	size_t length;
	FILE *out = open_memstream(&bytes, &length);

	flame_svg_write(out, &tree, &text);
	fclose(out);
	return bytes;
}

static size_t times(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

TEST_BOTH(a_graph_has_a_frame_for_each_node, start, stop)
{
	char *text;

	fill(false);
	text = svg();
	assert_int_equal(times(text, "<g data-x="), 5);
	assert_int_equal(times(text, "<title>"), times(text, "</title>"));
	assert_non_null(strstr(text, "<title>train (10 B, 62.5 %)</title>"));
	assert_non_null(strstr(text, "a &lt;program&gt; &amp; &quot;its&quot; name"));
	assert_null(strstr(text, "http-equiv"));
	assert_int_equal(times(text, "://"), 2); /* two names of namespaces: nothing is fetched */
	free(text);
}

TEST_BOTH(names_cannot_break_a_graph, start, stop)
{
	static char longest[10001];
	uint32_t top;
	char *text;

	memset(longest, 'y', sizeof(longest) - 1);
	top = below(NAMED_NONE, "</title><script>alert(1)</script>");
	stack_tree_init(&tree, &names, false);
	stack_tree_add(&tree, below(top, "]]>\" onload='x\n\033[1m\xff;"), 3);
	stack_tree_add(&tree, below(top, longest), 3);
	stack_tree_settle(&tree);
	text = svg();
	assert_int_equal(times(text, "<script>"), 1);
	assert_non_null(strstr(text, "&lt;/title&gt;&lt;script&gt;alert(1)"));
	assert_non_null(strstr(text, "]]&gt;&quot; onload=&#39;x\\n"));
	assert_int_equal(times(text, "\033"), 0);
	assert_int_equal(times(text, "\xff"), 0);
	assert_in_range(strlen(text), 1, 20000);
	free(text);
}

TEST_BOTH(what_is_too_deep_or_narrow_is_left_out_and_counted, start, stop)
{
	uint32_t stack = NAMED_NONE;
	char *text;

	for (unsigned int i = 0; i < 4096; i++)
		stack = below(stack, i % 2 ? "odd" : "even");
	stack_tree_init(&tree, &names, false);
	stack_tree_add(&tree, stack, 1000000);
	stack_tree_add(&tree, below(NAMED_NONE, "narrow"), 1);
	stack_tree_settle(&tree);
	text = svg();
	assert_int_equal(times(text, "<g data-x="), FLAME_DEPTH_MAX);
	assert_non_null(strstr(text, "3074 functions are too narrow or too deep"));
	assert_null(strstr(text, "narrow ("));
	free(text);
}

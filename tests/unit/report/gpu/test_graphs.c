/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/gpu/graphs.c, graph_nodes.c, gpu_work.c over recordings in memory: launches of graphs,
 * what lies between their nodes, and the range that a node was captured in, whichever copy of it
 * runs.
 */
#include "tests/unit/unit.h"
#include "report/gpu/gpu.h"
#include "report/gpu/graphs.h"
#include "tests/unit/gpu_recording.h"

#define SECOND 1000000000ull

static struct graphs *graphs;

static void push(uint64_t time_ns, const char *text)
{
	FRAME_PUT(c.r.fw, time_ns, nvtx_push, .name = name(text));
}

static void pop(uint64_t time_ns)
{
	FRAME_PUT(c.r.fw, time_ns, nvtx_pop, .domain = 0);
}

/* A launch that is captured: its node is made within it. */
static void capture(uint64_t time_ns, uint64_t node)
{
	FRAME_PUT(c.r.fw, time_ns - 3, gpu_captured, .node = node, .graph = 1);
	CUDA_PUT(&c, time_ns, cuda_launch, "cudaLaunchKernel", 5, .kernel = name("k"));
}

static void copy(uint64_t time_ns, uint64_t node, uint64_t of)
{
	FRAME_PUT(c.r.fw, time_ns, gpu_captured, .node = node, .of = of, .graph = 2);
}

static void launch_graph(uint64_t time_ns, uint64_t correlation, uint64_t handle)
{
	CUDA_PUT(&c, time_ns, cuda_call, "cudaGraphLaunch", 7, .object = handle,
		 .correlation = correlation);
}

static void kernel(uint64_t begin_ns, uint64_t took_ns, uint64_t correlation, uint64_t node)
{
	KERNEL_PUT(SECOND, begin_ns, took_ns, correlation, "k", .graph = 2);
	if (node)
		FRAME_PUT(c.r.fw, SECOND, gpu_node, .correlation = correlation, .node = node);
}

static void finish(enum key_id by)
{
	close_recording(5 * SECOND);
	open_run(NULL);
	graphs = graphs_want(run, &(struct graphs_options){ .by = by });
	run_read(run, false);
}

/*
 * Pieces whose capture's range is that one; "": those in none. The low half of such a key is its
 * name's index + 1.
 */
static uint64_t pieces_in(const char *range)
{
	uint64_t pieces = 0;

	for (size_t i = 0; i < graphs->work.count; i++) {
		const struct group *group = &graphs->work.group[i];
		uint32_t name = (uint32_t)group->key[GRAPH_WORD_PLACE];
		const char *text = name ? source_name_text(source_name_at(source, name - 1)) : "";

		if (!strcmp(range, text))
			pieces += group->time.count;
	}
	return pieces;
}

/* Two launches: nodes side by side and one after the other with 300 between, and one node. */
TEST(a_launch_lasts_from_its_first_node_to_its_last)
{
	const struct graph_row *row;

	start(2);
	launch_graph(1000, 1, 0xa0);
	launch_graph(9000, 2, 0xa0);
	on_stream(2);
	kernel(3000, 100, 1, 52); /* told backwards */
	kernel(2000, 700, 1, 51);
	kernel(2100, 200, 1, 50);
	kernel(10000, 50, 2, 50);
	finish(BY_graphs_graph);
	assert_int_equal(graphs->row_count, 1);
	row = &graphs->row[0];
	assert_int_equal(row->number, 2);
	assert_int_equal(row->launches, 2);
	assert_int_equal(row->without_work, 0);
	assert_int_equal(row->nodes, 3);
	assert_int_equal(row->calls, 4);
	assert_int_equal(row->total_ns, 1050);
	assert_int_equal(row->span_ns, 1100 + 50);
	assert_int_equal(row->gap_ns, 300);
	assert_int_equal(row->host_ns, 14);
	release();
}

TEST(launches_without_work_are_of_the_graph_of_their_handle)
{
	start(2);
	launch_graph(1000, 1, 0xa0);
	launch_graph(2000, 2, 0xa0);
	launch_graph(3000, 3, 0xb0);
	CUDA_PUT(&c, 4000, cuda_call, "cudaGraphLaunch", 7, .object = 0xa0, .correlation = 4,
		 .result = 1);
	on_stream(2);
	kernel(3000, 100, 1, 0);
	finish(BY_graphs_graph);
	assert_int_equal(graphs->row_count, 2);
	assert_int_equal(graphs->row[0].number, 2);
	assert_int_equal(graphs->row[0].launches, 2);
	assert_int_equal(graphs->row[0].without_work, 1);
	assert_int_equal(graphs->row[0].nodes, 0);
	assert_int_equal(graphs->row[1].number, 0);
	assert_int_equal(graphs->row[1].launches, 1);
	assert_int_equal(graphs->row[1].without_work, 1);
	release();
}

TEST(work_of_other_calls_is_of_no_graph)
{
	start(2);
	CUDA_PUT(&c, 1000, cuda_launch, "cudaLaunchKernel", 5, .kernel = name("k"),
		 .correlation = 1);
	on_stream(2);
	kernel(3000, 100, 1, 0);
	finish(BY_graphs_graph);
	assert_int_equal(graphs->row_count, 0);
	release();
}

/*
 * 10 and 11 are captured, in ranges; 20 and 21 are their copies, 30 a copy of a copy; 12 and 40
 * nobody has seen captured.
 */
TEST(nodes_have_the_range_of_their_capture)
{
	start(2);
	push(100, "a");
	capture(200, 10);
	pop(300);
	push(400, "b");
	capture(500, 11);
	pop(600);
	capture(650, 13);
	copy(700, 20, 10);
	copy(710, 21, 11);
	copy(720, 22, 12);
	copy(730, 30, 21);
	copy(740, 23, 13);
	push(800, "replay");
	launch_graph(1000, 1, 0xa0);
	launch_graph(2000, 2, 0xa0);
	pop(2100);
	on_stream(2);
	for (uint64_t i = 1; i <= 2; i++) {
		kernel(2000 * i, 10, i, 20);
		kernel(2000 * i + 20, 10, i, 21);
		kernel(2000 * i + 40, 10, i, 22);
		kernel(2000 * i + 60, 10, i, 30);
		kernel(2000 * i + 80, 10, i, 40);
		kernel(2000 * i + 90, 10, i, 23);
	}
	finish(BY_graphs_range);
	assert_int_equal(pieces_in("a"), 2);
	assert_int_equal(pieces_in("b"), 4);
	assert_int_equal(pieces_in("replay"), 0);
	assert_int_equal(pieces_in(""), 6);
	release();
}

/* A node that says it is a copy of itself, or of what is a copy of it, ends somewhere. */
TEST(copies_in_a_circle_have_no_context)
{
	start(2);
	copy(700, 20, 21);
	copy(710, 21, 20);
	copy(720, 20, 21);
	copy(730, 22, 22);
	launch_graph(1000, 1, 0xa0);
	on_stream(2);
	kernel(2000, 10, 1, 20);
	kernel(2020, 10, 1, 22);
	finish(BY_graphs_range);
	assert_int_equal(pieces_in(""), 2);
	release();
}

TEST(a_node_names_the_work_before_it_on_its_thread_only)
{
	start(2);
	push(100, "a");
	capture(200, 10);
	pop(300);
	launch_graph(1000, 1, 0xa0);
	launch_graph(2000, 2, 0xa0);
	on_stream(2);
	kernel(3000, 10, 1, 0);                                            /* its node was lost */
	FRAME_PUT(c.r.fw, SECOND, gpu_node, .correlation = 2, .node = 10); /* of other work */
	kernel(4000, 10, 2, 10);
	finish(BY_graphs_range);
	assert_int_equal(pieces_in("a"), 1);
	assert_int_equal(pieces_in(""), 1);
	release();
}

TEST(whole_graphs_have_launches_and_no_gaps)
{
	start(2);
	launch_graph(1000, 1, 0xa0);
	launch_graph(2000, 2, 0xa0);
	on_stream(2);
	for (uint64_t i = 1; i <= 2; i++)
		FRAME_PUT(c.r.fw, SECOND, gpu_graph, .ago_ns = (int64_t)(SECOND - 2000 * i),
			  .duration_ns = 100 * i, .correlation = i, .graph = 2);
	FRAME_PUT(c.r.fw, SECOND, gpu_graph, .ago_ns = 5, .duration_ns = 5, .correlation = 77);
	finish(BY_graphs_graph);
	assert_int_equal(graphs->row_count, 1);
	assert_int_equal(graphs->row[0].launches, 2);
	assert_int_equal(graphs->row[0].without_work, 0);
	assert_int_equal(graphs->row[0].span_ns, 300);
	assert_int_equal(graphs->row[0].total_ns, 300);
	assert_int_equal(graphs->row[0].calls, 0);
	assert_true(graphs->row[0].is_whole);
	release();
}

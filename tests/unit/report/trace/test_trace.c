/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/trace: what a writer is given has types and is not cut, escaped or formatted; texts of one
 * number are equal.
 */
#include "tests/unit/unit.h"
#include "report/trace/producer.h"
#include "tests/unit/gpu_recording.h"

#define SLICES 16

static struct slice {
	struct trace_slice slice;
	struct trace_argument argument[TRACE_LIST_MAX];
	char name[64];
} taken[SLICES];
static size_t slices, flows;
static struct trace_flow last_flow;

static void take_slice(void *state, const struct trace_slice *slice)
{
	struct slice *mine = &taken[slices++];

	assert_ptr_equal(state, &slices);
	assert_in_range(slices, 1, SLICES);
	mine->slice = *slice;
	memcpy(mine->argument, slice->event.argument,
	       slice->event.arguments * sizeof(*slice->event.argument));
	snprintf(mine->name, sizeof(mine->name), "%.*s", (int)slice->event.name.length,
		 slice->event.name.text);
	if (slice->flow)
		last_flow = *slice->flow;
}

static void take_flow(void *state, const struct trace_flow *flow)
{
	flows++;
	last_flow = *flow;
}

static const struct trace_argument *argument_of(const struct slice *slice,
						enum trace_argument_id id)
{
	for (size_t i = 0; i < slice->slice.event.arguments; i++)
		if (slice->argument[i].id == id)
			return &slice->argument[i];
	return NULL;
}

static void read_as(bool nests_only)
{
	const struct trace_writer writer = { .nests_only = nests_only,
					     .slice = take_slice,
					     .flow = take_flow };
	struct options options = { .report = REPORT_export };
	struct report_request request = { .options = &options };

	slices = flows = 0;
	close_recording(1000000);
	open_run(&plain);
	request.source = source;
	trace_want(run, &(struct trace_options){
				.request = &request, .writer = &writer, .state = &slices });
	run_read(run, false);
}

static void begin_held(uint64_t time_ns, const char *label, uint64_t function)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_id, .name = name(label), .scope = EVT_SCOPE_USER,
		  .sequence = UINT64_MAX, .function = function);
}

static void end_held(uint64_t time_ns, const char *label, uint64_t function)
{
	FRAME_PUT(c.r.fw, time_ns, torch_end_id, .name = name(label), .function = function);
}

TEST(names_are_bytes_and_arguments_have_types)
{
	static const char hostile[] = "a\"}\\\n\xff";

	start(1);
	for (uint64_t i = 0; i < 2; i++) {
		FRAME_PUT(c.r.fw, 10 + 100 * i, torch_begin_ex, .name = name(hostile),
			  .sequence = 7 + i);
		FRAME_PUT(c.r.fw, 11 + 100 * i, torch_inputs, .shapes = name("[[2, 3], []]"),
			  .types = name("['float', 'int']"));
		frame_put(c.r.fw, EVT_torch_end, 20 + 100 * i, &(uint64_t){ 0 });
	}
	read_as(false);
	assert_int_equal(slices, 2);
	assert_int_equal(taken[0].slice.event.category, TRACE_OPERATOR);
	assert_string_equal(taken[0].name, hostile);
	assert_int_not_equal(taken[0].slice.event.name.number, 0);
	assert_int_equal(taken[0].slice.event.name.number, taken[1].slice.event.name.number);
	assert_int_equal(taken[1].slice.event.time_ns, 110);
	assert_int_equal(taken[1].slice.duration_ns, 10);
	assert_int_equal(argument_of(&taken[1], TRACE_OF_SEQUENCE)->type, TRACE_SIGNED);
	assert_int_equal(argument_of(&taken[1], TRACE_OF_SEQUENCE)->number, 8);
	assert_true(argument_of(&taken[0], TRACE_OF_SHAPES)->text.is_list);
	assert_int_equal(argument_of(&taken[0], TRACE_OF_TYPES)->type, TRACE_STRING);
	release();
}

TEST(work_comes_with_its_call)
{
	const struct slice *kernel = &taken[1];

	start(1);
	launch(1000, 5);
	KERNEL_PUT(9000, 2000, 300, 5, "_Z6matmulv", .grid_x = 4);
	read_as(false);
	assert_int_equal(slices, 2);
	assert_int_equal(taken[0].slice.event.category, TRACE_RUNTIME);
	assert_int_equal(argument_of(&taken[0], TRACE_OF_CORRELATION)->number, 5);
	assert_int_equal(kernel->slice.event.category, TRACE_KERNEL);
	assert_string_equal(kernel->name, "matmul()");
	assert_int_equal(kernel->slice.owner, 100);
	assert_int_equal(argument_of(kernel, TRACE_OF_GRID)->type, TRACE_DIMENSIONS);
	assert_int_equal(last_flow.category, TRACE_WORK);
	assert_int_equal(last_flow.time_ns, 1000 - LAUNCH_NS);
	assert_int_equal(last_flow.to_ns, 2000);
	assert_int_equal(flows, 0);
	release();
}

/* Only for who can draw nothing else, what crosses has a number. */
TEST(what_crosses_has_a_number)
{
	for (int nests_only = 0; nests_only < 2; nests_only++) {
		start(1);
		begin_held(1000, "first", 0x1000);
		begin_held(2000, "second", 0x2000);
		end_held(3000, "first", 0x1000);
		end_held(5000, "second", 0x2000);
		read_as(nests_only);
		assert_int_equal(slices, 2);
		assert_string_equal(taken[0].name, "first");
		assert_int_equal(taken[0].slice.id != 0, nests_only);
		assert_int_equal(taken[1].slice.id, 0);
		release();
	}
}

TEST(what_has_no_end_says_why)
{
	start(1);
	FRAME_PUT(c.r.fw, 10, nvtx_start, .name = name("epoch"), .range = 7);
	FRAME_PUT(c.r.fw, 20, torch_begin, .name = name("open"));
	read_as(false);
	assert_int_equal(slices, 2);
	for (size_t i = 0; i < slices; i++) {
		bool is_range = !strcmp(taken[i].name, "epoch");

		assert_true(taken[i].slice.is_cut || taken[i].slice.runs_on);
		assert_int_equal(taken[i].slice.id != 0, is_range);
		if (is_range)
			assert_true(trace_is_open(&taken[i].slice));
	}
	release();
}

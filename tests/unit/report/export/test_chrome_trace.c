/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/export/chrome.c, sink.c: traces of recordings in memory: hostile names, what has no end,
 * times and numbers.
 */
#include "report/export/exporter.h"
#include "report/export/sink.h"
#include "tests/unit/cuda_recording.h"
#include "tests/unit/recording_source.h"

#define TRACE "trace.json"

static struct cuda_recording c;
static char text[65536];

static void start(void)
{
	cuda_recording_start(&c, 1);
	frame_begin_block(c.r.fw, 1);
}

static void read_trace(void)
{
	FILE *file = fopen(TRACE, "r");
	size_t length;

	assert_non_null(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
}

static int export_as(struct filter_settings scope)
{
	struct options options = { .output = TRACE, .scope = scope };
	struct report_request request = { .options = &options, .scope = scope };
	int status;

	request.source = recording_source(&c.r);
	status = export_chrome(&request);
	source_close(request.source);
	read_trace();
	return status;
}

static void finish(void)
{
	static const struct filter_settings all = { .pid = FILTER_NO_ID,
						    .tid = FILTER_NO_ID,
						    .to_ns = UINT64_MAX };

	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 1000000);
	assert_int_equal(export_as(all), STATUS_OK);
}

static void begin(uint64_t time_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin, .name = cuda_recording_name(&c, name));
}

static void end(uint64_t time_ns)
{
	frame_put(c.r.fw, EVT_torch_end, time_ns, &time_ns); /* it has no field */
}

static size_t count(const char *part)
{
	size_t found = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		found++;
	return found;
}

TEST(operators_are_spans_in_us)
{
	start();
	begin(1234567, "aten::outer");
	begin(1234570, "aten::inner");
	end(1235000);
	end(1299999);
	finish();
	assert_int_equal(count("\"cat\": \"cpu_op\""), 2);
	assert_int_equal(count("\"name\": \"aten::outer\", \"pid\": 100, \"tid\": 100, "
			       "\"ts\": 1234.567, \"dur\": 65.432"),
			 1);
	assert_int_equal(count("\"ts\": 1234.570, \"dur\": 0.430"), 1);
	cuda_recording_release(&c);
}

TEST(hostile_names_stay_data)
{
	start();
	begin(10, "a\"}],\\\n\x01\x7f\xff\xc3\xa4</script>");
	end(20);
	finish();
	assert_int_equal(count("\"name\": \"a\\\"}],\\\\\\u000a\\u0001\\u007f\xef\xbf\xbd\xc3\xa4"
			       "</script>\", "),
			 1);
	cuda_recording_release(&c);
}

TEST(what_has_no_end_is_said)
{
	start();
	begin(10, "open");
	begin(20, "closed");
	end(30);
	finish();
	assert_int_equal(count("\"end not recorded\": true"), 1);
	assert_int_equal(count("\"cat\": \"cpu_op\""), 2);
	cuda_recording_release(&c);
}

static void begin_held(uint64_t time_ns, const char *name, uint64_t function)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_id, .name = cuda_recording_name(&c, name),
		  .scope = EVT_SCOPE_USER, .sequence = UINT64_MAX, .function = function);
}

static void end_held(uint64_t time_ns, const char *name, uint64_t function)
{
	FRAME_PUT(c.r.fw, time_ns, torch_end_id, .name = cuda_recording_name(&c, name),
		  .function = function);
}

TEST(what_is_of_no_thread_has_no_end_either)
{
	start();
	FRAME_PUT(c.r.fw, 10, torch_async_begin, .name = cuda_recording_name(&c, "gloo:all_reduce"),
		  .function = 0x1000);
	FRAME_PUT(c.r.fw, 20, torch_async_begin, .name = cuda_recording_name(&c, "gloo:broadcast"),
		  .function = 0x2000);
	FRAME_PUT(c.r.fw, 30, torch_async_end, .function = 0x2000);
	FRAME_PUT(c.r.fw, 40, nvtx_start, .name = cuda_recording_name(&c, "epoch"), .range = 7);
	FRAME_PUT(c.r.fw, 50, nvtx_start, .name = cuda_recording_name(&c, "batch"), .range = 8);
	FRAME_PUT(c.r.fw, 60, nvtx_end, .range = 8);
	finish();
	assert_int_equal(count("\"end not recorded\": true"), 2);
	assert_int_equal(count("\"name\": \"gloo:all_reduce\""), 1);
	assert_int_equal(count("\"name\": \"gloo:broadcast\""), 1);
	assert_int_equal(count("\"name\": \"epoch\""), 2);
	assert_int_equal(count("\"name\": \"batch\""), 2);
	cuda_recording_release(&c);
}

/* A viewer of JSON would give the one that ends first the end of the other. */
TEST(what_crosses_is_on_a_line_of_its_own)
{
	start();
	begin_held(1000, "first", 0x1000);
	begin_held(2000, "second", 0x2000);
	begin(2500, "aten::inner");
	end(2600);
	end_held(3000, "first", 0x1000);
	end_held(5000, "second", 0x2000);
	finish();
	assert_int_equal(count("\"ph\": \"b\""), 1);
	assert_int_equal(count("\"ph\": \"e\""), 1);
	assert_int_equal(count("\"name\": \"second\", \"pid\": 100, \"tid\": 100, "
			       "\"ts\": 2.000, \"dur\": 3.000"),
			 1);
	assert_int_equal(count("\"name\": \"aten::inner\""), 1);
	cuda_recording_release(&c);
}

TEST(only_what_the_filters_hold_for)
{
	struct filter_settings late = {
		.pid = FILTER_NO_ID, .tid = FILTER_NO_ID, .from_ns = 100, .to_ns = UINT64_MAX
	};

	start();
	begin(10, "early");
	end(20);
	begin(110, "late");
	end(120);
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 1000000);
	assert_int_equal(export_as(late), STATUS_OK);
	assert_int_equal(count("\"early\""), 0);
	assert_int_equal(count("\"late\""), 1);
	cuda_recording_release(&c);
}

TEST(ends_of_flows_have_one_number)
{
	start();
	FRAME_PUT(c.r.fw, 10, torch_begin_ex, .name = cuda_recording_name(&c, "aten::mul"),
		  .sequence = 7, .thread = 1);
	end(20);
	FRAME_PUT(c.r.fw, 30, torch_begin_ex, .name = cuda_recording_name(&c, "MulBackward0"),
		  .scope = 1, .sequence = 7, .thread = 2, .forward_thread = 1);
	end(40);
	finish();
	assert_int_equal(count("\"ph\": \"s\", \"cat\": \"fwdbwd\""), 1);
	assert_int_equal(count("\"ts\": 0.010, \"id\": 1"), 1);
	assert_int_equal(count("\"ts\": 0.030, \"id\": 1, \"bp\": \"e\""), 1);
	cuda_recording_release(&c);
}

TEST(calls_of_cuda_end_where_they_are_told)
{
	start();
	CUDA_PUT(&c, 5000, cuda_call, "cudaMalloc", 2000, .result = 0);
	CUDA_PUT(&c, 9000, cuda_call, "cuMemAlloc_v2", 1000, .result = 2);
	finish();
	assert_int_equal(count("\"cat\": \"cuda_runtime\", \"name\": \"cudaMalloc\""), 1);
	assert_int_equal(count("\"ts\": 3.000, \"dur\": 2.000"), 1);
	assert_int_equal(count("\"cat\": \"cuda_driver\", \"name\": \"cuMemAlloc_v2\""), 1);
	cuda_recording_release(&c);
}

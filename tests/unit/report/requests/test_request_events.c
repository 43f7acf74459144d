/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/requests/request_events.c: begins and ends, who was alone on its thread, rows, halves. */
#include "tests/unit/unit.h"

#include "collector/format/calls.h"
#include "report/requests/request_events.h"
#include "tests/unit/run_fixture.h"

static void begin(struct frame_writer *fw, uint64_t time_ns, uint64_t connection, uint64_t number)
{
	FRAME_PUT(fw, time_ns, request_begin, .connection = connection, .number = number,
		  .method = name_of("GET"), .endpoint = name_of(connection > 8 ? "/b" : "/a"));
}

static void end_as(struct frame_writer *fw, uint64_t time_ns, uint64_t connection, uint64_t number,
		   uint64_t status)
{
	FRAME_PUT(fw, time_ns, request_end, .connection = connection, .number = number,
		  .status = status, .ending = status ? REQUEST_ANSWERED : REQUEST_CLIENT_LEFT,
		  .bytes_in = 10, .bytes_out = 20, .answer = 50, .duration = 20);
}

static void clock_at(struct frame_writer *fw, uint64_t time_ns, uint64_t cpu_ns)
{
	FRAME_PUT(fw, time_ns, thread_clock, .cpu_ns = cpu_ns);
}

static const struct requests *requests_by(enum key_id by)
{
	const struct requests *requests;

	recording_open();
	requests = requests_want(run, &(struct requests_options){ .by = by });
	recording_read();
	return requests;
}

/* The call that sent the last byte began 20 ns before the event. */
TEST(time_ends_before_the_last_call)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;
	const struct request_row *row;
	uint64_t cpu_ns = 0;

	clock_at(fw, 1000, 500);
	begin(fw, 1000, 1, 0);
	clock_at(fw, 2020, 900);
	end_as(fw, 2020, 1, 0, 200);
	requests = requests_by(BY_requests_endpoint);
	assert_int_equal(requests->count, 1);
	row = &requests->row[0];
	assert_int_equal(row->time.count, 1);
	assert_int_equal(row->time.total_ns, 1000);
	assert_int_equal(row->answer.total_ns, 30);
	assert_int_equal(row->bytes_in, 10);
	assert_int_equal(row->bytes_out, 20);
	assert_int_equal(row->alone, 1);
	assert_true(cpu_span_value(&row->cpu, row->alone_ns, &cpu_ns));
	assert_in_range(cpu_ns, 380, 400);
	assert_int_equal(requests->first_ns, 1000);
	assert_int_equal(requests->last_ns, 2000);
	recording_close();
}

/* What a request waited before it was received is part of its time, and of no thread's. */
TEST(the_queue_is_part_of_the_time)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;

	FRAME_PUT(fw, 1000, request_begin, .connection = 1, .method = name_of("GET"),
		  .endpoint = name_of("/a"), .waited_ns = 300);
	end_as(fw, 2020, 1, 0, 200);
	FRAME_PUT(fw, 3000, request_begin, .connection = 2, .method = name_of("GET"),
		  .endpoint = name_of("/a"), .waited_ns = UINT64_MAX);
	end_as(fw, 4020, 2, 0, 200);
	requests = requests_by(BY_requests_endpoint);
	assert_int_equal(requests->row[0].time.total_ns, 2300);
	assert_int_equal(requests->row[0].queue_ns, 300);
	assert_int_equal(requests->row[0].alone_ns, 2000);
	assert_int_equal(requests->first_ns, 1000); /* it had waited for a server that started */
	recording_close();
}

/* Of a recording without that, and of an answer without a body, no first byte is known. */
TEST(bodies_come_in_pieces)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;

	FRAME_PUT(fw, 1000, request_begin, .connection = 1, .method = name_of("GET"),
		  .endpoint = name_of("/a"), .waited_ns = 300);
	FRAME_PUT(fw, 2000, request_end, .connection = 1, .status = 200, .answer = 900,
		  .duration = 20, .body = 620, .pieces = 4);
	begin(fw, 3000, 2, 0);
	end_as(fw, 4000, 2, 0, 200);
	requests = requests_by(BY_requests_endpoint);
	assert_int_equal(requests->row[0].first.count, 1);
	assert_int_equal(requests->row[0].first.total_ns, 2000 - 620 - 1000 + 300);
	assert_int_equal(request_row_piece_ns(&requests->row[0]), 200);
	assert_true(request_row_streams(&requests->row[0]));
	assert_int_equal(requests->connections, 2);
	recording_close();
}

TEST(requests_that_take_turns_are_not_alone)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;

	begin(fw, 1000, 1, 0);
	begin(fw, 1500, 2, 0);
	end_as(fw, 2000, 1, 0, 200);
	end_as(fw, 2500, 2, 0, 200);
	begin(fw, 3000, 1, 1);
	end_as(fw, 3100, 1, 1, 200);
	requests = requests_by(BY_requests_endpoint);
	assert_int_equal(requests->count, 1);
	assert_int_equal(requests->row[0].time.count, 3);
	assert_int_equal(requests->row[0].alone, 1);
	assert_int_equal(requests->row[0].alone_ns, 80);
	recording_close();
}

TEST(answered_by_another_thread_is_not_alone)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;

	begin(fw, 1000, 1, 0);
	on_stream(2);
	end_as(fw, 2000, 1, 0, 200);
	requests = requests_by(BY_requests_endpoint);
	assert_int_equal(requests->row[0].time.count, 1);
	assert_int_equal(requests->row[0].alone, 0);
	recording_close();
}

TEST(rows_by_status_and_by_request)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;

	begin(fw, 1000, 1, 0);
	end_as(fw, 1100, 1, 0, 200);
	begin(fw, 2000, 9, 0);
	end_as(fw, 2100, 9, 0, 500);
	begin(fw, 3000, 9, 1);
	end_as(fw, 3100, 9, 1, 0);
	requests = requests_by(BY_requests_status);
	assert_int_equal(requests->count, 3);
	assert_int_equal(requests->row[1].key.status, 500);
	assert_int_equal(requests->row[1].errors, 1);
	assert_int_equal(requests->row[2].unanswered, 1);
	assert_int_equal(requests->row[2].errors, 0);
	recording_close();
}

TEST(single_requests_have_numbers)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;

	begin(fw, 1000, 1, 0);
	begin(fw, 1500, 9, 0);
	end_as(fw, 1800, 9, 0, 200);
	end_as(fw, 2100, 1, 0, 200);
	requests = requests_by(BY_requests_request);
	assert_int_equal(requests->count, 2);
	assert_int_equal(requests->row[0].key.number, 1);
	assert_int_equal(requests->row[0].key.start_ns, 1500);
	assert_int_equal(requests->row[1].key.number, 0);
	recording_close();
}

/* An end alone is none; a begin alone is open, and has no time. */
TEST(halves_have_no_time)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;

	end_as(fw, 500, 3, 7, 200);
	begin(fw, 1000, 1, 0);
	requests = requests_by(BY_requests_endpoint);
	assert_int_equal(requests->count, 1);
	assert_int_equal(requests->row[0].time.count, 0);
	assert_int_equal(requests->row[0].open, 1);
	recording_close();
}

static void route_at(struct frame_writer *fw, uint64_t time_ns, const char *endpoint,
		     const char *route)
{
	FRAME_PUT(fw, time_ns, request_route, .method = name_of("GET"),
		  .endpoint = name_of(endpoint), .route = name_of(route));
}

static void one(struct frame_writer *fw, uint64_t time_ns, const char *endpoint, const char *route,
		uint64_t status)
{
	FRAME_PUT(fw, time_ns, request_begin, .connection = 1, .number = time_ns,
		  .method = name_of("GET"), .endpoint = name_of(endpoint));
	if (route)
		route_at(fw, time_ns + 10, endpoint, route);
	end_as(fw, time_ns + 100, 1, time_ns, status);
}

static const char *endpoint_of_row(const struct requests *requests, size_t at)
{
	return source_name_text(source_name_at(run_source(run), requests->row[at].key.endpoint));
}

/* Requests of several endpoints that had the same route are one row. */
TEST(rows_are_named_by_routes)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;

	one(fw, 1000, "/users/ada", "/users/{name}", 200);
	one(fw, 2000, "/users/bob", "/users/{name}", 200);
	one(fw, 3000, "/users/ada", NULL, 404);
	one(fw, 4000, "/other", NULL, 404);
	requests = requests_by(BY_requests_endpoint);
	assert_int_equal(requests->count, 2);
	assert_string_equal(endpoint_of_row(requests, 0), "/users/{name}");
	assert_int_equal(requests->row[0].time.count, 3);
	assert_string_equal(endpoint_of_row(requests, 1), "/other");
	recording_close();
}

/* Then which of them a request had is not known: each request before had the first one. */
TEST(endpoints_with_several_routes_keep_their_name)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;

	one(fw, 1000, "/users/...", "/users/{name}", 200);
	one(fw, 2000, "/users/...", NULL, 404); /* many paths: it may have had no route */
	one(fw, 3000, "/users/...", "/users/{name}/orders", 200);
	one(fw, 4000, "/users/...", NULL, 200);
	requests = requests_by(BY_requests_endpoint);
	assert_int_equal(requests->count, 2);
	assert_string_equal(endpoint_of_row(requests, 0), "/users/{name}");
	assert_int_equal(requests->row[0].time.count, 1);
	assert_string_equal(endpoint_of_row(requests, 1), "/users/...");
	assert_int_equal(requests->row[1].time.count, 3);
	recording_close();
}

/* Two requests of one thread, which waits in epoll_wait() for three quarters of their time. */
TEST(requests_that_share_a_thread_wait_while_it_has_nothing_to_do)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;
	uint64_t awaited_ns = 0, busy_ns = 0;

	FRAME_PUT(fw, 900, python_sample, .place = 1, .state = EVT_PYTHON_RUNS, .looks = 1);
	begin(fw, 950, 1, 0);
	begin(fw, 950, 2, 0);
	for (uint64_t i = 0; i < 20; i++)
		FRAME_PUT(fw, 1000 + 100 * i, python_sample, .place = 1, .looks = 1,
			  .state = i % 4 ? EVT_PYTHON_IO : EVT_PYTHON_RUNS,
			  .call = i % 4 ? CALL_epoll_wait + 1 : 0);
	end_as(fw, 2970, 1, 0, 200);
	end_as(fw, 2970, 2, 0, 200);
	FRAME_PUT(fw, 3000, python_sample, .place = 1, .state = EVT_PYTHON_RUNS, .looks = 1);
	requests = requests_by(BY_requests_endpoint);
	assert_int_equal(requests->count, 1);
	assert_int_equal(requests->row[0].alone, 0);
	assert_true(request_row_shared(&requests->row[0], &awaited_ns, &busy_ns));
	assert_int_equal(awaited_ns, 3000);
	assert_int_equal(awaited_ns + busy_ns, requests->row[0].time.total_ns);
	assert_false(request_row_waited(&requests->row[0], LOOK_AWAITS, &awaited_ns));
	recording_close();
}

/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Rules about servers (report/advice/advice_serving_work.c, advice_requests.c): one that starts a
 * thread for each request, and one whose machine has no CPU for many of its requests.
 */
#include "tests/unit/unit.h"
#include "report/advice/cause.h"
#include "tests/unit/advice_recording.h"

#define SERVER "/home/me/server.py"
#define ASYNCIO "/usr/lib/python3.11/asyncio/"
#define LOOK_NS (10ull * MS)
#define ACCEPT4 289u /* numbers of calls, plus 1 */
#define EPOLL_WAIT 233u

enum { MAIN = 11, WORKER, WORKERS = 20 };
enum {
	IN_MAIN = 1,
	AT_LOCK,
	AT_STORE,
	IN_LOOP,
	IN_CALLBACK,
	AT_AWAIT,
	IN_JSON,
	IN_CLIENT,
	IN_POOL,
	TASK_LOCK,
	IN_PACKAGE,
	IN_SHARER,
};

static void place_put(uint64_t id, uint64_t from, const char *function, const char *file,
		      uint64_t line)
{
	FRAME_PUT(c.r.fw, 1, python_code, .id = id, .function = name(function), .file = name(file),
		  .line = 1);
	FRAME_PUT(c.r.fw, 1, python_place, .id = id, .from = from, .code = id, .line = line);
}

static void look_put(uint64_t at_ns, uint64_t place, enum evt_python_state state, uint64_t call)
{
	FRAME_PUT(c.r.fw, at_ns, python_sample, .place = place, .state = state, .looks = 1,
		  .call = call);
}

static uint64_t begin_ns(unsigned int worker)
{
	return (worker + 1) * 10 * LOOK_NS;
}

static void places_put(void)
{
	place_put(IN_MAIN, 0, "<module>", SERVER, 40);
	place_put(AT_LOCK, 0, "rate_of", SERVER, 14);
	place_put(AT_STORE, 0, "ask_store", SERVER, 11);
	place_put(IN_LOOP, IN_MAIN, "_run_once", ASYNCIO "base_events.py", 1900);
	place_put(IN_CALLBACK, IN_LOOP, "_run", ASYNCIO "events.py", 80);
	place_put(AT_AWAIT, IN_CALLBACK, "page_of", SERVER, 19);
	place_put(IN_POOL, 0, "_worker", "/usr/lib/python3.11/concurrent/futures/thread.py", 83);
	place_put(TASK_LOCK, IN_POOL, "task", SERVER, 25);
	place_put(IN_CLIENT, AT_STORE, "create_default_context", "/usr/lib/python3.11/ssl.py", 700);
	place_put(IN_PACKAGE, IN_CALLBACK, "get", "/venv/site-packages/queues/reader.py", 9);
	place_put(IN_JSON, AT_STORE, "dumps", "/usr/lib/python3.11/json/__init__.py", 231);
	place_put(IN_SHARER, 0, "_serve", "/usr/lib/python3.11/multiprocessing/resource_sharer.py",
		  138);
}

/* The main thread waits for connections until `end_ns`, or soon in `state`. */
static void start_server(uint64_t end_ns, enum evt_python_state state)
{
	char thread[64];

	start(1);
	frame_begin_block(c.r.fw, 0);
	places_put();
	FRAME_PUT(c.r.fw, 0, thread, .stream = MAIN, .process = 1, .tid = 100, .level = 2);
	for (unsigned int i = 0; i < WORKERS; i++) {
		snprintf(thread, sizeof(thread), "Thread-%u (process_request_thread)", i);
		FRAME_PUT(c.r.fw, begin_ns(i), thread, .stream = WORKER + i, .process = 1,
			  .tid = 200 + i, .level = 2);
		FRAME_PUT(c.r.fw, begin_ns(i), thread_name, .process = 1, .tid = 200 + i,
			  .name = name(thread));
	}
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, MAIN);
	for (uint64_t at_ns = LOOK_NS; at_ns <= end_ns; at_ns += LOOK_NS)
		look_put(at_ns, IN_MAIN, at_ns < 5 * LOOK_NS ? EVT_PYTHON_IO : state,
			 at_ns < 5 * LOOK_NS || state == EVT_PYTHON_IO ? ACCEPT4 : 0);
	frame_end_block(c.r.fw);
	now = end_ns;
}

/* No thread waits for more than a twentieth of the time, but there is always one that waits. */
TEST(threads_that_follow_one_another_count_as_one)
{
	const struct advice *advice;

	start_server(begin_ns(WORKERS), EVT_PYTHON_IO);
	for (unsigned int i = 0; i < WORKERS; i++) {
		frame_begin_block(c.r.fw, WORKER + i);
		for (unsigned int look = 0; look < 9; look++)
			look_put(begin_ns(i) + look * LOOK_NS, AT_LOCK, EVT_PYTHON_LOCK, 0);
		frame_end_block(c.r.fw);
	}
	read_back();
	advice = only("lock_wait", NULL);
	assert_string_equal(advice->place.line, SERVER ":14");
	if (!strstr(advice->text,
		    "20 threads, up to 1 at a time, waited for a lock for 1.60 s in all; "
		    "some of them that ran one after another did so for 76."))
		fail_msg("%s", advice->text);
	release();
}

static uint64_t request_put(unsigned int number, uint64_t at_ns, uint64_t took_ns,
			    enum evt_python_state state)
{
	FRAME_PUT(c.r.fw, at_ns, request_begin, .connection = 1, .number = number,
		  .method = name("GET"), .endpoint = name("/store"));
	for (uint64_t look_ns = LOOK_NS; look_ns < took_ns; look_ns += LOOK_NS)
		look_put(at_ns + look_ns, AT_STORE, state, 0);
	FRAME_PUT(c.r.fw, at_ns + took_ns, request_end, .connection = 1, .number = number,
		  .status = 200);
	return at_ns + took_ns + MS;
}

/*
 * Of 200 requests 10 ask a slow store, and 50 have no CPU for a while: with these more than a fifth
 * take three times the median.
 */
TEST(slow_requests_on_a_machine_that_is_busy)
{
	const struct advice *advice;
	uint64_t at_ns = begin_ns(0) + LOOK_NS;

	start_server(5700ull * MS, EVT_PYTHON_IO);
	frame_begin_block(c.r.fw, WORKER);
	look_put(at_ns - LOOK_NS, AT_STORE, EVT_PYTHON_SLEEP, 0);
	for (unsigned int i = 0; i < 200; i++)
		at_ns = request_put(i, at_ns,
				    i % 20 == 7 ? 300 * MS
				    : i % 4     ? 5 * MS
						: 25 * MS,
				    i % 20 == 7 ? EVT_PYTHON_SLEEP : EVT_PYTHON_READY);
	frame_end_block(c.r.fw);
	read_back();
	advice = advice_of("slow_requests");
	assert_non_null(advice);
	assert_string_equal(advice->place.line, SERVER ":11");
	if (!strstr(advice->text, "10 of 200 requests of /store (5.0 %) took 300 ms on average, 4 "
				  "times the median"))
		fail_msg("%s", advice->text);
	release();
}

/* A main thread that has started a server sleeps, or waits for its end: no request waits for it. */
TEST(a_main_thread_without_requests)
{
	uint64_t at_ns = begin_ns(0) + LOOK_NS;

	start_server(1000ull * MS, EVT_PYTHON_SLEEP);
	read_back();
	assert_non_null(advice_of("waits"));
	release();
	start_server(1000ull * MS, EVT_PYTHON_SLEEP);
	frame_begin_block(c.r.fw, WORKER);
	for (unsigned int i = 0; i < 20; i++)
		at_ns = request_put(i, at_ns, 5 * MS, EVT_PYTHON_READY);
	frame_end_block(c.r.fw);
	read_back();
	assert_null(advice_of("waits"));
	release();
}

/* The wait has three lines: which part of its time the named one has is said. */
TEST(a_wait_in_several_lines)
{
	static const uint64_t places[] = { IN_MAIN,  IN_MAIN, IN_MAIN,  IN_MAIN,  AT_LOCK,
					   AT_STORE, AT_LOCK, AT_STORE, AT_STORE, AT_LOCK };
	const struct advice *advice;
	char place[CAUSE_PLACE_BYTES];

	start(1);
	frame_begin_block(c.r.fw, 0);
	places_put();
	FRAME_PUT(c.r.fw, 0, thread, .stream = MAIN, .process = 1, .tid = 100, .level = 2);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, MAIN);
	for (unsigned int look = 0; look <= 200; look++)
		look_put((look + 1) * LOOK_NS, places[look % 10], EVT_PYTHON_SLEEP, 0);
	frame_end_block(c.r.fw);
	now = 201 * LOOK_NS;
	read_back();
	advice = advice_of("waits");
	assert_non_null(advice);
	assert_string_equal(advice->place.line, SERVER ":40");
	if (strncmp(cause_place(advice, place), "40 % of that in ", 16))
		fail_msg("%s", place);
	release();
}

/* Handlers that await for `awaits` of 10 looks; the loop's thread runs one of them otherwise. */
static void write_awaits(unsigned int awaits)
{
	start_server(begin_ns(0), EVT_PYTHON_IO);
	frame_begin_block(c.r.fw, WORKER);
	for (unsigned int i = 0; i < 100; i++) {
		uint64_t at_ns = begin_ns(i) + LOOK_NS / 2;

		FRAME_PUT(c.r.fw, at_ns, request_begin, .connection = 1, .number = i,
			  .method = name("GET"), .endpoint = name("/page"));
		for (unsigned int look = 0; look < 10; look++)
			look_put(begin_ns(i) + (look + 1) * LOOK_NS,
				 look < awaits ? IN_LOOP : AT_AWAIT,
				 look < awaits ? EVT_PYTHON_IO : EVT_PYTHON_RUNS,
				 look < awaits ? EPOLL_WAIT : 0);
		FRAME_PUT(c.r.fw, at_ns + 10 * LOOK_NS - 1, request_end, .connection = 1,
			  .number = i, .status = 200);
	}
	frame_end_block(c.r.fw);
	now = begin_ns(100);
	read_back();
}

TEST(handlers_that_await_while_the_loop_has_nothing_to_do)
{
	const struct advice *advice;

	write_awaits(8);
	advice = advice_of("request_waits");
	assert_non_null(advice);
	assert_int_equal(advice->severity, ADVICE_NOTE);
	assert_string_equal(advice->place.line, SERVER ":19");
	if (!strstr(advice->text, "80 % of the requests' time passed while their event loop had "
				  "nothing to do"))
		fail_msg("%s", advice->text);
	release();
	write_awaits(3);
	assert_null(advice_of("request_waits"));
	release();
}

/* An event loop that computes for nine of ten looks, and waits by `call`. No request comes. */
static void write_loop(uint64_t call)
{
	start(1);
	frame_begin_block(c.r.fw, 0);
	places_put();
	FRAME_PUT(c.r.fw, 0, thread, .stream = MAIN, .process = 1, .tid = 100, .level = 2);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, MAIN);
	for (unsigned int look = 1; look < 100; look++)
		look_put(look * LOOK_NS, look % 10 ? AT_AWAIT : IN_LOOP,
			 look % 10 ? EVT_PYTHON_RUNS : EVT_PYTHON_IO, look % 10 ? 0 : call);
	frame_end_block(c.r.fw);
	now = 100 * LOOK_NS;
	read_back();
}

/* A worker of a DataLoader, say: its own processes fetch what they share from it. */
static void write_sharer(void)
{
	start(1);
	frame_begin_block(c.r.fw, 0);
	places_put();
	FRAME_PUT(c.r.fw, 0, thread, .stream = MAIN, .process = 1, .tid = 100, .level = 2);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, MAIN);
	for (unsigned int look = 1; look < 100; look++)
		look_put(look * LOOK_NS, IN_SHARER, EVT_PYTHON_IO, ACCEPT4);
	frame_end_block(c.r.fw);
	now = 100 * LOOK_NS;
	read_back();
}

/* What it does after its start-up is judged as a server's, but nobody says that it serves. */
TEST(an_event_loop_alone_serves_nobody)
{
	const struct advice *advice;

	write_loop(EPOLL_WAIT);
	assert_true(bottleneck.serving.is_server);
	assert_false(bottleneck.waits->has_clients);
	advice = advice_of("blocked_event_loop");
	assert_non_null(advice);
	assert_string_equal(advice->place.line, SERVER ":19");
	release();
	write_loop(ACCEPT4);
	assert_true(bottleneck.waits->has_clients);
	release();
	write_sharer();
	assert_false(bottleneck.waits->has_clients);
	assert_false(bottleneck.serving.is_server);
	release();
	write_awaits(3);
	assert_true(bottleneck.waits->has_clients);
	release();
}

/* Requests come without a pause: the only thread is never seen waiting for one. */
static void write_busy(const char *method)
{
	start(1);
	frame_begin_block(c.r.fw, 0);
	places_put();
	FRAME_PUT(c.r.fw, 0, thread, .stream = MAIN, .process = 1, .tid = 100, .level = 2);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, MAIN);
	for (unsigned int i = 0; i < 50; i++) {
		FRAME_PUT(c.r.fw, begin_ns(i), request_begin, .connection = 1, .number = i,
			  .method = name(method), .endpoint = name("/rows"));
		for (unsigned int look = 1; look < 10; look++)
			look_put(begin_ns(i) + look * LOOK_NS, IN_JSON, EVT_PYTHON_RUNS, 0);
		FRAME_PUT(c.r.fw, begin_ns(i) + 10 * LOOK_NS - 1, request_end, .connection = 1,
			  .number = i, .status = 200);
	}
	frame_end_block(c.r.fw);
	now = begin_ns(50);
	read_back();
}

TEST(a_server_that_is_never_seen_waiting)
{
	const struct advice *advice;

	write_busy("GET");
	advice = advice_of("serialisation");
	assert_non_null(advice);
	assert_string_equal(advice->place.line, SERVER ":11");
	release();
	/* so are those that the program names itself */
	write_busy("call");
	assert_non_null(advice_of("serialisation"));
	release();
}

/*
 * A package answers requests in its loop, whose callbacks wait for half of the time; the user's
 * function runs in another process.
 */
TEST(the_users_function_runs_in_another_process)
{
	const struct advice *advice;

	start(2);
	frame_begin_block(c.r.fw, 0);
	places_put();
	FRAME_PUT(c.r.fw, 0, thread, .stream = MAIN, .process = 1, .tid = 100, .level = 2);
	FRAME_PUT(c.r.fw, 0, thread, .stream = WORKER, .process = 2, .tid = 101, .level = 2);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, MAIN);
	for (unsigned int i = 0; i < 20; i++) {
		FRAME_PUT(c.r.fw, begin_ns(i), request_begin, .connection = 1, .number = i,
			  .method = name("POST"), .endpoint = name("/predict"));
		for (unsigned int look = 1; look < 10; look++)
			look_put(begin_ns(i) + look * LOOK_NS, look % 2 ? IN_PACKAGE : IN_LOOP,
				 EVT_PYTHON_IO, look % 2 ? 1 : EPOLL_WAIT);
		FRAME_PUT(c.r.fw, begin_ns(i) + 10 * LOOK_NS - 1, request_end, .connection = 1,
			  .number = i, .status = 200);
	}
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, WORKER);
	for (uint64_t at_ns = LOOK_NS; at_ns < begin_ns(20); at_ns += LOOK_NS)
		FRAME_PUT(c.r.fw, at_ns, python_sample, .place = AT_LOCK, .state = EVT_PYTHON_RUNS,
			  .looks = 1, .cpu_us = LOOK_NS / 1000);
	frame_end_block(c.r.fw);
	now = begin_ns(20);
	read_back();
	advice = advice_of("blocked_event_loop");
	assert_non_null(advice);
	assert_int_equal(advice->severity, ADVICE_NOTE);
	assert_ptr_equal(advice_of("hot_line"), bottleneck.advice);
	assert_string_equal(bottleneck.advice->place.line, SERVER ":14");
	release();
}

enum { EARLY = 100, LATE = 50 };

/*
 * A process that starts others waits in its event loop for its children, and so does a worker while
 * it loads its model. Requests come after EARLY looks; after the last one the worker computes for
 * LATE. The second process is never asked.
 */
static void write_start_up(unsigned int requests)
{
	static const uint32_t streams[] = { MAIN, WORKER };
	uint64_t at_ns = EARLY * LOOK_NS;

	start(2);
	frame_begin_block(c.r.fw, 0);
	places_put();
	for (unsigned int i = 0; i < 2; i++)
		FRAME_PUT(c.r.fw, 0, thread, .stream = streams[i], .process = 1 + i, .tid = 100 + i,
			  .level = 2);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, MAIN);
	for (unsigned int look = 1; look < EARLY; look++)
		look_put(look * LOOK_NS, look % 2 ? IN_LOOP : AT_AWAIT,
			 look % 2 ? EVT_PYTHON_IO : EVT_PYTHON_RUNS, look % 2 ? EPOLL_WAIT : 0);
	for (unsigned int i = 0; i < requests; i++)
		at_ns = request_put(i, at_ns, 10 * LOOK_NS, EVT_PYTHON_READY);
	for (unsigned int look = 0; look < LATE; look++)
		look_put(at_ns + look * LOOK_NS, AT_LOCK, EVT_PYTHON_RUNS, 0);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, WORKER);
	now = at_ns + LATE * LOOK_NS;
	for (uint64_t look_ns = LOOK_NS; look_ns < now; look_ns += LOOK_NS)
		look_put(look_ns, IN_LOOP, EVT_PYTHON_IO, EPOLL_WAIT);
	frame_end_block(c.r.fw);
	read_back();
}

/* Looks of the first, or of the second process, that count. */
static uint64_t served_looks(uint32_t process)
{
	const struct wait_looks *looks = bottleneck.waits;
	uint64_t count = 0;

	for (size_t i = 0; i < looks->row_count; i++)
		if (serving_has(&looks->row[i]) && looks->row[i].look.process == process)
			count += looks->row[i].looks;
	return count;
}

TEST(serving_lasts_from_the_first_request_to_the_last)
{
	const struct serving *serving = &bottleneck.serving;

	write_start_up(20);
	assert_int_equal(serving->since_ns, EARLY * LOOK_NS);
	assert_int_equal(serving->ns, 20 * (10 * LOOK_NS + MS) - MS);
	assert_in_range(served_looks(0), 19 * 9, 20 * 9);
	assert_in_range(served_looks(1), 19 * 10, 20 * 10 + 2);
	release();
	/* with few requests, the first wait begins it, and it lasts to the end */
	write_start_up(5);
	assert_int_equal(serving->since_ns, LOOK_NS);
	assert_int_equal(serving->since_ns + serving->ns, bottleneck.wall_ns);
	release();
}

/* All threads of a pool have tasks, which wait in `state`. `limit`: its threads; 0: not known. */
static void write_pool(enum evt_python_state state, unsigned int limit, unsigned int open)
{
	start(1);
	frame_begin_block(c.r.fw, 0);
	places_put();
	for (unsigned int i = 0; i < 3; i++)
		FRAME_PUT(c.r.fw, 0, thread, .stream = WORKER + i, .process = 1, .tid = 200 + i,
			  .level = 2);
	frame_end_block(c.r.fw);
	for (unsigned int i = 0; i < 3; i++) {
		frame_begin_block(c.r.fw, WORKER + i);
		FRAME_PUT(c.r.fw, 1, nvtx_thread_name, .tid = 200 + i,
			  .name = name(i ? i == 1 ? "pool_1" : "pool_2" : "pool_0"),
			  .pool_threads = limit);
		for (unsigned int request = i; request < open; request += 3)
			FRAME_PUT(c.r.fw, LOOK_NS, request_begin, .connection = 1 + request,
				  .method = name("GET"), .endpoint = name("/rows"));
		for (unsigned int look = 1; look < 100; look++)
			look_put(look * LOOK_NS, TASK_LOCK, state, 0);
		for (unsigned int request = i; request < open; request += 3)
			FRAME_PUT(c.r.fw, 100 * LOOK_NS, request_end, .connection = 1 + request,
				  .status = 200);
		frame_end_block(c.r.fw);
	}
	now = 100 * LOOK_NS;
	read_back();
}

/* More threads would help tasks that sleep, but not those that wait for each other's lock. */
TEST(a_pool_whose_tasks_wait_for_a_lock)
{
	write_pool(EVT_PYTHON_SLEEP, 3, 3);
	assert_non_null(advice_of("pool_exhausted"));
	release();
	write_pool(EVT_PYTHON_LOCK, 3, 3);
	assert_null(advice_of("pool_exhausted"));
	assert_non_null(advice_of("lock_wait"));
	release();
}

/* anyio's limiter is no part of its pool: the open requests say that some have no thread. */
TEST(a_pool_whose_limit_is_not_known)
{
	const struct advice *advice;

	write_pool(EVT_PYTHON_SLEEP, 0, 9);
	advice = advice_of("pool_exhausted");
	assert_non_null(advice);
	assert_string_equal(advice->place.line, SERVER ":25");
	if (!strstr(advice->text, "the pool 'pool' has 3 threads") ||
	    !strstr(advice->text, "For each of them 3.0 requests were open at a time"))
		fail_msg("%s", advice->text);
	release();
	write_pool(EVT_PYTHON_SLEEP, 0, 4);
	assert_null(advice_of("pool_exhausted"));
	release();
}

/* A server that asks its own port when it starts makes a client for that, on another thread. */
static void write_client(unsigned int on)
{
	uint64_t at_ns = begin_ns(0) + LOOK_NS;

	start_server(at_ns, EVT_PYTHON_IO);
	frame_begin_block(c.r.fw, WORKER);
	for (unsigned int i = 0; i < 20; i++)
		at_ns = request_put(i, at_ns, 5 * MS, EVT_PYTHON_READY);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, on);
	for (unsigned int look = 1; look < 60; look++)
		look_put(at_ns + look * LOOK_NS, IN_CLIENT, EVT_PYTHON_RUNS, 0);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, WORKER);
	now = request_put(20, at_ns + 60 * LOOK_NS, 5 * MS, EVT_PYTHON_READY);
	frame_end_block(c.r.fw);
	read_back();
}

TEST(a_client_that_no_request_makes)
{
	write_client(WORKER);
	assert_non_null(advice_of("client_per_request"));
	release();
	write_client(WORKER + 1);
	assert_null(advice_of("client_per_request"));
	release();
}

/* --- connections, and what requests leave behind --- */

/* Each request has a connection of its own, or all of them have one. */
static void write_answers(bool is_new, uint64_t held_ns)
{
	uint64_t at_ns = begin_ns(0) + LOOK_NS;

	start_server(at_ns + 300 * 10 * MS, EVT_PYTHON_IO);
	frame_begin_block(c.r.fw, WORKER);
	for (unsigned int i = 0; i < 300; i++, at_ns += 10 * MS) {
		FRAME_PUT(c.r.fw, at_ns, request_begin, .connection = is_new ? i + 1 : 1,
			  .number = is_new ? 0 : i, .method = name("GET"), .endpoint = name("/a"),
			  .held_ns = i ? held_ns : 0);
		FRAME_PUT(c.r.fw, at_ns + 2 * MS, request_end, .connection = is_new ? i + 1 : 1,
			  .number = is_new ? 0 : i, .status = 200);
	}
	frame_end_block(c.r.fw);
	read_back();
}

TEST(requests_on_connections_of_their_own)
{
	const struct advice *advice;

	write_answers(true, 0);
	advice = advice_of("new_connections");
	assert_non_null(advice);
	if (!strstr(advice->text, "300 requests came on 300 connections"))
		fail_msg("%s", advice->text);
	assert_null(advice_of("held_answers"));
	release();
	write_answers(false, 0);
	assert_null(advice_of("new_connections"));
	release();
}

TEST(answers_whose_end_the_kernel_keeps_back)
{
	const struct advice *advice;

	write_answers(false, 6 * MS);
	advice = advice_of("held_answers");
	assert_non_null(advice);
	if (!strstr(advice->text, "the end of 299 of 300 answers, for at least 6.00 ms on average"))
		fail_msg("%s", advice->text);
	release();
	write_answers(false, MS / 4);
	assert_null(advice_of("held_answers"));
	release();
}

enum { AUDIT = 100, AUDITS = 120 };

/* Each of 60 requests starts two threads, which sleep for `lives_ns`. */
static void write_starts(uint64_t lives_ns)
{
	uint64_t first_ns = begin_ns(0) + LOOK_NS, begin, end = first_ns + 700 * MS;
	char thread[64];

	start_server(end, EVT_PYTHON_IO);
	frame_begin_block(c.r.fw, WORKER);
	for (unsigned int i = 0; i < AUDITS / 2; i++) {
		FRAME_PUT(c.r.fw, first_ns + i * LOOK_NS, request_begin, .connection = 1,
			  .number = i, .method = name("GET"), .endpoint = name("/a"));
		FRAME_PUT(c.r.fw, first_ns + i * LOOK_NS + MS, request_end, .connection = 1,
			  .number = i, .status = 200);
	}
	frame_end_block(c.r.fw);
	for (unsigned int i = 0; i < AUDITS; i++) {
		begin = first_ns + i / 2 * LOOK_NS;
		snprintf(thread, sizeof(thread), "Thread-%u (audit)", i);
		frame_begin_block(c.r.fw, 0);
		FRAME_PUT(c.r.fw, begin, thread, .stream = AUDIT + i, .process = 1, .tid = 500 + i,
			  .level = 2);
		frame_end_block(c.r.fw);
		frame_begin_block(c.r.fw, AUDIT + i);
		FRAME_PUT(c.r.fw, begin, nvtx_thread_name, .tid = 500 + i, .name = name(thread));
		for (uint64_t at_ns = begin + LOOK_NS; at_ns < begin + lives_ns && at_ns < end;
		     at_ns += LOOK_NS)
			look_put(at_ns, AT_STORE, EVT_PYTHON_SLEEP, 0);
		frame_end_block(c.r.fw);
		frame_begin_block(c.r.fw, 0);
		if (begin + lives_ns < end)
			FRAME_PUT(c.r.fw, begin + lives_ns, thread_end, .stream = AUDIT + i);
		frame_end_block(c.r.fw);
	}
	read_back();
}

TEST(requests_that_start_threads_without_bound)
{
	const struct advice *advice;

	write_starts(1000 * MS);
	advice = advice_of("threads_without_bound");
	assert_non_null(advice);
	assert_string_equal(advice->place.line, SERVER ":11");
	if (!strstr(advice->text,
		    "at least 120 threads that received no request were started while 60 "
		    "requests were answered (2.0 for each), and up to 120 of them"))
		fail_msg("%s", advice->text);
	release();
	write_starts(5 * LOOK_NS);
	assert_null(advice_of("threads_without_bound"));
	release();
}

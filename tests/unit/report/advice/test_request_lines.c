/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/advice/request_lines.h: where threads were while they had requests, by endpoint and by how
 * long a request took; and what is left out when there is too much.
 */
#include "tests/unit/unit.h"

#include <sys/syscall.h>

#include "report/advice/request_lines.h"
#include "tests/unit/run_fixture.h"

#define LOOKS_OF_RING 1024u

static struct frame_writer *fw;

static void begin_at(uint64_t time_ns, uint64_t connection, const char *endpoint)
{
	FRAME_PUT(fw, time_ns, request_begin, .connection = connection, .method = name_of("GET"),
		  .endpoint = name_of(endpoint));
}

static void end_at(uint64_t time_ns, uint64_t connection)
{
	FRAME_PUT(fw, time_ns, request_end, .connection = connection, .status = 200);
}

static void look_at(uint64_t time_ns, uint64_t place, uint64_t what, uint64_t call)
{
	FRAME_PUT(fw, time_ns, python_sample, .place = place, .state = what, .call = call,
		  .looks = 1);
}

static const struct request_lines *request_lines_of_all(void)
{
	const struct request_lines *lines;

	recording_open();
	lines = request_lines_want(run, &(struct request_lines_options){ 0 });
	recording_read();
	return lines;
}

static uint64_t looks_of(const struct request_lines *lines, enum look_of of)
{
	uint64_t looks = 0;

	for (size_t i = 0; i < lines->place_count; i++)
		looks += lines->place[i].of == of ? lines->place[i].looks : 0;
	return looks;
}

/* A look before the request, two within it, one after. */
TEST(looks_within_a_request_are_its)
{
	const struct request_lines *lines;
	uint32_t bucket;

	fw = recording_begin(1);
	look_at(1000, 7, EVT_PYTHON_RUNS, 0);
	look_at(2000, 7, EVT_PYTHON_RUNS, 0);
	begin_at(2500, 1, "/a");
	look_at(3000, 8, EVT_PYTHON_LOCK, 0);
	look_at(4000, 8, EVT_PYTHON_LOCK, 0);
	end_at(4500, 1);
	look_at(5000, 9, EVT_PYTHON_RUNS, 0);
	lines = request_lines_of_all();
	assert_int_equal(request_lines_count(lines), 1);
	assert_int_equal(request_lines_total_ns(lines), 2000);
	assert_int_equal(request_lines_looks(lines), 2);
	assert_int_equal(lines->place_count, 1);
	assert_int_equal(lines->place[0].of, LOOK_LOCK);
	assert_int_equal(lines->place[0].place & UINT32_MAX, 8);
	bucket = lines->place[0].bucket;
	assert_int_equal(lines->group[0].bucket[bucket].count, 1);
	assert_int_equal(lines->group[0].bucket[bucket].looks, 2);
	assert_int_equal(lines->group[0].bucket[bucket].total_ns, 2000);
	recording_close();
}

/* Requests that take turns on a thread all wait for what it does. */
TEST(a_look_counts_for_each_open_request)
{
	const struct request_lines *lines;

	fw = recording_begin(1);
	look_at(1000, 7, EVT_PYTHON_RUNS, 0);
	begin_at(1100, 1, "/a");
	begin_at(1200, 2, "/b");
	look_at(2000, 8, EVT_PYTHON_RUNS, 0);
	end_at(2100, 1);
	look_at(3000, 8, EVT_PYTHON_RUNS, 0);
	end_at(3100, 2);
	look_at(4000, 7, EVT_PYTHON_RUNS, 0);
	lines = request_lines_of_all();
	assert_int_equal(lines->group_count, 2);
	assert_int_equal(request_lines_looks(lines), 3);
	recording_close();
}

/* The disk and the queue for a CPU are no locks and no calls of the request. */
TEST(queues_and_the_disk_are_others)
{
	const struct request_lines *lines;

	fw = recording_begin(1);
	look_at(1000, 7, EVT_PYTHON_RUNS, 0);
	begin_at(1100, 1, "/a");
	look_at(2000, 8, EVT_PYTHON_READY, 0);
	look_at(3000, 8, EVT_PYTHON_IO, SYS_fsync + 1);
	look_at(4000, 8, EVT_PYTHON_IO, SYS_recvfrom + 1);
	end_at(4100, 1);
	look_at(5000, 7, EVT_PYTHON_RUNS, 0);
	lines = request_lines_of_all();
	assert_int_equal(looks_of(lines, LOOK_OTHER), 2);
	assert_int_equal(looks_of(lines, LOOK_IO), 1);
	recording_close();
}

TEST(slow_and_quick_requests_are_apart)
{
	const struct request_lines *lines;

	fw = recording_begin(1);
	look_at(1000, 7, EVT_PYTHON_RUNS, 0);
	for (uint64_t i = 0; i < 10; i++) {
		begin_at(2000 + i * 1000, i + 1, "/a");
		end_at(2900 + i * 1000, i + 1);
	}
	begin_at(20000, 11, "/a");
	look_at(30000, 8, EVT_PYTHON_SLEEP, 0);
	end_at(60000, 11);
	look_at(70000, 7, EVT_PYTHON_RUNS, 0);
	lines = request_lines_of_all();
	assert_int_equal(lines->group_count, 1);
	assert_int_equal(lines->group[0].count, 11);
	assert_int_equal(lines->group[0].total_ns, 10 * 900 + 40000);
	for (size_t i = 0; i < REQUEST_BUCKETS; i++)
		assert_true(lines->group[0].bucket[i].count == 0 ||
			    lines->group[0].bucket[i].count == 1 ||
			    lines->group[0].bucket[i].count == 10);
	recording_close();
}

/* Requests of endpoints beyond the bound are left out, not put to others. */
TEST(endpoints_are_bounded)
{
	const struct request_lines *lines;
	char name[32];

	fw = recording_begin(1);
	for (uint64_t i = 0; i < REQUEST_GROUPS_MAX + 5; i++) {
		snprintf(name, sizeof(name), "/%llu", (unsigned long long)i);
		begin_at(1000 + 2 * i, i + 1, name);
		end_at(1001 + 2 * i, i + 1);
	}
	lines = request_lines_of_all();
	assert_int_equal(lines->group_count, REQUEST_GROUPS_MAX);
	assert_int_equal(request_lines_count(lines), REQUEST_GROUPS_MAX);
	recording_close();
}

/* Of a request that is longer than the ring of looks, the latest count. */
TEST(a_long_request_has_its_latest_looks)
{
	const struct request_lines *lines;

	fw = recording_begin(1);
	look_at(100, 7, EVT_PYTHON_RUNS, 0);
	begin_at(150, 1, "/a");
	for (uint64_t i = 0; i < LOOKS_OF_RING + 100; i++)
		look_at(200 + 100 * i, 8, EVT_PYTHON_RUNS, 0);
	end_at(100 * (LOOKS_OF_RING + 200), 1);
	look_at(100 * (LOOKS_OF_RING + 300), 8, EVT_PYTHON_RUNS, 0);
	lines = request_lines_of_all();
	assert_in_range(request_lines_looks(lines), LOOKS_OF_RING - 1, LOOKS_OF_RING);
	recording_close();
}

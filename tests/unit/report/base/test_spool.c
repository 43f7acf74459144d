/* SPDX-License-Identifier: MIT */
/*
 * report/base/spool.c: records by time beyond what memory holds, ties as they were put; twice; and
 * where no file can be written.
 */
/* links: report format */
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/unit.h"
#include "report/base/spool.h"

#define MANY 700000u /* of 24 bytes: four runs */
#define TIMES 1000u

struct record {
	uint64_t time_ns, number, check;
};

static void put_some(struct spool *spool, uint64_t count, uint64_t times)
{
	uint64_t seed = 7;

	for (uint64_t i = 0; i < count; i++) {
		struct record record = { .number = i, .check = ~i };

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		record.time_ns = times ? (seed >> 33) % times : i;
		spool_put(spool, &record);
	}
	assert_int_equal(spool->count, count);
}

static void expect_in_order(struct spool *spool, uint64_t count)
{
	const struct record *record, *peeked;
	struct record last = { .time_ns = 0 };
	uint64_t seen = 0, sum = 0;

	spool_rewind(spool);
	for (;;) {
		peeked = spool_peek(spool);
		record = spool_next(spool);
		assert_ptr_equal(record, peeked);
		if (!record)
			break;
		assert_int_equal(record->check, ~record->number);
		if (seen) {
			assert_true(record->time_ns >= last.time_ns);
			assert_true(record->time_ns > last.time_ns || record->number > last.number);
		}
		last = *record;
		sum += record->number;
		seen++;
	}
	assert_int_equal(seen, count);
	assert_int_equal(sum, count ? count * (count - 1) / 2 : 0);
	assert_null(spool_next(spool));
}

static void check(uint64_t count, uint64_t times, bool in_file)
{
	struct spool spool;

	spool_init(&spool, sizeof(struct record));
	put_some(&spool, count, times);
	assert_int_equal(spool.written > 0, in_file);
	expect_in_order(&spool, count);
	spool_rewind(&spool);
	if (count)
		assert_non_null(spool_next(&spool)); /* left in the middle */
	expect_in_order(&spool, count);
	spool_release(&spool);
}

TEST(few_stay_in_memory)
{
	check(0, TIMES, false);
	check(1, TIMES, false);
	check(5000, TIMES, false);
}

TEST(many_wait_in_a_file)
{
	check(MANY, TIMES, true);
	check(MANY, UINT64_MAX >> 33, true);
	check(MANY, 1, true); /* all at once */
	check(MANY, 0, true); /* in order */
}

/* The first write fails, or a later one: what could not be written stays in memory. */
TEST(without_a_file_memory_has_all)
{
	static const rlim_t limits[] = { 1, 5u << 20 };
	struct rlimit before, limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	for (unsigned int i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		limit = (struct rlimit){ limits[i], before.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		check(MANY, TIMES, i > 0);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	}
}

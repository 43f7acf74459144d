/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/drain/thread_life.c: what of a thread came before its first record, for each way in
 * which that can be known.
 */
#include "tests/unit/unit.h"
#include "collector/drain/thread_life.h"

#define MS 1000000ull
#define TICK (10 * MS)

static void expect_life(struct thread_facts facts, uint64_t lived_ns, uint64_t used_ns)
{
	struct thread_life life = thread_life_of(&facts);

	assert_int_equal(life.lived_ns, lived_ns);
	assert_int_equal(life.used_ns, used_ns);
}

TEST(a_thread_counts_from_its_start)
{
	/* it began within [200, 210) ms: for 790 ms at least */
	expect_life((struct thread_facts){ .process_ns = 100 * MS,
					   .first_ns = 1000 * MS,
					   .born_ns = 200 * MS,
					   .tick_ns = TICK,
					   .cpu_ns = 700 * MS },
		    790 * MS, 700 * MS);
	/* a thread has lived for as long as it has used a CPU */
	expect_life((struct thread_facts){ .process_ns = 100 * MS,
					   .first_ns = 1000 * MS,
					   .born_ns = 200 * MS,
					   .tick_ns = TICK,
					   .cpu_ns = 795 * MS },
		    795 * MS, 795 * MS);
	expect_life((struct thread_facts){ .process_ns = 100 * MS,
					   .first_ns = 205 * MS,
					   .born_ns = 200 * MS,
					   .tick_ns = TICK,
					   .cpu_ns = 1 * MS },
		    1 * MS, 1 * MS);
}

TEST(of_one_that_is_gone_its_cpu_time_is_known)
{
	expect_life((struct thread_facts){ .process_ns = 100 * MS,
					   .first_ns = 1000 * MS,
					   .born_ns = THREAD_LIFE_UNKNOWN,
					   .cpu_ns = 300 * MS },
		    300 * MS, 300 * MS);
}

TEST(what_was_before_the_recording_does_not_count)
{
	/* the thread that began it, whenever it was born: as exec leaves it, too */
	expect_life((struct thread_facts){ .process_ns = 100 * MS,
					   .first_ns = 1000 * MS,
					   .born_ns = 10 * MS,
					   .tick_ns = TICK,
					   .cpu_ns = 750 * MS,
					   .before_cpu_ns = 50 * MS },
		    900 * MS, 700 * MS);
	/*
	 * recording began late: an older thread counts from its first record, a younger one from
	 * its start
	 */
	expect_life((struct thread_facts){ .process_ns = 100 * MS,
					   .first_ns = 1000 * MS,
					   .born_ns = 95 * MS,
					   .tick_ns = TICK,
					   .cpu_ns = 700 * MS,
					   .before_cpu_ns = THREAD_LIFE_UNKNOWN },
		    0, 0);
	expect_life((struct thread_facts){ .process_ns = 100 * MS,
					   .first_ns = 1000 * MS,
					   .born_ns = THREAD_LIFE_UNKNOWN,
					   .cpu_ns = 700 * MS,
					   .before_cpu_ns = THREAD_LIFE_UNKNOWN },
		    0, 0);
	expect_life((struct thread_facts){ .process_ns = 100 * MS,
					   .first_ns = 1000 * MS,
					   .born_ns = 110 * MS,
					   .tick_ns = TICK,
					   .cpu_ns = 700 * MS,
					   .before_cpu_ns = THREAD_LIFE_UNKNOWN },
		    880 * MS, 700 * MS);
}

TEST(nothing_is_longer_than_the_recording)
{
	expect_life((struct thread_facts){ .process_ns = 900 * MS,
					   .first_ns = 1000 * MS,
					   .born_ns = 200 * MS,
					   .tick_ns = TICK,
					   .cpu_ns = 50 * MS },
		    100 * MS, 50 * MS);
	/* nonsense of a scribbled ring */
	expect_life((struct thread_facts){ .process_ns = 900 * MS,
					   .first_ns = 800 * MS,
					   .born_ns = 200 * MS,
					   .tick_ns = TICK,
					   .cpu_ns = 5 * MS,
					   .before_cpu_ns = 6 * MS },
		    0, 0);
}

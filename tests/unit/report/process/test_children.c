/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/process/children.c: CPU time of children that were not recorded, without that of those
 * that were.
 */
#include "tests/unit/unit.h"
#include "report/process/children.h"
#include "tests/unit/run_fixture.h"

#define SECOND 1000000000u

/* Process 1 is the parent of process 2, as in every recording of the fixture. */
static bool children_of(uint64_t of_parent_ns, uint64_t of_child_ns, uint64_t *ret_ns)
{
	struct frame_writer *fw = recording_begin(2);
	bool is_told;

	on_stream(0);
	if (of_child_ns)
		FRAME_PUT(fw, 2000, process_end, .process = 2, .cpu_ns = of_child_ns);
	if (of_parent_ns)
		FRAME_PUT(fw, 3000, process_usage, .process = 1, .children_ns = of_parent_ns);
	recording_open();
	recording_read();
	is_told = children_not_recorded(source, ret_ns);
	recording_close();
	return is_told;
}

TEST(recorded_children_are_left_out)
{
	uint64_t ns;

	assert_true(children_of(5ull * SECOND, 2ull * SECOND, &ns));
	assert_true(ns == 3ull * SECOND);
	assert_true(children_of(5ull * SECOND, 0, &ns));
	assert_true(ns == 5ull * SECOND);
}

/*
 * The kernel counts in hundredths of a second, so a child may have used more than it says of all.
 */
TEST(the_rest_is_never_negative)
{
	uint64_t ns;

	assert_true(children_of(2ull * SECOND, 3ull * SECOND, &ns));
	assert_int_equal(ns, 0);
}

TEST(without_usage_it_is_not_told)
{
	uint64_t ns;

	assert_false(children_of(0, 2ull * SECOND, &ns));
	assert_int_equal(ns, 0);
}

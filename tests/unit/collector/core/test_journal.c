/* SPDX-License-Identifier: MIT */
/* links: collector */
/* collector/core/journal.c: the latest time of what waits, in whatever order it came. */
#include "tests/unit/unit.h"
#include "collector/core/journal.h"

#define CLEARED_NS 500u

TEST(test_newest_of_nothing)
{
	struct journal journal;

	journal_init(&journal);
	assert_int_equal(journal_newest_ns(&journal), 0);
	journal_release(&journal);
}

TEST(test_newest_is_not_the_last)
{
	struct journal journal;

	journal_init(&journal);
	JOURNAL_ADD(&journal, 100, lost, .count = 1);
	JOURNAL_ADD(&journal, 300, lost, .count = 2);
	JOURNAL_ADD(&journal, 200, lost, .count = 3);
	assert_int_equal(journal_newest_ns(&journal), 300);
	journal.written = journal.count;
	journal_clear(&journal, CLEARED_NS);
	assert_int_equal(journal_newest_ns(&journal), 0);
	journal_release(&journal);
}

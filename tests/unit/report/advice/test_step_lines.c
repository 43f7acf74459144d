/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/advice/step_lines.c: what a sample is of, by what is open on its thread. */
#include "tests/unit/unit.h"
#include "report/advice/step_lines.h"

static struct evidence evidence;

static void opens(enum evidence_kind kind)
{
	evidence_open(&evidence, &(struct evidence_opening){ .kind = kind, .name = 1 });
}

static enum step_lines_of is_of(void)
{
	static const struct helpers nobody;

	return step_lines_open_on(&evidence, &nobody, 0, 0);
}

/* A copy that an operator asks for is the operator's, not one of the user's own. */
TEST(copies_of_other_operators)
{
	evidence_init(&evidence);
	assert_int_equal(is_of(), STEP_LINES_OUTSIDE);
	opens(EVIDENCE_COPY);
	assert_int_equal(is_of(), STEP_LINES_CLONES);
	evidence_close(&evidence, (struct nest_place){ .time_ns = 1 });
	opens(EVIDENCE_OPERATOR);
	assert_int_equal(is_of(), STEP_LINES_OPERATORS);
	opens(EVIDENCE_COPY);
	assert_int_equal(is_of(), STEP_LINES_OPERATORS);
	opens(EVIDENCE_ITEM);
	assert_int_equal(is_of(), STEP_LINES_WAITS);
	evidence_release(&evidence);
}

/* What autograd runs again is no line to change: neither its operators nor their copies. */
TEST(backward_is_no_operator_of_the_users)
{
	evidence_init(&evidence);
	opens(EVIDENCE_BACKWARD);
	assert_int_equal(is_of(), STEP_LINES_BACKWARD);
	opens(EVIDENCE_OPERATOR);
	assert_int_equal(is_of(), STEP_LINES_BACKWARD);
	opens(EVIDENCE_COPY);
	assert_int_equal(is_of(), STEP_LINES_BACKWARD);
	opens(EVIDENCE_ITEM);
	assert_int_equal(is_of(), STEP_LINES_WAITS);
	evidence_release(&evidence);
}

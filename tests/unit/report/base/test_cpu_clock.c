/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/base/cpu_clock.c: what readings of a thread's clock say of the time between them, and what
 * they do not.
 */
#include "tests/unit/unit.h"
#include "report/base/cpu_clock.h"

static struct cpu_moment at(uint64_t read_ns, uint64_t cpu_ns, uint64_t time_ns)
{
	struct cpu_clock clock = { true, read_ns, cpu_ns };

	return cpu_clock_at(&clock, time_ns);
}

TEST(since_the_reading_it_may_have_run)
{
	struct cpu_moment moment = at(1000, 300, 1400);
	struct cpu_clock unread = { 0 };

	assert_true(moment.is_known);
	assert_int_equal(moment.low_ns, 300);
	assert_int_equal(moment.high_ns, 700);
	assert_int_equal(at(1000, 300, 1000).high_ns, 300);
	assert_int_equal(at(1000, 300, 900).high_ns, 300); /* times that fall say nothing */
	assert_false(cpu_clock_at(&unread, 1000).is_known);
}

TEST(between_two_moments)
{
	struct cpu_span span = { 0 };
	struct cpu_clock unread = { 0 };
	uint64_t ns;

	/* read at both ends: exact */
	cpu_span_add_between(&span, at(1000, 300, 1000), at(2000, 450, 2000), 1000);
	assert_int_equal(span.low_ns, 150);
	assert_int_equal(span.high_ns, 150);
	assert_true(cpu_span_value(&span, 1000, &ns));
	assert_int_equal(ns, 150);
	/* 50 before each: as much is open at each end */
	span = (struct cpu_span){ 0 };
	cpu_span_add_between(&span, at(950, 300, 1000), at(1950, 800, 2000), 1000);
	assert_int_equal(span.low_ns, 450);
	assert_int_equal(span.high_ns, 550);
	assert_true(cpu_span_value(&span, 1000, &ns));
	assert_int_equal(ns, 500);
	/* a part of which nothing is known: no answer for the whole */
	cpu_span_add_between(&span, cpu_clock_at(&unread, 2000), at(1950, 800, 2100), 100);
	assert_false(cpu_span_value(&span, 1100, &ns));
	/* no reading in between: it may have run or not */
	span = (struct cpu_span){ 0 };
	cpu_span_add_between(&span, at(1000, 300, 1010), at(1000, 300, 1090), 80);
	assert_int_equal(span.low_ns, 0);
	assert_int_equal(span.high_ns, 80);
	assert_false(cpu_span_value(&span, 80, &ns));
	/* never more than the time that has passed, whatever the file says */
	span = (struct cpu_span){ 0 };
	cpu_span_add_between(&span, at(1000, 300, 1000), at(2000, UINT64_MAX, 2000), 1000);
	assert_int_equal(span.low_ns, 1000);
	assert_int_equal(span.high_ns, 1000);
	/* a clock that falls */
	span = (struct cpu_span){ 0 };
	cpu_span_add_between(&span, at(1000, 300, 1000), at(2000, 200, 2000), 1000);
	assert_int_equal(span.high_ns, 0);
}

TEST(a_part_of_the_time_between_readings)
{
	struct cpu_span span = { 0 };
	uint64_t ns;

	cpu_span_add_part(&span, 40, 100, 100); /* it ran all the time, so in the part too */
	assert_int_equal(span.low_ns, 40);
	assert_int_equal(span.high_ns, 40);
	cpu_span_add_part(&span, 40, 100, 0); /* and not at all */
	assert_int_equal(span.low_ns, 40);
	assert_int_equal(span.high_ns, 40);
	cpu_span_add_part(&span, 40, 100, 50); /* perhaps in the rest only */
	assert_int_equal(span.low_ns, 40);
	assert_int_equal(span.high_ns, 80);
	assert_int_equal(span.wall_ns, 120);
	assert_false(cpu_span_value(&span, 120, &ns));
	cpu_span_add_unread(&span, 10);
	assert_int_equal(span.low_ns, 40);
	assert_int_equal(span.high_ns, 90);
	assert_false(cpu_span_value(&(struct cpu_span){ 0 }, 0, &ns));
}

/* SPDX-License-Identifier: MIT */
/*
 * A collector over a region in memory with one process, this one, and what is in the file that it
 * leaves: one a test program.
 */
#ifndef TESTS_UNIT_COLLECTOR_FIXTURE_H
#define TESTS_UNIT_COLLECTOR_FIXTURE_H

#include "tests/unit/unit.h"
#include "tests/unit/region_fixture.h"

#include "collector/turn/collector.h"

#define REGION_BYTES (4u << 20)

static struct fixture f;
static struct collector c;
static struct content content;

static int setup(void **state)
{
	fixture_init(&f, REGION_BYTES);
	fixture_add_process(&f, 0, (uint32_t)getpid());
	return collector_init(&c, &(struct collector_start){ .base = f.base, .bytes = f.bytes });
}

static int teardown(void **state)
{
	collector_release(&c);
	fixture_release(&f);
	return 0;
}

/* Ends the file, which the collector may have done itself, and reads it. */
static void finish(void)
{
	collector_turn(&c);
	if (!c.finished)
		collector_finish(&c);
	assert_true(c.finished);
	content_read(&content, f.output);
	assert_true(content.ended);
}

#endif

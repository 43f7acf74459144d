/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/core/view.c: a region of another build is refused in one sentence; the families' words
 * are where the program put them.
 */
#include "tests/unit/unit.h"
#include "collector/core/view.h"

#define BYTES REGION_BYTES_MIN

static struct region_header *header;
static struct view view;
static char said[VIEW_ERROR_BYTES];

static int set_up(void **state)
{
	header = calloc(1, BYTES);
	if (!header)
		return -1;
	header->magic = REGION_MAGIC;
	header->version = REGION_VERSION;
	header->families = EVT_FAMILY_LIMIT;
	header->bytes = BYTES;
	return 0;
}

static int tear_down(void **state)
{
	free(header);
	return 0;
}

TEST_BOTH(words_of_families_are_found, set_up, tear_down)
{
	for (uint64_t i = 0; i < EVT_FAMILY_LIMIT; i++)
		header->family[i] = 1000 + i;
	assert_int_equal(view_init(&view, header, BYTES, said), 0);
	assert_int_equal(view_family_word(&view, EVT_FAMILY_io), 1000 + EVT_FAMILY_io);
	assert_int_equal(view_family_word(&view, EVT_FAMILY_system), 1000 + EVT_FAMILY_system);
}

TEST_BOTH(other_builds_are_refused, set_up, tear_down)
{
	header->version = REGION_VERSION - 1;
	assert_int_equal(view_init(&view, header, BYTES, said), -1);
	assert_non_null(strstr(said, "install both from one build"));
	header->version = REGION_VERSION;
	header->families = EVT_FAMILY_LIMIT + 1;
	assert_int_equal(view_init(&view, header, BYTES, said), -1);
	assert_non_null(strstr(said, "families of events"));
	assert_non_null(strstr(said, "install both from one build"));
	header->families = EVT_FAMILY_LIMIT;
	header->bytes = BYTES + 4096;
	assert_int_equal(view_init(&view, header, BYTES, said), -1);
	assert_non_null(strstr(said, "claims"));
}

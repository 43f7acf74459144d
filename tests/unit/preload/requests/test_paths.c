/* SPDX-License-Identifier: MIT */
/* links: preload:requests/paths.c */
/* preload/requests/paths.h: the first paths of an endpoint are kept, of however many endpoints. */
#include "tests/unit/unit.h"

#include "preload/requests/paths.h"

static struct paths paths;

static uint64_t hash_of(uint64_t number)
{
	return (number + 1) * 0x9e3779b97f4a7c15u;
}

TEST(the_first_of_each_endpoint_are_kept)
{
	memset(&paths, 0, sizeof(paths));
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(paths_keeps(&paths, hash_of(1), hash_of(100 + i)),
				 i < PATHS_OF_ENDPOINT);
	/* and stay so */
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(paths_keeps(&paths, hash_of(1), hash_of(100 + i)),
				 i < PATHS_OF_ENDPOINT);
	assert_true(paths_keeps(&paths, hash_of(2), hash_of(5000)));
}

/* Whatever a client asks for: what finds no room is not kept, and nothing else happens. */
TEST(full_tables_keep_no_more)
{
	uint64_t kept = 0, again = 0;

	memset(&paths, 0, sizeof(paths));
	for (uint64_t i = 0; i < 100000; i++)
		kept += paths_keeps(&paths, hash_of(i / 20), hash_of(1000000 + i));
	for (uint64_t i = 0; i < 100000; i++)
		again += paths_keeps(&paths, hash_of(i / 20), hash_of(1000000 + i));
	assert_in_range(kept, PATHS_OF_ENDPOINT * PATHS_ENDPOINTS / 2, PATHS_SLOTS);
	assert_int_equal(again, kept);
}

/* A name that was given stays, further ones are given while there are fewer than asked. */
TEST(so_many_endpoints_have_names)
{
	uint64_t named = 0, further = 0;

	memset(&paths, 0, sizeof(paths));
	for (uint64_t i = 0; i < 100000; i++)
		named += paths_names(&paths, hash_of(i), PATHS_NAMED);
	assert_int_equal(named, PATHS_NAMED);
	for (uint64_t i = 0; i < PATHS_NAMED; i++)
		assert_true(paths_names(&paths, hash_of(i), PATHS_NAMED));
	for (uint64_t i = 0; i < 100000; i++)
		further += paths_names(&paths, hash_of(200000 + i), PATHS_NAMED + PATHS_SHORTENED);
	assert_int_equal(further, PATHS_SHORTENED);
	assert_false(paths_names(&paths, hash_of(400000), PATHS_NAMED));
}

TEST(so_many_differ_in_their_last_part)
{
	uint64_t taken = 0;

	memset(&paths, 0, sizeof(paths));
	for (uint64_t i = 0; i < 1000; i++)
		taken += paths_takes_sibling(&paths, hash_of(1));
	assert_int_equal(taken, PATHS_SIBLINGS);
	assert_true(paths_takes_sibling(&paths, hash_of(2)));
	assert_true(paths_keeps(&paths, hash_of(1), hash_of(3))); /* no endpoint is a parent */
}

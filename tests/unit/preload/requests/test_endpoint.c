/* SPDX-License-Identifier: MIT */
/* links: preload:requests/endpoint.c */
/* preload/requests/endpoint.c: which parts of a path are replaced; queries are left out. */
#include "tests/unit/unit.h"

#include "preload/requests/endpoint.h"

static void expect_endpoint(const char *target, const char *wanted)
{
	char room[ENDPOINT_BYTES];
	size_t length = endpoint_of(target, strlen(target), room);

	assert_int_equal(length, strlen(wanted));
	assert_memory_equal(room, wanted, length);
}

TEST(words_stay)
{
	expect_endpoint("/", "/");
	expect_endpoint("/v1/chat/completions", "/v1/chat/completions");
	expect_endpoint("/static/app.js", "/static/app.js");
	expect_endpoint("*", "{text}");
	expect_endpoint("//a//b/", "//a//b/");
}

TEST(keys_are_replaced)
{
	expect_endpoint("/items/42/reviews", "/items/{number}/reviews");
	expect_endpoint("/jobs/550e8400-e29b-41d4-a716-446655440000", "/jobs/{uuid}");
	expect_endpoint("/blob/0123456789abcdefABCDEF", "/blob/{hash}");
	expect_endpoint("/mail/someone@example.org", "/mail/{text}");
	expect_endpoint("/file/a%20b", "/file/{text}");
	expect_endpoint("/t/abcdefghijklmnopqrstuvwxyzabcdefg", "/t/{text}");
}

TEST(numbers_stay_in_paths)
{
	static const char target[] = "/a/42/550e8400-e29b-41d4-a716-446655440000/someone@host?b=7";
	static const char wanted[] = "/a/42/{uuid}/{text}";
	char room[ENDPOINT_BYTES];
	size_t length = endpoint_path_of(target, sizeof(target) - 1, room);

	assert_int_equal(length, sizeof(wanted) - 1);
	assert_memory_equal(room, wanted, length);
	assert_true(endpoint_has_numbers("/a/{number}/b", 13));
	assert_false(endpoint_has_numbers("/a/{number", 10));
	assert_false(endpoint_has_numbers("/a/{uuid}", 9));
}

TEST(a_query_and_a_host_are_left_out)
{
	expect_endpoint("/a?token=secret", "/a");
	expect_endpoint("/a#part", "/a");
	expect_endpoint("http://host:80/a/7?b", "/a/{number}");
	expect_endpoint("http://host", "/");
	expect_endpoint("/a?next=http://host/b", "/a");
}

TEST(long_paths_are_cut)
{
	char target[400], room[ENDPOINT_BYTES];
	size_t length;

	for (size_t i = 0; i < sizeof(target); i++)
		target[i] = i % 8 ? 'a' : '/';
	length = endpoint_of(target, sizeof(target), room);
	assert_true(length <= ENDPOINT_BYTES);
	assert_memory_equal(room + length - 3, "...", 3);
}

static void expect_short(const char *pattern, bool keeps_first, const char *wanted)
{
	char room[ENDPOINT_BYTES];
	size_t length = endpoint_of(pattern, strlen(pattern), room);

	length = endpoint_shorten(room, length, keeps_first);
	assert_int_equal(length, strlen(wanted));
	assert_memory_equal(room, wanted, length);
}

TEST(one_of_many_keeps_its_first_part)
{
	char longest[2 * ENDPOINT_BYTES];

	expect_short("/users/alice/photos", true, "/users/...");
	expect_short("/users/", true, "/users/...");
	expect_short("/alice", true, "/...");
	expect_short("/users/alice", false, "/...");
	expect_short("/", true, "/...");
	expect_short("*", true, "/...");
	expect_short("", true, "/...");
	memset(longest, '/', sizeof(longest));
	longest[sizeof(longest) - 1] = 0;
	expect_short(longest, true, "//...");
}

static void expect_general(const char *pattern, const char *wanted)
{
	char room[ENDPOINT_BYTES];
	size_t length = strlen(pattern);

	memcpy(room, pattern, length);
	length = endpoint_generalise(room, length);
	assert_int_equal(length, strlen(wanted));
	assert_memory_equal(room, wanted, length);
}

TEST(last_parts_become_texts)
{
	char longest[ENDPOINT_BYTES + 1] = "/";

	expect_general("/users/alice", "/users/{text}");
	expect_general("/alice", "/{text}");
	expect_general("/users/{number}/a", "/users/{number}/{text}");
	expect_general("/", "/{text}");
	expect_general("*", "*");
	expect_general("", "");
	memset(longest + 1, 'a', ENDPOINT_BYTES - 2);
	longest[ENDPOINT_BYTES - 1] = '/';
	expect_general(longest, longest);
}

/* SPDX-License-Identifier: MIT */
/* links: preload:requests/hpack.c */
/* preload/requests/hpack.c: examples of RFC 7541, a full table, blocks that are none. */
#include "tests/unit/unit.h"

#include "preload/requests/hpack.h"

#define BLOCK(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static struct hpack_table *table_make(void)
{
	return calloc(1, sizeof(struct hpack_table));
}

static void expect_text(const struct hpack_head *head, enum hpack_name name, const char *text)
{
	assert_int_equal(head->value[name].length, strlen(text));
	assert_memory_equal(head->value[name].text, text, strlen(text));
}

static void expect_request(struct hpack_table *table, const uint8_t *block, size_t length,
			   const char *method, const char *path)
{
	struct hpack_head head;

	assert_true(hpack_read(table, block, length, &head));
	expect_text(&head, HPACK_METHOD, method);
	expect_text(&head, HPACK_PATH, path);
	expect_text(&head, HPACK_STATUS, "");
}

/* appendix C.3 and C.4: the same three requests, without and with codes */
TEST(test_requests)
{
	struct hpack_table *plain = table_make(), *coded = table_make();

	expect_request(plain,
		       BLOCK(0x82, 0x86, 0x84, 0x41, 0x0f, 'w', 'w', 'w', '.', 'e', 'x', 'a', 'm',
			     'p', 'l', 'e', '.', 'c', 'o', 'm'),
		       "GET", "/");
	assert_int_equal(plain->bytes, 57);
	expect_request(
		plain,
		BLOCK(0x82, 0x86, 0x84, 0xbe, 0x58, 0x08, 'n', 'o', '-', 'c', 'a', 'c', 'h', 'e'),
		"GET", "/");
	assert_int_equal(plain->bytes, 110);
	expect_request(plain,
		       BLOCK(0x82, 0x87, 0x85, 0xbf, 0x40, 0x0a, 'c', 'u', 's', 't', 'o', 'm', '-',
			     'k', 'e', 'y', 0x0c, 'c', 'u', 's', 't', 'o', 'm', '-', 'v', 'a', 'l',
			     'u', 'e'),
		       "GET", "/index.html");
	assert_int_equal(plain->bytes, 164);
	expect_request(coded,
		       BLOCK(0x82, 0x86, 0x84, 0x41, 0x8c, 0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b,
			     0xa0, 0xab, 0x90, 0xf4, 0xff),
		       "GET", "/");
	expect_request(
		coded,
		BLOCK(0x82, 0x86, 0x84, 0xbe, 0x58, 0x86, 0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf),
		"GET", "/");
	expect_request(coded,
		       BLOCK(0x82, 0x87, 0x85, 0xbf, 0x40, 0x88, 0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xa9,
			     0x7d, 0x7f, 0x89, 0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xb8, 0xe8, 0xb4,
			     0xbf),
		       "GET", "/index.html");
	assert_int_equal(coded->bytes, 164);
	assert_int_equal(coded->count, 3);
	free(plain);
	free(coded);
}

/* A path is found again behind younger ones, until the table is too small for it. */
TEST(test_table)
{
	struct hpack_table *table = table_make();
	struct hpack_head head;

	expect_request(table, BLOCK(0x83, 0x44, 0x04, '/', 'o', 'n', 'e'), "POST", "/one");
	expect_request(table, BLOCK(0x83, 0x44, 0x04, '/', 't', 'w', 'o'), "POST", "/two");
	expect_request(table, BLOCK(0x83, 0xbf), "POST", "/one");
	expect_request(table, BLOCK(0x83, 0x04, 0x04, '/', 's', 'i', 'x'), "POST", "/six");
	expect_request(table, BLOCK(0x83, 0x14, 0x04, '/', 't', 'e', 'n'), "POST", "/ten");
	assert_int_equal(table->bytes, 2 * (5 + 4 + 32));
	/* room for one */
	expect_request(table, BLOCK(0x3f, 0x14, 0x83, 0xbe), "POST", "/two");
	assert_int_equal(table->count, 1);
	assert_false(hpack_read(table, BLOCK(0xbf), &head));
	/* larger than the table: nothing is left in it */
	expect_request(table,
		       BLOCK(0x83, 0x44, 0x10, '/', '1', '2', '3', '4', '5', '6', '7', '8', '9',
			     '0', '1', '2', '3', '4', '5'),
		       "POST", "/123456789012345");
	assert_int_equal(table->count, 0);
	assert_int_equal(table->bytes, 0);
	free(table);
}

/* More fields than the ring has places, each with a path of its own. */
TEST(test_wraps)
{
	struct hpack_table *table = table_make();
	uint8_t block[] = { 0x82, 0x44, 0x06, '/', '0', '0', '0', '0', '0' };
	char path[7] = "/00000";

	for (unsigned int i = 0; i < 3 * HPACK_FIELDS; i++) {
		for (unsigned int digit = 5, left = i; digit; digit--, left /= 10)
			path[digit] = (char)('0' + left % 10);
		memcpy(block + 3, path, 6);
		expect_request(table, block, sizeof(block), "GET", path);
		expect_request(table, BLOCK(0x82, 0xbe), "GET", path);
	}
	assert_int_equal(table->count, HPACK_FIRST_TABLE_BYTES / (5 + 6 + 32));
	free(table);
}

TEST(test_status)
{
	struct hpack_table *table = table_make();
	struct hpack_head head;

	assert_true(hpack_read(table, BLOCK(0x88), &head));
	expect_text(&head, HPACK_STATUS, "200");
	/* appendix C.6.1: 302 in codes */
	assert_true(hpack_read(table, BLOCK(0x48, 0x82, 0x64, 0x02), &head));
	expect_text(&head, HPACK_STATUS, "302");
	assert_true(hpack_read(table, BLOCK(0xbe), &head));
	expect_text(&head, HPACK_STATUS, "302");
	/* by its name in text */
	assert_true(hpack_read(
		table, BLOCK(0x00, 0x07, ':', 's', 't', 'a', 't', 'u', 's', 0x03, '4', '0', '4'),
		&head));
	expect_text(&head, HPACK_STATUS, "404");
	free(table);
}

TEST(test_no_block)
{
	struct hpack_table *table = table_make();
	struct hpack_head head;

	assert_true(hpack_read(table, NULL, 0, &head));
	assert_false(hpack_read(table, BLOCK(0x80), &head));                 /* index 0 */
	assert_false(hpack_read(table, BLOCK(0xbe), &head));                 /* nothing there */
	assert_false(hpack_read(table, BLOCK(0x44, 0x04, '/', 'a'), &head)); /* cut */
	assert_false(hpack_read(table, BLOCK(0x44), &head));                 /* cut */
	assert_false(hpack_read(table, BLOCK(0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
				&head));                                       /* too large */
	assert_false(hpack_read(table, BLOCK(0x3f, 0xe2, 0xff, 0x03), &head)); /* a larger table */
	assert_true(hpack_read(table, BLOCK(0x3f, 0xe1, 0xff, 0x03), &head));  /* the largest */
	assert_false(hpack_read(table, BLOCK(0x44, 0x81, 0x00), &head));       /* padded by zeros */
	assert_false(hpack_read(table, BLOCK(0x44, 0x84, 0xff, 0xff, 0xff, 0xff),
				&head)); /* the end's code */
	free(table);
}

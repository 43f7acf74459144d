/* SPDX-License-Identifier: MIT */
/* SHA-256 of FIPS 180-4's examples and of lengths around the ends of blocks; base64 of RFC 4648's examples. */
/* links: report */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/base/base64.h"
#include "report/base/sha256.h"

static void expect_digest(const void *bytes, size_t length, const char *wanted)
{
	uint8_t digest[SHA256_BYTES];
	char text[2 * SHA256_BYTES + 1];

	sha256(bytes, length, digest);
	for (unsigned int i = 0; i < SHA256_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	assert_string_equal(text, wanted);
}

static void test_examples(void **state)
{
	char *many = malloc(1000000);

	(void)state;
	expect_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
		      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(many, 'a', 1000000);
	expect_digest(many, 1000000,
		      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(many);
}

/* of python3 -c 'import hashlib; print(hashlib.sha256(b"x" * N).hexdigest())' */
static void test_ends_of_blocks(void **state)
{
	char text[128];

	(void)state;
	memset(text, 'x', sizeof(text));
	expect_digest(text, 55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
	expect_digest(text, 56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
	expect_digest(text, 63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
	expect_digest(text, 64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
	expect_digest(text, 119,
		      "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c");
	expect_digest(text, 120,
		      "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98");
}

static void test_base64(void **state)
{
	static const char *const wanted[] = { "",         "Zg==",     "Zm8=",    "Zm9v",
					      "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };
	char text[16];

	(void)state;
	for (size_t length = 0; length <= 6; length++) {
		base64_encode(text, "foobar", length);
		assert_string_equal(text, wanted[length]);
		assert_int_equal(strlen(text), base64_length(length));
	}
	base64_encode(text, "\xff\xfe\xfb", 3);
	assert_string_equal(text, "//77");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_ends_of_blocks),
		cmocka_unit_test(test_base64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

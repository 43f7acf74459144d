/* SPDX-License-Identifier: MIT */
/* base64 of the examples of RFC 4648, section 10. */
/* links: report */
#include "tests/unit/unit.h"
#include "report/base/base64.h"

TEST(test_base64)
{
	static const char *const wanted[] = { "",         "Zg==",     "Zm8=",    "Zm9v",
					      "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };
	char text[16];

	for (size_t length = 0; length <= 6; length++) {
		base64_encode(text, "foobar", length);
		assert_string_equal(text, wanted[length]);
		assert_int_equal(strlen(text), base64_length(length));
	}
	base64_encode(text, "\xff\xfe\xfb", 3);
	assert_string_equal(text, "//77");
}

/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/torch/shapes.c: shapes and element types out of texts, those that the library writes and
 * broken ones.
 */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/torch/shapes.h"

static unsigned int bytes_in(const char *text, uint8_t bytes[4])
{
	memset(bytes, 0xa5, 4);
	return element_bytes_read(text, strlen(text), bytes, 4);
}

/* What the library writes has the size here that it has there. */
TEST(types_are_those_of_the_library)
{
	static const struct {
		const char *name;
		uint8_t bytes;
	} types[] = {
#define TYPE(name, bytes) { name, bytes },
#include "preload/torch/torch_types.def"
#undef TYPE
	};
	char text[80];
	uint8_t bytes[4];

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		bool is_packed = strstr(types[i].name, "quint4x2") ||
				 strstr(types[i].name, "quint2x4");

		snprintf(text, sizeof(text), "['%s']", types[i].name);
		assert_int_equal(bytes_in(text, bytes), 1);
		assert_int_equal(bytes[0], is_packed ? 0 : types[i].bytes);
	}
}

/* Recordings made before the names were those of torch.profiler. */
TEST(older_names_are_known)
{
	uint8_t bytes[4];

	assert_int_equal(bytes_in("['unsigned short', 'unsigned long', 'long', 'short']", bytes),
			 4);
	assert_memory_equal(bytes, ((uint8_t[]){ 2, 8, 8, 2 }), 4);
}

TEST(what_is_no_type_has_no_size)
{
	uint8_t bytes[4];

	assert_int_equal(bytes_in("['Scalar', 'TensorList', '', 'c10::dummy_', 'float']", bytes),
			 4);
	assert_memory_equal(bytes, ((uint8_t[]){ 0, 0, 0, 0 }), 4);
	assert_int_equal(bytes_in("['float", bytes), 0);
	assert_int_equal(bytes_in("[", bytes), 0);
	assert_int_equal(bytes_in("", bytes), 0);
}

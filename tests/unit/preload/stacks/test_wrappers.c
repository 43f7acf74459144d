/* SPDX-License-Identifier: MIT */
/* links: preload:base/symbols.c */
/* preload/stacks/wrappers.def: each hash is its name's, and no name is there twice. */
#include "tests/unit/unit.h"
#include "preload/base/symbols.h"

static const struct {
	const char *name;
	uint32_t hash;
} wrapper[] = {
#define WRAPPER(name, hash) { name, hash },
#include "preload/stacks/wrappers.def"
};

#define WRAPPERS (sizeof(wrapper) / sizeof(wrapper[0]))

TEST(each_hash_is_its_names)
{
	for (size_t i = 0; i < WRAPPERS; i++)
		if (wrapper[i].hash != symbols_hash(wrapper[i].name))
			fail_msg("%s: 0x%08x is not its hash, 0x%08x is", wrapper[i].name,
				 wrapper[i].hash, symbols_hash(wrapper[i].name));
}

TEST(each_name_is_there_once)
{
	for (size_t i = 0; i < WRAPPERS; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(wrapper[i].name, wrapper[k].name);
}

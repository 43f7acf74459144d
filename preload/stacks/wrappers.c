/* SPDX-License-Identifier: MIT */
/* See wrappers.h. */
#include "preload/stacks/wrappers.h"

#include <stddef.h>

#include "preload/base/symbols.h"

static const char *const wrapper_names[] = {
#define WRAPPER(name, hash) name,
#include "preload/stacks/wrappers.def"
};

static const uint32_t wrapper_hashes[] = {
#define WRAPPER(name, hash) hash,
#include "preload/stacks/wrappers.def"
};

#define WRAPPERS (sizeof(wrapper_names) / sizeof(wrapper_names[0]))

static bool name_holds(const struct symbols *s, uint32_t hash, const char *name, uintptr_t address)
{
	const Elf64_Sym *symbol;
	uint64_t index = 0;

	while ((symbol = symbols_next(s, hash, name, &index)))
		if (address - s->load - symbol->st_value < symbol->st_size)
			return true;
	return false;
}

bool wrappers_contain(const struct link_map *map, uintptr_t low, uintptr_t high, uintptr_t address)
{
	struct symbols symbols = {
		.low = low, .high = high, .load = map->l_addr, .dynamic = map->l_ld
	};

	if (!symbols_open(&symbols))
		return false;
	for (size_t i = 0; i < WRAPPERS; i++) {
		if (name_holds(&symbols, wrapper_hashes[i], wrapper_names[i], address))
			return true;
	}
	return false;
}

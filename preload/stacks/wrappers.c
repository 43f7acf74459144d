/* SPDX-License-Identifier: MIT */
/* See wrappers.h. */
#include "preload/stacks/wrappers.h"

#include <stddef.h>

#include "preload/base/symbols.h"

static const char *const wrapper_names[] = {
#define WRAPPER(name) name,
#include "preload/stacks/wrappers.def"
};

#define WRAPPERS (sizeof(wrapper_names) / sizeof(wrapper_names[0]))
/* Worked out at the first call; two threads that do so together write the same. */
static const uint32_t *wrapper_hashes(void)
{
	static uint32_t hashes[WRAPPERS];
	static bool ready;

	if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
		for (size_t i = 0; i < WRAPPERS; i++)
			__atomic_store_n(&hashes[i], symbols_hash(wrapper_names[i]),
					 __ATOMIC_RELAXED);
		__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	}
	return hashes;
}

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
	const uint32_t *hashes = wrapper_hashes();

	if (!symbols_open(&symbols))
		return false;
	for (size_t i = 0; i < WRAPPERS; i++) {
		if (name_holds(&symbols, hashes[i], wrapper_names[i], address))
			return true;
	}
	return false;
}

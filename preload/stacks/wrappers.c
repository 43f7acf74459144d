/* SPDX-License-Identifier: MIT */
/*
 * Each name of wrappers.def is looked up by its hash, which is in the list, and the symbol's bytes
 * are compared with the span. A span of our own code counts as wrappers, too.
 */
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

/* True if a function of that name has a byte in [from, from + bytes). */
static bool name_meets(const struct symbols *s, size_t wrapper, uintptr_t from, uintptr_t bytes)
{
	const Elf64_Sym *symbol;
	uint64_t index = 0;

	while ((symbol = symbols_next(s, wrapper_hashes[wrapper], wrapper_names[wrapper],
				      &index))) {
		uintptr_t start = s->load + symbol->st_value;

		if (from - start < symbol->st_size || (symbol->st_size && start - from < bytes))
			return true;
	}
	return false;
}

static uintptr_t ours_start, ours_bytes;

void wrappers_have_ours(const void *start, const void *stop)
{
	ours_start = (uintptr_t)start;
	ours_bytes = (uintptr_t)stop - (uintptr_t)start;
}

static bool ours_meet(uintptr_t from, uintptr_t bytes)
{
	return ours_bytes && (from - ours_start < ours_bytes || ours_start - from < bytes);
}

bool wrappers_meet(const struct link_map *map, uintptr_t low, uintptr_t high, uintptr_t from,
		   uintptr_t bytes)
{
	struct symbols symbols = {
		.low = low, .high = high, .load = map->l_addr, .dynamic = map->l_ld
	};

	if (ours_meet(from, bytes))
		return true;
	if (!symbols_open(&symbols))
		return false;
	for (size_t i = 0; i < WRAPPERS; i++)
		if (name_meets(&symbols, i, from, bytes))
			return true;
	return false;
}

bool wrappers_contain(const struct link_map *map, uintptr_t low, uintptr_t high, uintptr_t address)
{
	return wrappers_meet(map, low, high, address, 1);
}

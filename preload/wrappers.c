/* SPDX-License-Identifier: MIT */
/* See wrappers.h. ld.so reads the same tables for every symbol it looks up; we read them as it does. */
#include "preload/wrappers.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

static const char *const wrapper_names[] = {
#define WRAPPER(name) name,
#include "preload/wrappers.def"
};

#define WRAPPERS (sizeof(wrapper_names) / sizeof(wrapper_names[0]))
#define CHAIN_MAX 4096u /* symbols in one hash bucket */

struct wrapper_tables {
	uintptr_t low, high, load;
	const Elf64_Sym *symbols;
	const char *strings;
	const uint32_t *hash;
	const uint64_t *bloom;
	const uint32_t *buckets;
	const uint32_t *chains; /* of symbol hash[1] */
};

static bool tables_span(const struct wrapper_tables *t, const void *from, uint64_t bytes)
{
	uintptr_t at = (uintptr_t)from;

	return at >= t->low && at < t->high && bytes <= t->high - at;
}

/* ld.so has made most entries addresses; those of a read-only dynamic section are still offsets. */
static const void *tables_place(const struct wrapper_tables *t, uint64_t value)
{
	return (const void *)(uintptr_t)(value < t->low ? value + t->load : value);
}

static bool tables_hash(struct wrapper_tables *t)
{
	uint64_t words;

	if (!tables_span(t, t->hash, 16) || !tables_span(t, t->symbols, sizeof(*t->symbols)) ||
	    !tables_span(t, t->strings, 1))
		return false;
	words = (uint64_t)t->hash[2] * 2 + t->hash[0];
	t->bloom = (const uint64_t *)(t->hash + 4);
	t->buckets = t->hash + 4 + (uint64_t)t->hash[2] * 2;
	t->chains = t->buckets + t->hash[0];
	return t->hash[0] && t->hash[2] && !(t->hash[2] & (t->hash[2] - 1)) && t->hash[3] < 32 &&
	       tables_span(t, t->bloom, words * 4);
}

static bool tables_find(struct wrapper_tables *t, const struct link_map *map)
{
	for (const Elf64_Dyn *entry = map->l_ld; tables_span(t, entry, sizeof(*entry)); entry++) {
		switch (entry->d_tag) {
		case DT_NULL:
			return tables_hash(t);
		case DT_SYMTAB:
			t->symbols = tables_place(t, entry->d_un.d_ptr);
			break;
		case DT_STRTAB:
			t->strings = tables_place(t, entry->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			t->hash = tables_place(t, entry->d_un.d_ptr);
			break;
		}
	}
	return false;
}

static bool symbol_holds(const struct wrapper_tables *t, uint64_t index, const char *name,
			 uintptr_t address)
{
	const Elf64_Sym *symbol = t->symbols + index;
	size_t bytes = strlen(name) + 1;

	if (!tables_span(t, symbol, sizeof(*symbol)) || symbol->st_shndx == SHN_UNDEF ||
	    ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    address - t->load - symbol->st_value >= symbol->st_size)
		return false;
	return tables_span(t, t->strings + symbol->st_name, bytes) &&
	       memcmp(t->strings + symbol->st_name, name, bytes) == 0;
}

/* Versions may give a name several symbols: all are looked at. */
static bool name_holds(const struct wrapper_tables *t, uint32_t hash, const char *name,
		       uintptr_t address)
{
	uint64_t filter = t->bloom[hash / 64 & (t->hash[2] - 1)];
	uint32_t first = t->hash[1];
	uint64_t index;

	if (!(filter >> hash % 64 & filter >> (hash >> t->hash[3]) % 64 & 1))
		return false;
	index = t->buckets[hash % t->hash[0]];
	for (unsigned int i = 0; index >= first && index && i < CHAIN_MAX; i++, index++) {
		const uint32_t *chain = t->chains + (index - first);

		if (!tables_span(t, chain, sizeof(*chain)))
			return false;
		if ((*chain ^ hash) <= 1 && symbol_holds(t, index, name, address))
			return true;
		if (*chain & 1)
			return false;
	}
	return false;
}

static uint32_t name_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Worked out at the first call; two threads that do so together write the same. */
static const uint32_t *wrapper_hashes(void)
{
	static uint32_t hashes[WRAPPERS];
	static bool ready;

	if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
		for (size_t i = 0; i < WRAPPERS; i++)
			__atomic_store_n(&hashes[i], name_hash(wrapper_names[i]), __ATOMIC_RELAXED);
		__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	}
	return hashes;
}

bool wrappers_contain(const struct link_map *map, uintptr_t low, uintptr_t high, uintptr_t address)
{
	struct wrapper_tables tables = { .low = low, .high = high, .load = map->l_addr };
	const uint32_t *hashes = wrapper_hashes();

	if (!tables_find(&tables, map))
		return false;
	for (size_t i = 0; i < WRAPPERS; i++) {
		if (name_holds(&tables, hashes[i], wrapper_names[i], address))
			return true;
	}
	return false;
}

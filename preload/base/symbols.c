/* SPDX-License-Identifier: MIT */
/*
 * Lookup in the GNU table goes through Bloom filter, bucket and chain; without that table, through
 * the System V table's chains. Candidates are compared by name. symbols_address() picks the version
 * that glibc would take as the default.
 */
#include "preload/base/symbols.h"

#include <string.h>

#define CHAIN_MAX 4096u        /* symbols in one hash bucket */
#define VERSION_HIDDEN 0x8000u /* set for versions that are not the default of their name */
#define VERSION_FIRST_NAMED 2u /* lower values: 0 local, 1 global without a version */

static bool symbols_span(const struct symbols *s, const void *from, uint64_t bytes)
{
	uintptr_t at = (uintptr_t)from;

	return at >= s->low && at < s->high && bytes <= s->high - at;
}

/*
 * ld.so has turned most entries into addresses. The entries of a read-only dynamic section are
 * still offsets.
 */
static const void *symbols_place(const struct symbols *s, uint64_t value)
{
	return (const void *)(uintptr_t)(value < s->low ? value + s->load : value);
}

static bool symbols_open_hash(struct symbols *s)
{
	uint64_t words;

	if (!symbols_span(s, s->table, sizeof(*s->table)) || !symbols_span(s, s->strings, 1))
		return false;
	if (!s->hash)
		return symbols_span(s, s->plain, 8) && s->plain[0];
	if (!symbols_span(s, s->hash, 16))
		return false;
	words = (uint64_t)s->hash[2] * 2 + s->hash[0];
	s->bloom = (const uint64_t *)(s->hash + 4);
	s->buckets = s->hash + 4 + (uint64_t)s->hash[2] * 2;
	s->chains = s->buckets + s->hash[0];
	return s->hash[0] && s->hash[2] && !(s->hash[2] & (s->hash[2] - 1)) && s->hash[3] < 32 &&
	       symbols_span(s, s->bloom, words * 4);
}

bool symbols_open(struct symbols *s)
{
	const Elf64_Dyn *entry = s->dynamic;

	for (; symbols_span(s, entry, sizeof(*entry)); entry++) {
		switch (entry->d_tag) {
		case DT_NULL:
			return symbols_open_hash(s);
		case DT_SYMTAB:
			s->table = symbols_place(s, entry->d_un.d_ptr);
			break;
		case DT_STRTAB:
			s->strings = symbols_place(s, entry->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			s->hash = symbols_place(s, entry->d_un.d_ptr);
			break;
		case DT_HASH:
			s->plain = symbols_place(s, entry->d_un.d_ptr);
			break;
		case DT_VERSYM:
			s->versions = symbols_place(s, entry->d_un.d_ptr);
			break;
		}
	}
	return false;
}

uint32_t symbols_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool symbol_is_code_or_data(const Elf64_Sym *symbol)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC;
}

static bool symbol_is(const struct symbols *s, const Elf64_Sym *symbol, const char *name)
{
	size_t bytes = strlen(name) + 1;

	return symbols_span(s, symbol, sizeof(*symbol)) && symbol->st_shndx != SHN_UNDEF &&
	       symbol_is_code_or_data(symbol) &&
	       symbols_span(s, s->strings + symbol->st_name, bytes) &&
	       memcmp(s->strings + symbol->st_name, name, bytes) == 0;
}

/* Returns the index where the chain of the hash begins; 0 if there is none. */
static uint64_t symbols_bucket(const struct symbols *s, uint32_t hash)
{
	uint64_t filter = s->bloom[hash / 64 & (s->hash[2] - 1)];
	uint64_t index;

	if (!(filter >> hash % 64 & filter >> (hash >> s->hash[3]) % 64 & 1))
		return 0;
	index = s->buckets[hash % s->hash[0]];
	return index >= s->hash[1] ? index : 0;
}

/* True if the chain ends at the symbol before `index`. */
static bool symbols_chain_ends(const struct symbols *s, uint64_t index)
{
	return s->chains[index - s->hash[1]] & 1;
}

static const Elf64_Sym *symbols_next_by_gnu(const struct symbols *s, uint32_t hash,
					    const char *name, uint64_t *index)
{
	uint64_t at = *index ? *index + 1 : symbols_bucket(s, hash);

	if (!at || (*index && symbols_chain_ends(s, *index)))
		return NULL;
	for (unsigned int i = 0; i < CHAIN_MAX; i++, at++) {
		const uint32_t *chain = s->chains + (at - s->hash[1]);

		if (!symbols_span(s, chain, sizeof(*chain)))
			return NULL;
		*index = at;
		if ((*chain ^ hash) <= 1 && symbol_is(s, s->table + at, name))
			return s->table + at;
		if (*chain & 1)
			return NULL;
	}
	return NULL;
}

/* System V gABI, "Hash Table". */
static uint32_t plain_hash(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++) {
		hash = (hash << 4) + (unsigned char)*name;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	return hash;
}

static const Elf64_Sym *symbols_next_by_gabi(const struct symbols *s, const char *name,
					     uint64_t *index)
{
	uint32_t buckets = s->plain[0], symbols = s->plain[1];
	const uint32_t *link = *index ? &s->plain[2 + buckets + *index]
				      : &s->plain[2 + plain_hash(name) % buckets];

	for (unsigned int i = 0; i < CHAIN_MAX && symbols_span(s, link, sizeof(*link)); i++) {
		uint32_t at = *link;

		if (!at || at >= symbols)
			return NULL;
		*index = at;
		if (symbol_is(s, s->table + at, name))
			return s->table + at;
		link = &s->plain[2 + buckets + at];
	}
	return NULL;
}

const Elf64_Sym *symbols_next(const struct symbols *s, uint32_t hash, const char *name,
			      uint64_t *index)
{
	return s->hash ? symbols_next_by_gnu(s, hash, name, index)
		       : symbols_next_by_gabi(s, name, index);
}

const char *symbols_string(const struct symbols *s, int64_t tag, unsigned int n)
{
	const Elf64_Dyn *entry = s->dynamic;

	for (; symbols_span(s, entry, sizeof(*entry)) && entry->d_tag != DT_NULL; entry++) {
		const char *text = s->strings + entry->d_un.d_val;

		if (entry->d_tag != tag || n--)
			continue;
		return symbols_span(s, text, 1) && memchr(text, 0, s->high - (uintptr_t)text)
			       ? text
			       : NULL;
	}
	return NULL;
}

/* Decides as do_lookup_x() of glibc does for a name without a version. */
static bool symbol_is_default(const struct symbols *s, const Elf64_Sym *symbol, uint64_t index)
{
	unsigned int visibility = ELF64_ST_VISIBILITY(symbol->st_other);

	if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL || visibility == STV_HIDDEN ||
	    visibility == STV_INTERNAL)
		return false;
	if (!s->versions || !symbols_span(s, &s->versions[index], sizeof(*s->versions)))
		return true;
	return (s->versions[index] & ~VERSION_HIDDEN) < VERSION_FIRST_NAMED ||
	       !(s->versions[index] & VERSION_HIDDEN);
}

void *symbols_address(const struct symbols *s, const char *name)
{
	uint32_t hash = symbols_hash(name);
	const Elf64_Sym *symbol;
	uint64_t index = 0;
	uintptr_t address;

	do
		symbol = symbols_next(s, hash, name, &index);
	while (symbol && !symbol_is_default(s, symbol, index));
	if (!symbol)
		return NULL;
	address = s->load + symbol->st_value;
	if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
		return ((void *(*)(void))address)();
	return (void *)address;
}

/*
 * The GNU table hashes only defined symbols. The undefined ones stand before the first hashed
 * symbol.
 */
bool symbols_asks_for(const struct symbols *s, const char *name)
{
	uint64_t count = s->hash ? s->hash[1] : s->plain[1];
	size_t bytes = strlen(name) + 1;

	for (uint64_t i = 1; i < count; i++) {
		const Elf64_Sym *symbol = s->table + i;

		if (!symbols_span(s, symbol, sizeof(*symbol)))
			return false;
		if (symbol->st_shndx == SHN_UNDEF &&
		    symbols_span(s, s->strings + symbol->st_name, bytes) &&
		    memcmp(s->strings + symbol->st_name, name, bytes) == 0)
			return true;
	}
	return false;
}

bool symbols_of_module(const struct dl_phdr_info *module, struct symbols *s)
{
	*s = (struct symbols){ .load = module->dlpi_addr, .low = UINTPTR_MAX };
	for (unsigned int i = 0; i < module->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &module->dlpi_phdr[i];
		uintptr_t at = module->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_DYNAMIC)
			s->dynamic = (const Elf64_Dyn *)at;
		if (p->p_type != PT_LOAD)
			continue;
		if (at < s->low)
			s->low = at;
		if (at + p->p_memsz > s->high)
			s->high = at + p->p_memsz;
	}
	return s->dynamic && symbols_open(s);
}

struct loaded_search {
	const char *name;
	void *found;
};

static int symbols_search_loaded(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct loaded_search *search = context;
	struct symbols s;

	(void)bytes;
	if (symbols_of_module(module, &s))
		search->found = symbols_address(&s, search->name);
	return search->found != NULL;
}

void *symbols_find_loaded(const char *name)
{
	struct loaded_search search = { .name = name };

	(void)dl_iterate_phdr(symbols_search_loaded, &search);
	return search.found;
}

/* SPDX-License-Identifier: MIT */
/*
 * Reads the dynamic symbol table of a loaded object as ld.so does when it resolves a symbol: the
 * GNU hash table (as binutils writes it) or else the System V gABI's, versions, names, DT_NEEDED,
 * DT_SONAME.
 *
 * Takes no lock, allocates nothing, makes no system call: any thread, signal handlers too. The
 * object must stay mapped meanwhile. Offsets are checked against its span.
 */
#ifndef PRELOAD_BASE_SYMBOLS_H
#define PRELOAD_BASE_SYMBOLS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols {
	/* span, and the load bias: what is added to its virtual addresses */
	uintptr_t low, high, load;
	const Elf64_Dyn *dynamic;
	const Elf64_Sym *table;
	const char *strings;
	const uint16_t *versions; /* one per symbol; NULL: no versions */
	const uint32_t *hash;     /* the GNU table; NULL: only the gABI's */
	const uint32_t *plain;    /* the gABI's table; NULL: only the GNU table */
	const uint64_t *bloom;
	const uint32_t *buckets;
	const uint32_t *chains; /* starts with the chain of symbol hash[1] */
};

/*
 * The caller sets the first four fields. Returns false if the object has no table of a known
 * form.
 */
bool symbols_open(struct symbols *s);

/* As symbols_open(), for an object that dl_iterate_phdr() reports. */
bool symbols_of_module(const struct dl_phdr_info *module, struct symbols *s);

static inline bool symbols_contain(const struct symbols *s, const void *address)
{
	return (uintptr_t)address - s->low < s->high - s->low;
}

uint32_t symbols_hash(const char *name);

/*
 * Iterates over the defined functions and variables of that name, one per version. Set *index to 0
 * before the first call. Returns NULL at the end. `hash` is symbols_hash(name).
 */
const Elf64_Sym *symbols_next(const struct symbols *s, uint32_t hash, const char *name,
			      uint64_t *index);

/*
 * Returns what dlsym() returns for this object: the function or variable of that name in its
 * default version. For an indirect function (IFUNC) the resolver is called. NULL if there is
 * none.
 */
void *symbols_address(const struct symbols *s, const char *name);

/*
 * True if the object has an undefined function of that name, which ld.so must find elsewhere. Reads
 * the names of all undefined symbols.
 */
bool symbols_asks_for(const struct symbols *s, const char *name);

/*
 * Returns the first definition among all loaded objects, in load order, or NULL. Takes ld.so's
 * lock. Unlike dlsym() it allocates nothing when there is no definition.
 */
void *symbols_find_loaded(const char *name);

/* Returns the n-th string with that tag in the dynamic section, or NULL. */
const char *symbols_string(const struct symbols *s, int64_t tag, unsigned int n);

#endif

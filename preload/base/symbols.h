/* SPDX-License-Identifier: MIT */
/*
 * The dynamic symbol table of a loaded object, read as ld.so reads it for every symbol it looks up:
 * the hash table of GNU (as binutils writes it) or else that of the System V gABI, versions, names, DT_NEEDED,
 * DT_SONAME.
 *
 * Takes no lock, allocates nothing, makes no system call: any thread, signal handlers too. The object
 * must stay mapped meanwhile. Offsets are checked against its span.
 */
#ifndef PRELOAD_BASE_SYMBOLS_H
#define PRELOAD_BASE_SYMBOLS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols {
	uintptr_t low, high, load; /* span, and what is added to its virtual addresses */
	const Elf64_Dyn *dynamic;
	const Elf64_Sym *table;
	const char *strings;
	const uint16_t *versions; /* one a symbol; NULL: none */
	const uint32_t *hash;     /* GNU's; NULL: only the gABI's */
	const uint32_t *plain;    /* the gABI's; NULL: only GNU's */
	const uint64_t *bloom;
	const uint32_t *buckets;
	const uint32_t *chains; /* of symbol hash[1] */
};

/* The first four fields are given. False when the object has no table that we know. */
bool symbols_open(struct symbols *s);

/* The same, of what dl_iterate_phdr() shows. */
bool symbols_of_module(const struct dl_phdr_info *module, struct symbols *s);

static inline bool symbols_contain(const struct symbols *s, const void *address)
{
	return (uintptr_t)address - s->low < s->high - s->low;
}

uint32_t symbols_hash(const char *name);

/*
 * The defined functions and variables of that name, one a version: *index is 0 for the first. NULL: no
 * more. `hash` is symbols_hash(name).
 */
const Elf64_Sym *symbols_next(const struct symbols *s, uint32_t hash, const char *name,
			      uint64_t *index);

/*
 * What dlsym() gives for the object: the function or variable of that name in its default version, an
 * indirect function (IFUNC) as what its resolver chooses; NULL.
 */
void *symbols_address(const struct symbols *s, const char *name);

/* It has an undefined function of that name: ld.so is to find it elsewhere. Reads all names that are undefined. */
bool symbols_asks_for(const struct symbols *s, const char *name);

/* The first definition among all loaded objects, in the order they were loaded in; NULL. Takes
 * ld.so's lock. Unlike dlsym() it allocates nothing when there is none. */
void *symbols_find_loaded(const char *name);

/* The n-th string of the dynamic section with that tag, NULL when there is none. */
const char *symbols_string(const struct symbols *s, int64_t tag, unsigned int n);

#endif

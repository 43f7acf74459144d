/* SPDX-License-Identifier: MIT */
/*
 * ld.so skips a symbol whose value is 0, as if it were not there. Our symbols are in read-only
 * pages, so mprotect() makes these pages private and writable for a moment. If the kernel refuses,
 * the names stay, and a call goes on to the first definition that is loaded.
 */
#include "preload/hook/allocator_names.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "collector/arch/pages.h"
#include "preload/base/symbols.h"
#include "preload/hook/origin.h"

PRELOAD_HOT struct allocator_function allocator_function[ALLOCATOR_NAMES];
static bool allocators_are_known;
static const struct link_map *last_of_start; /* objects after it in the list may be unloaded */

static const char *const names[ALLOCATOR_NAMES] = {
#define ALLOCATOR_TEXT_libc(name)
#define ALLOCATOR_TEXT_alias(name)
#define ALLOCATOR_TEXT_nvtoolsext(name)
#define ALLOCATOR_TEXT_allocator(name) #name,
#define HOOK(library, returns, name, parameters, arguments) ALLOCATOR_TEXT_##library(name)
#include "preload/families.def"
};

/*
 * Opens the symbols of an object in ld.so's list. The list does not contain the end of an
 * object.
 */
static bool object_symbols(const struct link_map *map, struct symbols *ret_symbols)
{
	*ret_symbols = (struct symbols){
		.low = map->l_addr, .high = UINTPTR_MAX, .load = map->l_addr, .dynamic = map->l_ld
	};
	return symbols_open(ret_symbols);
}

/*
 * Finds the allocator's functions, except those that an object before the allocator defines. Others
 * are found when they are called.
 */
static void allocators_find(void)
{
	const struct link_map *allocator = NULL, *owner = NULL;
	struct symbols symbols;

	if (!origin_next_in("malloc", &allocator) || !object_symbols(allocator, &symbols))
		return;
	for (unsigned int i = 0; i < ALLOCATOR_NAMES; i++) {
		struct allocator_function *function = &allocator_function[i];
		void *next = symbols_address(&symbols, names[i]) ? origin_next_in(names[i], &owner)
								 : NULL;

		if (!next || owner != allocator)
			continue;
		__atomic_store_n(&function->is_allocators, true, __ATOMIC_RELAXED);
		__atomic_store_n(&function->next, next, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&allocators_are_known, true, __ATOMIC_RELEASE);
}

static bool may_be_unloaded(const struct link_map *owner)
{
	const struct link_map *map = __atomic_load_n(&last_of_start, __ATOMIC_ACQUIRE);

	for (map = map ? map->l_next : NULL; map; map = map->l_next)
		if (map == owner)
			return true;
	return false;
}

void *allocator_names_find(enum allocator_name name)
{
	struct allocator_function *function = &allocator_function[name];
	const struct link_map *owner = NULL;
	void *next;

	if (!__atomic_load_n(&allocators_are_known, __ATOMIC_ACQUIRE))
		allocators_find();
	next = __atomic_load_n(&function->next, __ATOMIC_RELAXED);
	if (next)
		return next;
	next = origin_next_in(names[name], &owner);
	if (next && !may_be_unloaded(owner))
		__atomic_store_n(&function->next, next, __ATOMIC_RELAXED);
	return next;
}

/* Sets the protection of the pages from the first symbol to the last. */
static bool symbols_protect(const Elf64_Sym *first, const Elf64_Sym *last, int protection)
{
	uintptr_t start = arch_page_down((uintptr_t)first);
	uintptr_t end = arch_page_up((uintptr_t)(last + 1));

	return mprotect((void *)start, end - start, protection) == 0;
}

/* Collects our own symbols whose names the allocator does not define. Returns their number. */
static unsigned int symbols_to_withdraw(const struct link_map *own,
					const Elf64_Sym *symbol[ALLOCATOR_NAMES])
{
	struct symbols s;
	unsigned int count = 0;

	if (!object_symbols(own, &s))
		return 0;
	for (unsigned int i = 0; i < ALLOCATOR_NAMES; i++) {
		uint64_t index = 0;

		if (allocator_function[i].is_allocators)
			continue;
		symbol[count] = symbols_next(&s, symbols_hash(names[i]), names[i], &index);
		count += symbol[count] != NULL;
	}
	return count;
}

static void last_of_start_find(const struct link_map *map)
{
	while (map->l_next)
		map = map->l_next;
	__atomic_store_n(&last_of_start, map, __ATOMIC_RELEASE);
}

void allocator_names_withdraw(void)
{
	const struct link_map *own = origin_own_object();
	const Elf64_Sym *symbol[ALLOCATOR_NAMES], *first, *last;
	unsigned int count;

	if (!own)
		return;
	last_of_start_find(own);
	if (!allocators_are_known)
		allocators_find();
	count = allocators_are_known ? symbols_to_withdraw(own, symbol) : 0;
	if (!count)
		return;
	first = last = symbol[0];
	for (unsigned int i = 1; i < count; i++) {
		first = symbol[i] < first ? symbol[i] : first;
		last = symbol[i] > last ? symbol[i] : last;
	}
	if (!symbols_protect(first, last, PROT_READ | PROT_WRITE))
		return;
	for (unsigned int i = 0; i < count; i++)
		__atomic_store_n((Elf64_Addr *)&symbol[i]->st_value, 0, __ATOMIC_RELEASE);
	(void)symbols_protect(first, last, PROT_READ);
}

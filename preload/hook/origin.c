/* SPDX-License-Identifier: MIT */
/* Walks ld.so's list of objects, which is its interface to debuggers (link.h, struct r_debug). */
#include "preload/hook/origin.h"

#include <stdint.h>
#include <sys/auxv.h>

#include "preload/base/symbols.h"

extern const ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC") __attribute__((visibility("hidden")));

/* Weak, because it is defined by ld.so, which we are not linked with. musl does not have it. */
extern struct r_debug debugger_list __asm__("_r_debug") __attribute__((weak));

/* The executable has the address too if it was linked to have it. ld.so writes it there. */
static const struct r_debug *list_of_executable(void)
{
	const ElfW(Phdr) *header = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	unsigned long count = getauxval(AT_PHNUM);
	const ElfW(Dyn) *dynamic = NULL;
	uintptr_t load = 0;

	for (unsigned long i = 0; header && i < count; i++) {
		if (header[i].p_type == PT_PHDR)
			load = (uintptr_t)header - header[i].p_vaddr;
		if (header[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(load + header[i].p_vaddr);
	}
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_DEBUG)
			return (const struct r_debug *)dynamic->d_un.d_ptr;
	return NULL;
}

const struct link_map *origin_own_object(void)
{
	const struct r_debug *list = &debugger_list ? &debugger_list : list_of_executable();
	const struct link_map *map = list ? list->r_map : NULL;

	while (map && map->l_ld != own_dynamic)
		map = map->l_next;
	return map;
}

void *origin_next_in(const char *name, const struct link_map **ret_owner)
{
	const struct link_map *map = origin_own_object();
	void *found = NULL;

	for (map = map ? map->l_next : NULL; map && !found; map = map->l_next) {
		/*
		 * ld.so trusts these tables without checks, and its list does not contain the end
		 * of an object
		 */
		struct symbols s = { .low = map->l_addr,
				     .high = UINTPTR_MAX,
				     .load = map->l_addr,
				     .dynamic = map->l_ld };

		if (symbols_open(&s))
			found = symbols_address(&s, name);
		if (found)
			*ret_owner = map;
	}
	return found;
}

void *origin_next(const char *name)
{
	const struct link_map *owner;

	return origin_next_in(name, &owner);
}

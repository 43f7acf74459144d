/* SPDX-License-Identifier: MIT */
/*
 * Which loaded object holds an address, by _dl_find_object() of glibc 2.35 and newer, which
 * takes no lock. Older versions find nothing, and callers do without.
 */
#ifndef PRELOAD_BASE_OBJECT_H
#define PRELOAD_BASE_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As glibc fills it in on x86-64; headers of older ones do not have it. */
struct object {
	uint64_t flags;
	void *start, *end;
	struct link_map *map;
	void *header; /* .eh_frame_hdr */
	uint64_t reserved[7];
};

extern int object_find(void *address, struct object *ret_object) __asm__("_dl_find_object")
	__attribute__((weak));

static inline bool object_can_be_found(void)
{
	return object_find != NULL;
}

static inline bool object_of(uint64_t address, struct object *ret_object)
{
	return object_find && object_find((void *)(uintptr_t)address, ret_object) == 0;
}

#endif

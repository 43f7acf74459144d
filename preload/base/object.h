/* SPDX-License-Identifier: MIT */
/*
 * Finds the loaded object that holds an address, with _dl_find_object() of glibc 2.35 and newer,
 * which takes no lock. With older versions nothing is found, and callers work without it.
 */
#ifndef PRELOAD_BASE_OBJECT_H
#define PRELOAD_BASE_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The structure that glibc fills in on x86-64. Headers of older versions do not declare it. */
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

/* SPDX-License-Identifier: MIT */
/*
 * Texts that are kept for the life of the process, each once: the names of NVTX domains,
 * registered strings and kernels. They may be given long before recording starts, in memory that
 * is gone by then.
 *
 * Any thread, signal handlers too; no lock, no allocation but mmap(). Never freed; at most 64
 * MiB.
 */
#ifndef PRELOAD_RECORD_NAMES_H
#define PRELOAD_RECORD_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/record/strings.h"

struct name {
	uint64_t hash;
	uint32_t length;
	char text[];
};

/* The one with this text; NULL for the empty string and when there is no memory (said once). */
const struct name *name_make(const struct string *text);
/* Is this address one of ours? */
bool name_owns(const void *address);

/* NULL is the empty string. */
static inline struct string name_string(const struct name *name)
{
	if (!name)
		return (struct string){ .hash = 0 };
	return (struct string){ .hash = name->hash, .bytes = name->text, .length = name->length };
}

#endif

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

/*
 * Returns the name with this text, made if necessary. NULL for the empty string, and when there is
 * no memory (reported once).
 */
const struct name *name_make(const struct string *text);
/* True if the address is one of our names. */
bool name_owns(const void *address);

/* NULL gives the empty string. */
static inline struct string name_string(const struct name *name)
{
	if (!name)
		return (struct string){ .hash = 0 };
	return (struct string){ .hash = name->hash, .bytes = name->text, .length = name->length };
}

#endif

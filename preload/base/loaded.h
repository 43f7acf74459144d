/* SPDX-License-Identifier: MIT */
/*
 * The address range, the build-id and the file of a loaded object, as dl_iterate_phdr() reports it.
 * Call these functions from its callback, which keeps the object mapped. They keep nothing and
 * allocate nothing.
 */
#ifndef PRELOAD_BASE_LOADED_H
#define PRELOAD_BASE_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOADED_BUILD_ID_MAX 64u

struct loaded_span {
	/* whole pages; `bias`: address in memory minus address in the file */
	uint64_t start, end, bias;
};

/* Returns false if the object has no code. */
bool loaded_span(const struct dl_phdr_info *object, struct loaded_span *ret_span);

/*
 * Returns the build-id in memory (at most LOADED_BUILD_ID_MAX bytes), because the file may have
 * been replaced. NULL if the object has none.
 */
const char *loaded_build_id(const struct dl_phdr_info *object, uint32_t *ret_bytes);

/*
 * Writes the path that /proc gives the file: links are resolved, and a relative path is made
 * absolute. Takes three system calls.
 *
 * Returns the length of the text, which is not terminated. If the file cannot be opened, the text
 * is ld.so's name. Returns 0 if that name is too long.
 */
size_t loaded_path(const char *name, char *text, size_t room);

#endif

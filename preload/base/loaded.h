/* SPDX-License-Identifier: MIT */
/*
 * Where a loaded object lies, its build-id and its file, from what dl_iterate_phdr() reports.
 * For callbacks of dl_iterate_phdr(), which keeps the object mapped. Keeps nothing, allocates
 * nothing.
 */
#ifndef PRELOAD_BASE_LOADED_H
#define PRELOAD_BASE_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOADED_BUILD_ID_MAX 64u

struct loaded_span {
	uint64_t start, end, bias; /* whole pages; `bias`: its addresses less those in the file */
};

/* False: there is no code in it. */
bool loaded_span(const struct dl_phdr_info *object, struct loaded_span *ret_span);

/* Its bytes in memory, at most LOADED_BUILD_ID_MAX, as a file may be another one by now; NULL: it has none. */
const char *loaded_build_id(const struct dl_phdr_info *object, uint32_t *ret_bytes);

/*
 * The file as /proc names it: without links, and with the directory where ld.so has a relative path. Three system calls.
 * Returns the length of the text, which is not terminated; what ld.so calls it where the file cannot be opened, 0 when that is
 * too long.
 */
size_t loaded_path(const char *name, char *text, size_t room);

#endif

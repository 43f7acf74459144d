/* SPDX-License-Identifier: MIT */
/*
 * Whether an ELF file has a jemalloc, a tcmalloc or a mimalloc linked into it, as ruff, uv and polars have, or calls one by functions
 * of its own name, as mi_malloc(). What is handed out that way comes by no function that is interposed. The allocators ask libc for
 * sbrk() or madvise(), as few other files do; a file without these names costs one look at its names, one with them a search of its
 * constants, bounded. Files are read, never mapped.
 */
#ifndef COLLECTOR_PROCESSES_LINKED_ALLOCATOR_H
#define COLLECTOR_PROCESSES_LINKED_ALLOCATOR_H

#include <elf.h>
#include <stdbool.h>

enum linked_allocator { LINKED_ALLOCATOR_NONE, LINKED_ALLOCATOR_IS_IN, LINKED_ALLOCATOR_IS_CALLED };

/* `segment`: the file's program headers. */
enum linked_allocator linked_allocator_find(int fd, const Elf64_Phdr *segment, unsigned int count);

/* The allocator itself, as a library that the program's calls go to: libjemalloc.so.2 and so on. */
bool linked_allocator_is_library(const char *path);

#endif

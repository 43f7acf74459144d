/* SPDX-License-Identifier: MIT */
/*
 * Whether an ELF file has a jemalloc, a tcmalloc or a mimalloc linked into it, as ruff, uv and
 * polars do, or calls one by functions with their own names, such as mi_malloc(). No function that
 * we interpose sees these allocations. The allocators ask libc for sbrk() or madvise(), as few
 * other files do. A file without these names costs one look at its names. A file with them costs a
 * bounded search of its constants. Files are read, never mapped.
 */
#ifndef COLLECTOR_PROCESSES_LINKED_ALLOCATOR_H
#define COLLECTOR_PROCESSES_LINKED_ALLOCATOR_H

#include <elf.h>
#include <stdbool.h>

enum linked_allocator { LINKED_ALLOCATOR_NONE, LINKED_ALLOCATOR_IS_IN, LINKED_ALLOCATOR_IS_CALLED };

/* `segment`: the file's program headers. */
enum linked_allocator linked_allocator_find(int fd, const Elf64_Phdr *segment, unsigned int count);

/*
 * True for the allocator itself, as a shared library that the program calls: libjemalloc.so.2 and
 * so on.
 */
bool linked_allocator_is_library(const char *path);

#endif

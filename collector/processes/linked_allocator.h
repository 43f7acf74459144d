/* SPDX-License-Identifier: MIT */
/*
 * Whether an ELF file has a jemalloc or a tcmalloc linked into it, as ruff, uv and polars have. What such an allocator hands out
 * comes by no function that could be interposed. Both ask libc for sbrk(), as hardly anything else does; a file without
 * that name costs one look at its names, one with it a search of its constants, bounded. Files are read, never mapped.
 */
#ifndef COLLECTOR_PROCESSES_LINKED_ALLOCATOR_H
#define COLLECTOR_PROCESSES_LINKED_ALLOCATOR_H

#include <elf.h>
#include <stdbool.h>

/* `segment`: the file's program headers. */
bool linked_allocator_is_in(int fd, const Elf64_Phdr *segment, unsigned int count);

/* The allocator itself, as a library that the program's calls go to: libjemalloc.so.2 and so on. */
bool linked_allocator_is_library(const char *path);

#endif

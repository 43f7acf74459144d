/* SPDX-License-Identifier: MIT */
/*
 * How much memory a process may have before the kernel ends it: the smallest limit of its cgroups
 * (version 2 or 1), or the machine's memory. Swap is not counted.
 */
#ifndef COLLECTOR_CAPTURES_MEMORY_LIMIT_H
#define COLLECTOR_CAPTURES_MEMORY_LIMIT_H

#include <stdint.h>

/* 0: unknown. Reads some files of /proc and /sys. */
uint64_t memory_limit_bytes(uint32_t pid);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The memory cgroup of a process, of version 1 or 2: how much memory the process may have before
 * the kernel ends it, and how many processes the kernel's OOM killer has ended there.
 *
 * Swap is not counted. A group that is not seen here, as in some containers, is replaced by the
 * nearest one above that is. Reads files of /proc and /sys. One thread.
 */
#ifndef COLLECTOR_PROCESSES_MEMORY_GROUP_H
#define COLLECTOR_PROCESSES_MEMORY_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_GROUP_ROOT "/sys/fs/cgroup"
#define MEMORY_GROUP_MACHINE "/proc/vmstat" /* counts kills of the whole machine */

struct memory_group {
	char folder[PATH_MAX / 2];
	size_t root_length; /* of `folder`: the groups' file system */
	bool is_v2;
};

/*
 * Takes the text of /proc/PID/cgroup, which it changes; `root` is where the groups are mounted.
 * False: it names no group with memory.
 */
bool memory_group_read(char *text, const char *root, struct memory_group *ret_group);

/* The smallest limit of the group and of those above it; UINT64_MAX: there is none. */
uint64_t memory_group_limit(const struct memory_group *group);
/* The file that counts kills in that group; false: there is none. */
bool memory_group_kills_file(const struct memory_group *group, char *path, size_t room);
/* How many processes the OOM killer has ended so far; false: the file does not say. */
bool memory_group_kills(const char *path, uint64_t *ret_count);

/* False if that is not known: the kernel does not say it of a process whose main thread ends. */
bool memory_group_of(uint32_t pid, struct memory_group *ret_group);
/* The smaller of the group's limit and the machine's memory; 0: unknown. `group` NULL: none. */
uint64_t memory_group_or_machine(const struct memory_group *group);
/* That of a process. */
uint64_t memory_limit_bytes(uint32_t pid);

#endif

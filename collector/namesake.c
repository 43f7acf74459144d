/* SPDX-License-Identifier: MIT */
/*
 * A process that maps the region is one of ours; reading all its mappings costs a millisecond or more,
 * so the parent is compared first. Only where that fails is /proc searched.
 */
#include "collector/namesake.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/facts.h"
#include "collector/modules.h"

#define STATUS_BYTES 4096

/* Pid 1 and its children are everywhere: their parents prove nothing. */
static bool parent_is_proof(uint32_t pid, uint32_t parent_pid)
{
	struct facts_stat stat;

	return parent_pid > 1 && facts_stat(pid, &stat) && stat.parent_pid == parent_pid;
}

/* The last number of the line "NSpid: 4711 12 1": what the process itself sees. 0: not told. */
static uint32_t pid_inside(uint32_t pid)
{
	char path[64], text[STATUS_BYTES];
	unsigned long number = 0;
	char *at, *end;
	size_t length;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	length = facts_read_file(path, text, sizeof(text) - 1);
	text[length] = 0;
	at = strstr(text, "\nNSpid:");
	if (!at)
		return 0;
	for (at += 7; *at && *at != '\n'; at = end) {
		unsigned long next = strtoul(at, &end, 10);

		if (end == at)
			break;
		number = next;
	}
	return (uint32_t)number;
}

static uint32_t pid_search(uint32_t pid, uint64_t region_inode)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	uint32_t found = 0;

	if (!proc)
		return 0;
	while (!found && (entry = readdir(proc))) {
		uint32_t other = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (other && other != pid && pid_inside(other) == pid &&
		    modules_maps_region(other, region_inode) > 0)
			found = other;
	}
	closedir(proc);
	return found;
}

struct namesake namesake_find(uint32_t pid, uint32_t parent_pid, uint64_t region_inode)
{
	struct facts_stat stat;
	uint32_t other;
	int mapped;

	/* without /proc there is nothing to look it up in */
	if (!region_inode || parent_is_proof(pid, parent_pid) || !facts_stat(1, &stat))
		return (struct namesake){ pid, false };
	mapped = modules_maps_region(pid, region_inode);
	if (mapped > 0 || (facts_stat(pid, &stat) && stat.zombie && stat.parent_pid == parent_pid))
		return (struct namesake){ pid, false };
	other = pid_search(pid, region_inode);
	if (other)
		return (struct namesake){ other, true };
	/* gone already, or it may be this one: else a stranger that is not ours to wait for */
	if (mapped < 0)
		return (struct namesake){ pid, false };
	return (struct namesake){ 0, true };
}

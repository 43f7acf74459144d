/* SPDX-License-Identifier: MIT */
/*
 * A process that maps the region is one of ours. Reading all its mappings costs a millisecond or
 * more. So a child of a known process is accepted for a moment if its stack begins where its
 * parent's does and it is not older than the session. /proc is searched only if a number belongs to
 * no process of ours.
 */
#include "collector/processes/namesake.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/processes/proc.h"

#define STATUS_BYTES 4096

/*
 * Returns the last number of the line "NSpid: 4711 12 1", which the process itself sees. 0:
 * unknown.
 */
static uint32_t pid_inside(uint32_t pid)
{
	char path[PROC_PATH_BYTES], text[STATUS_BYTES];
	unsigned long number = 0;
	char *at, *end;
	size_t length;

	proc_path(pid, "status", path, sizeof(path));
	length = proc_read_file(path, text, sizeof(text) - 1);
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

static uint32_t pid_search(uint32_t pid, struct maps_file region)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	uint32_t found = 0;

	if (!proc)
		return 0;
	while (!found && (entry = readdir(proc))) {
		uint32_t other = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (other && other != pid && pid_inside(other) == pid &&
		    maps_has_file(other, region) > 0)
			found = other;
	}
	closedir(proc);
	return found;
}

struct namesake_region namesake_region_of(const void *base)
{
	struct namesake_region region = { .file = maps_file_at(base) };
	struct proc_stat stat;

	if (proc_stat(PROC_SELF, &stat))
		region.start_ticks = stat.start_ticks;
	return region;
}

/* Allows one tick for rounding. If times are unknown, no process counts as older. */
static bool is_older(const struct proc_stat *stat, const struct namesake_region *region)
{
	return stat->start_ticks + 1 < region->start_ticks;
}

/*
 * For a living process of that number that is not known to share a namespace with a parent of ours.
 */
static struct namesake namesake_of_living(const struct namesake_claim *claim,
					  const struct namesake_region *region,
					  const struct proc_stat *stat)
{
	int mapped = maps_has_file(claim->pid, region->file);
	uint32_t other;

	if (mapped > 0)
		return (struct namesake){ NAMESAKE_OURS, claim->pid, false };
	if (claim->here && mapped == 0)
		return (struct namesake){ NAMESAKE_LEFT, claim->pid, false };
	other = claim->here ? 0 : pid_search(claim->pid, region->file);
	if (other)
		return (struct namesake){ NAMESAKE_OURS, other, true };
	/* its maps are not readable for us: it may have changed its user */
	if (mapped < 0 && (claim->first || !is_older(stat, region)))
		return (struct namesake){ NAMESAKE_OURS, claim->pid, false };
	return (struct namesake){ NAMESAKE_NOBODY, 0, true };
}

struct namesake namesake_find(const struct namesake_claim *claim,
			      const struct namesake_region *region)
{
	struct proc_stat stat, init;
	bool lives = proc_stat(claim->pid, &stat) && !stat.zombie;
	uint32_t other;

	/* without /proc it cannot be looked up */
	if (!region->file.inode || !proc_stat(1, &init))
		return (struct namesake){ NAMESAKE_OURS, claim->pid, false };
	if (claim->here && lives && is_older(&stat, region))
		return (struct namesake){ NAMESAKE_NOBODY, 0, true };
	if (claim->here && lives && stat.stack_start == claim->stack_start)
		return (struct namesake){ NAMESAKE_LIKELY, claim->pid, false };
	if (lives)
		return namesake_of_living(claim, region, &stat);
	other = claim->here ? 0 : pid_search(claim->pid, region->file);
	if (other)
		return (struct namesake){ NAMESAKE_OURS, other, true };
	return (struct namesake){ NAMESAKE_LEFT, claim->pid, false };
}

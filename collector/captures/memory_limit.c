/* SPDX-License-Identifier: MIT */
/* A group without a limit has the word "max" in version 2, and a huge number in version 1. */
#include "collector/captures/memory_limit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/processes/proc.h"

#define GROUPS_BYTES 8192u
#define NUMBER_BYTES 64u

static uint64_t limit_read(const char *path)
{
	char text[NUMBER_BYTES];
	size_t length = proc_read_file(path, text, sizeof(text) - 1);

	text[length] = 0;
	return *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : UINT64_MAX;
}

/* The limit of the group `path` below `root`, and of those above it. */
static uint64_t limit_of_group(const char *root, const char *path, const char *name)
{
	char folder[PATH_MAX / 2], file[PATH_MAX];
	uint64_t least = UINT64_MAX, limit;
	char *slash;

	if (strlen(path) >= sizeof(folder))
		return UINT64_MAX;
	snprintf(folder, sizeof(folder), "%s", path);
	do {
		snprintf(file, sizeof(file), "%s%s/%s", root, folder, name);
		limit = limit_read(file);
		least = limit < least ? limit : least;
		slash = strrchr(folder, '/');
		if (slash)
			*slash = 0;
	} while (slash);
	return least;
}

/* A line is NUMBER:CONTROLLERS:PATH; version 2 has number 0 and no controllers. */
static uint64_t limit_of_line(char *line)
{
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return UINT64_MAX;
	*path++ = 0;
	controllers++;
	if (!*controllers)
		return limit_of_group("/sys/fs/cgroup", path, "memory.max");
	if (strcmp(controllers, "memory") == 0)
		return limit_of_group("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
	return UINT64_MAX;
}

static uint64_t machine_bytes(void)
{
	char text[NUMBER_BYTES];
	size_t length = proc_read_file("/proc/meminfo", text, sizeof(text) - 1);
	const char *number;

	text[length] = 0;
	number = strncmp(text, "MemTotal:", 9) == 0 ? text + 9 : NULL;
	return number ? strtoull(number, NULL, 10) * 1024 : 0;
}

uint64_t memory_limit_bytes(uint32_t pid)
{
	char path[PROC_PATH_BYTES], text[GROUPS_BYTES];
	uint64_t least = machine_bytes();
	char *save = NULL;
	size_t length;

	proc_path(pid, "cgroup", path, sizeof(path));
	length = proc_read_file(path, text, sizeof(text) - 1);
	text[length] = 0;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		uint64_t limit = limit_of_line(line);

		if (limit < least || !least)
			least = limit;
	}
	return least == UINT64_MAX ? 0 : least;
}

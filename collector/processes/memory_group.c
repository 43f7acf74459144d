/* SPDX-License-Identifier: MIT */
/*
 * A group without a limit has the word "max" in version 2, and a huge number in version 1. Where
 * both versions are mounted, the one with the memory controller counts.
 */
#include "collector/processes/memory_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/processes/proc.h"

#define GROUPS_BYTES 8192u
#define COUNTS_BYTES 16384u
#define NUMBER_BYTES 64u

static bool memory_group_set(struct memory_group *group, const char *root, const char *mount,
			     const char *path)
{
	size_t root_length = strlen(root) + strlen(mount);

	if (root_length + strlen(path) >= sizeof(group->folder))
		return false;
	group->root_length = root_length;
	group->is_v2 = !*mount;
	snprintf(group->folder, sizeof(group->folder), "%s%s%s", root, mount, path);
	return true;
}

/* "memory" among names that commas separate */
static bool memory_group_has_memory(const char *controllers)
{
	const char *found = strstr(controllers, "memory");

	return found && (found == controllers || found[-1] == ',') &&
	       (found[6] == ',' || !found[6]);
}

/* A line is NUMBER:CONTROLLERS:PATH; version 2 has number 0 and no controllers. */
bool memory_group_read(char *text, const char *root, struct memory_group *ret_group)
{
	char *save = NULL;
	bool found = false;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = 0;
		controllers++;
		if (memory_group_has_memory(controllers))
			return memory_group_set(ret_group, root, "/memory", path);
		if (!*controllers)
			found = memory_group_set(ret_group, root, "", path);
	}
	return found;
}

/* From `group` on upwards; false: that was the root. */
static bool memory_group_go_up(struct memory_group *group)
{
	char *slash = strrchr(group->folder + group->root_length, '/');

	if (slash)
		*slash = 0;
	return slash != NULL;
}

static uint64_t memory_group_read_limit(const char *path)
{
	char text[NUMBER_BYTES];
	size_t length = proc_read_file(path, text, sizeof(text) - 1);

	text[length] = 0;
	return *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : UINT64_MAX;
}

uint64_t memory_group_limit(const struct memory_group *group)
{
	struct memory_group at = *group;
	uint64_t least = UINT64_MAX, limit;
	char file[PATH_MAX];

	do {
		snprintf(file, sizeof(file), "%s/%s", at.folder,
			 at.is_v2 ? "memory.max" : "memory.limit_in_bytes");
		limit = memory_group_read_limit(file);
		least = limit < least ? limit : least;
	} while (memory_group_go_up(&at));
	return least;
}

bool memory_group_kills(const char *path, uint64_t *ret_count)
{
	char text[COUNTS_BYTES], *line;
	size_t length = proc_read_file(path, text, sizeof(text) - 1);

	text[length] = 0;
	line = strncmp(text, "oom_kill ", 9) == 0 ? text : strstr(text, "\noom_kill ");
	if (!line)
		return false;
	line = strchr(line, ' ') + 1;
	if (*line < '0' || *line > '9')
		return false;
	*ret_count = strtoull(line, NULL, 10);
	return true;
}

/* The root of version 2 has no such file; the machine's count is that of the root, too. */
bool memory_group_kills_file(const struct memory_group *group, char *path, size_t room)
{
	struct memory_group at = *group;
	uint64_t count;

	do {
		snprintf(path, room, "%s/%s", at.folder,
			 at.is_v2 ? "memory.events" : "memory.oom_control");
		if (memory_group_kills(path, &count))
			return true;
	} while (memory_group_go_up(&at));
	snprintf(path, room, "%s", MEMORY_GROUP_MACHINE);
	return memory_group_kills(path, &count);
}

/* Of a thread that is leaving, version 1 says "/"; so it is from its first moment in exit() on. */
bool memory_group_of(uint32_t pid, struct memory_group *ret_group)
{
	char path[PROC_PATH_BYTES], text[GROUPS_BYTES];
	struct proc_stat stat;
	size_t length;

	proc_path(pid, "cgroup", path, sizeof(path));
	length = proc_read_file(path, text, sizeof(text) - 1);
	text[length] = 0;
	if (!proc_stat(pid, &stat) || stat.leaving)
		return false;
	return memory_group_read(text, MEMORY_GROUP_ROOT, ret_group);
}

static uint64_t memory_group_machine_bytes(void)
{
	char text[NUMBER_BYTES];
	size_t length = proc_read_file("/proc/meminfo", text, sizeof(text) - 1);
	const char *number;

	text[length] = 0;
	number = strncmp(text, "MemTotal:", 9) == 0 ? text + 9 : NULL;
	return number ? strtoull(number, NULL, 10) * 1024 : 0;
}

uint64_t memory_group_or_machine(const struct memory_group *group)
{
	uint64_t least = memory_group_machine_bytes(), limit;

	limit = group ? memory_group_limit(group) : UINT64_MAX;
	if (limit != UINT64_MAX && (limit < least || !least))
		least = limit;
	return least;
}

uint64_t memory_limit_bytes(uint32_t pid)
{
	struct memory_group group;

	return memory_group_or_machine(memory_group_of(pid, &group) ? &group : NULL);
}

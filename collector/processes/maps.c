/* SPDX-License-Identifier: MIT */
/* Reads the file into one growing buffer; lines are split in place. */
#include "collector/processes/maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/processes/proc.h"

#define MAPS_ROOM_FIRST (64u << 10)

static bool maps_fill(struct maps *maps, int fd)
{
	size_t room = MAPS_ROOM_FIRST;
	ssize_t n;

	maps->bytes = malloc(room);
	while (maps->bytes) {
		n = read(fd, maps->bytes + maps->length, room - 1 - maps->length);
		if (n <= 0)
			break;
		maps->length += (size_t)n;
		if (room - maps->length > 4096 || room >= MAPS_BYTES_MAX)
			continue;
		room *= 2;
		char *larger = realloc(maps->bytes, room);

		if (!larger)
			break;
		maps->bytes = larger;
	}
	return maps->bytes && maps->length;
}

bool maps_init(struct maps *maps, uint32_t pid)
{
	char path[PROC_PATH_BYTES];
	bool filled;
	int fd;

	*maps = (struct maps){ 0 };
	proc_path(pid, "maps", path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	filled = maps_fill(maps, fd);
	close(fd);
	if (!filled) {
		maps_release(maps);
		return false;
	}
	maps->bytes[maps->length] = 0;
	return true;
}

void maps_release(struct maps *maps)
{
	free(maps->bytes);
	*maps = (struct maps){ 0 };
}

/* format: start-end perms offset major:minor inode path */
static bool line_split(char *line, struct maps_line *ret_line)
{
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	char perms[5];
	int path = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms, &offset, &major,
		   &minor, &inode, &path) < 7 ||
	    !path || start >= end)
		return false;
	*ret_line = (struct maps_line){
		.start = start,
		.end = end,
		.offset = offset,
		.device = (uint64_t)major << 32 | minor,
		.inode = inode,
		.executable = perms[2] == 'x',
		.inaccessible = !strncmp(perms, "---", 3),
		.path = line + path,
	};
	return true;
}

bool maps_next(struct maps *maps, struct maps_line *ret_line)
{
	while (maps->at < maps->length) {
		char *line = maps->bytes + maps->at;
		char *end = memchr(line, '\n', maps->length - maps->at);

		if (!end)
			end = maps->bytes + maps->length;
		*end = 0;
		maps->at = (size_t)(end - maps->bytes) + 1;
		if (line_split(line, ret_line))
			return true;
	}
	return false;
}

struct maps_file maps_file_at(const void *address)
{
	struct maps_file file = { 0 };
	struct maps_line line;
	struct maps maps;

	if (!maps_init(&maps, 0))
		return file;
	while (maps_next(&maps, &line)) {
		if ((uintptr_t)address >= line.start && (uintptr_t)address < line.end)
			file = (struct maps_file){ line.device, line.inode };
	}
	maps_release(&maps);
	return file;
}

int maps_has_file(uint32_t pid, struct maps_file file)
{
	struct maps_line line;
	struct maps maps;
	bool mapped = false;

	if (!maps_init(&maps, pid))
		return -1;
	while (!mapped && maps_next(&maps, &line))
		mapped = line.inode == file.inode && line.device == file.device;
	maps_release(&maps);
	return mapped;
}

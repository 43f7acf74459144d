/* SPDX-License-Identifier: MIT */
/* Functions that a program has made at run time: reads the text into an array sorted by start. */
#include "report/symbols/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/base/confine.h"
#include "report/base/memory.h"
#include "report/base/sorted.h"

#define SECOND_NS 1000000000ull
/* functions before the address that are tried, to find the last one written that covers it */
#define LOOKS_BACK 256u

struct jit_function {
	uint64_t start, bytes;
	size_t number; /* of the line */
	const char *name;
};

struct perf_map {
	char *text;                    /* split into terminated names */
	struct jit_function *function; /* by start */
	size_t count, room;
};

/* --- reading --- */

/* Reads a hex number at *at, which moves behind it and the space that must follow. */
static bool perf_map_take_number(char **at, uint64_t *ret_value)
{
	char *end;

	if (**at == ' ' || **at == '-' || **at == '+')
		return false;
	errno = 0;
	*ret_value = strtoull(*at, &end, 16);
	if (errno || end == *at || *end != ' ')
		return false;
	*at = end + 1;
	return true;
}

static void take_line(struct perf_map *map, char *line)
{
	struct jit_function function = { .number = map->count };

	if (!perf_map_take_number(&line, &function.start) ||
	    !perf_map_take_number(&line, &function.bytes) || !function.bytes || !*line)
		return;
	function.name = line;
	map->function = memory_room(map->function, map->count, &map->room, sizeof(*map->function));
	map->function[map->count++] = function;
}

static int perf_map_compare_functions(const void *a, const void *b)
{
	const struct jit_function *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

/* The last line may be incomplete, because a program may be writing it. */
static struct perf_map *take_text(char *text)
{
	struct perf_map *map = memory_zero(1, sizeof(*map));
	char *line = text;

	map->text = text;
	for (char *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		take_line(map, line);
	}
	if (map->count)
		qsort(map->function, map->count, sizeof(*map->function),
		      perf_map_compare_functions);
	return map;
}

static char *perf_map_read_text(int file, size_t bytes)
{
	char *text = memory_zero(bytes + 1, 1);
	size_t length = 0;

	while (length < bytes) {
		ssize_t done = read(file, text + length, bytes - length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			break;
		length += (size_t)done;
	}
	text[length] = '\0';
	return text;
}

static enum perf_map_state perf_map_look_at(const struct stat *status, uint64_t from_ns,
					    uint64_t to_ns)
{
	uint64_t written_ns = (uint64_t)status->st_mtim.tv_sec * SECOND_NS +
			      (uint64_t)status->st_mtim.tv_nsec;

	if (!S_ISREG(status->st_mode) || status->st_size > PERF_MAP_BYTES_MAX ||
	    (status->st_uid && status->st_uid != geteuid() && geteuid()))
		return PERF_MAP_UNREADABLE;
	return written_ns < from_ns || written_ns > to_ns ? PERF_MAP_OTHER_TIME : PERF_MAP_FOUND;
}

struct perf_map *perf_map_read(const char *path, uint64_t from_ns, uint64_t to_ns,
			       enum perf_map_state *ret_state)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	struct perf_map *map = NULL;
	struct stat status;

	*ret_state = file < 0 && errno == ENOENT ? PERF_MAP_MISSING : PERF_MAP_UNREADABLE;
	if (file < 0)
		return NULL;
	if (confine_allows(file) && !fstat(file, &status))
		*ret_state = perf_map_look_at(&status, from_ns, to_ns);
	if (*ret_state == PERF_MAP_FOUND)
		map = take_text(perf_map_read_text(file, (size_t)status.st_size));
	close(file);
	return map;
}

/*
 * The kernel's clock for files is a few ms late, and the collector notices an end a moment later or
 * not at all.
 */
struct perf_map *perf_map_open(const struct source_process *process, enum perf_map_state *ret_state)
{
	const struct source_file *file = process->file;
	uint64_t zero_ns = file->start_real_ns - (uint64_t)file->offset_ns;
	uint64_t to_ns = process->ended ? zero_ns + process->end_ns + SECOND_NS : UINT64_MAX;
	char path[64];

	*ret_state = PERF_MAP_MISSING;
	if (!file->start_real_ns || !process->pid)
		return NULL;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", process->pid);
	return perf_map_read(path, zero_ns + process->start_ns - SECOND_NS, to_ns, ret_state);
}

void perf_map_close(struct perf_map *map)
{
	if (!map)
		return;
	free(map->text);
	free(map->function);
	free(map);
}

/* --- looking up --- */

bool perf_map_find(const struct perf_map *map, uint64_t address, struct object_place *ret_place)
{
	size_t at = sorted_count_up_to(map->function, map->count, sizeof(*map->function), address);
	const struct jit_function *found = NULL;

	for (size_t looked = 0; looked < LOOKS_BACK && looked < at; looked++) {
		const struct jit_function *function = &map->function[at - 1 - looked];

		if (address - function->start < function->bytes &&
		    (!found || function->number > found->number))
			found = function;
	}
	if (!found)
		return false;
	*ret_place = (struct object_place){ .frame = { { .function = found->name } },
					    .frames = 1,
					    .offset = address - found->start };
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * If environ is not our array, it is copied into a mapped one with SPARE free entries. There the
 * variable's entry is replaced, or one is added.
 */
#include "preload/life/child_environment.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPARE 8u /* entries that may be added before the array is copied again */

static char **own_array; /* what environ is if the array is ours */
static size_t own_room;  /* entries that can still be added */

static void *memory_take(size_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

/* Returns the variable's entry, or the NULL at the end. */
static char **child_environment_entry_find(const char *name, size_t length)
{
	char **entry = environ;

	while (*entry && (strncmp(*entry, name, length) != 0 || (*entry)[length] != '='))
		entry++;
	return entry;
}

/* Makes environ an array of ours with room for one more entry. */
static bool child_environment_array_reserve(void)
{
	size_t count = 0;
	char **array;

	if (environ && environ == own_array && own_room)
		return true;
	while (environ && environ[count])
		count++;
	array = memory_take((count + SPARE + 1) * sizeof(*array));
	if (!array)
		return false;
	if (count)
		memcpy(array, environ, count * sizeof(*array));
	own_array = array;
	own_room = SPARE;
	environ = array;
	return true;
}

void environment_set(const char *name, const char *value, bool overwrite)
{
	size_t name_length = strlen(name), value_length = strlen(value);
	char **entry;
	char *text;

	if (!child_environment_array_reserve())
		return;
	entry = child_environment_entry_find(name, name_length);
	if (*entry && !overwrite)
		return;
	text = memory_take(name_length + value_length + 2);
	if (!text)
		return;
	memcpy(text, name, name_length);
	text[name_length] = '=';
	memcpy(text + name_length + 1, value, value_length);
	if (!*entry) {
		entry[1] = NULL;
		own_room--;
	}
	*entry = text;
}

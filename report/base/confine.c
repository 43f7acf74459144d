/* SPDX-License-Identifier: MIT */
/* The kernel says which file a descriptor is of, after all links. */
#include "report/base/confine.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool confine_is_on(void)
{
	const char *folder = getenv(CONFINE_VARIABLE);

	return folder && *folder;
}

bool confine_is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	while (length > 1 && folder[length - 1] == '/')
		length--;
	if (length == 1 && folder[0] == '/')
		return path[0] == '/';
	return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

bool confine_is_file_below(int file, const char *folder)
{
	char link[64], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	length = readlink(link, path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	return path[0] == '/' && confine_is_below(path, folder);
}

bool confine_allows(int file)
{
	if (!confine_is_on() || confine_is_file_below(file, getenv(CONFINE_VARIABLE)))
		return true;
	errno = EACCES;
	return false;
}

/* SPDX-License-Identifier: MIT */
/*
 * The link is checked and read through one descriptor, so both concern the same link. When the
 * result is opened, links must not be followed again.
 */
#include "collector/output/link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOPS 16

void link_folder(const char *path, char ret_folder[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash && slash > path ? (size_t)(slash - path) : 1;

	snprintf(ret_folder, PATH_MAX, "%.*s", (int)length, slash ? path : ".");
}

static bool owner_is_trusted(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Replaces the last part of `path` by the link's text, in place. False: too long. */
static bool path_replace(char path[PATH_MAX], const char *text)
{
	char joined[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int folder = *text == '/' || !slash ? 0 : (int)(slash + 1 - path);
	int n = snprintf(joined, sizeof(joined), "%.*s%s", folder, path, text);

	if (n < 0 || n >= PATH_MAX)
		return false;
	memcpy(path, joined, (size_t)n + 1);
	return true;
}

/*
 * Reads the text of the link that `fd` (O_PATH) refers to. LINK_END_HERE if it is no link; `text`
 * is "" then.
 */
static enum link_end link_read(int fd, const char *path, char text[PATH_MAX])
{
	char folder[PATH_MAX];
	struct stat st, around;
	ssize_t n;

	*text = 0;
	if (fstat(fd, &st) || !S_ISLNK(st.st_mode))
		return LINK_END_HERE;
	link_folder(path, folder);
	if (!owner_is_trusted(&st) || stat(folder, &around) || !owner_is_trusted(&around))
		return LINK_END_STRANGER;
	n = readlinkat(fd, "", text, PATH_MAX - 1);
	if (n <= 0)
		return LINK_END_NOWHERE;
	text[n] = 0;
	return LINK_END_HERE;
}

enum link_end link_follow(char path[PATH_MAX])
{
	char text[PATH_MAX];

	for (int i = 0; i < HOPS; i++) {
		int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		enum link_end end;

		if (fd < 0)
			return LINK_END_HERE;
		end = link_read(fd, path, text);
		close(fd);
		if (end != LINK_END_HERE || !*text)
			return end;
		if (!path_replace(path, text)) {
			errno = ENAMETOOLONG;
			return LINK_END_NOWHERE;
		}
	}
	errno = ELOOP;
	return LINK_END_NOWHERE;
}

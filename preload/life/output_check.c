/* SPDX-License-Identifier: MIT */
/*
 * Takes three system calls. The same rules, with links followed by hand, are in
 * collector/output/output_name.c.
 */
#include "preload/life/output_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/region/region.h"

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

static bool path_is_below(const char *path, const char *folder)
{
	return strncmp(path, folder, strlen(folder)) == 0;
}

/*
 * Checks with the rights that a file would be created with. If the kernel cannot tell, the folder
 * counts as writable.
 */
static bool folder_is_writable(const char *path)
{
	char folder[REGION_PATH_BYTES];
	const char *slash = strrchr(path, '/');
	size_t length = slash && slash > path ? (size_t)(slash - path) : 1;

	if (length >= sizeof(folder))
		return true;
	memcpy(folder, path, length);
	folder[length] = 0;
	return !syscall(SYS_faccessat2, AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) ||
	       errno == ENOSYS || errno == EPERM;
}

const char *output_check(const char *path)
{
	struct stat st;

	if ((path_is_below(path, "/dev/") && !path_is_below(path, "/dev/shm/")) ||
	    path_is_below(path, "/proc/"))
		return "/dev and /proc are no place for it; name a file";
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return "it is a terminal, a pipe or a device; name a file";
	if (lstat(path, &st) != 0)
		return errno == ENOENT && folder_is_writable(path) ? NULL : "";
	return S_ISLNK(st.st_mode) || folder_is_writable(path) ? NULL : "";
}

/* SPDX-License-Identifier: MIT */
/*
 * Output that is a symbolic link, which is ordinary use (another disk) as long as nobody else can have
 * made it: the same rule as the kernel's protected_symlinks, and in every folder.
 */
#ifndef COLLECTOR_OUTPUT_LINK_H
#define COLLECTOR_OUTPUT_LINK_H

#include <limits.h>

enum link_end {
	LINK_END_HERE,     /* the path is no link (any more) */
	LINK_END_STRANGER, /* a link that is another user's, or in another user's folder */
	LINK_END_NOWHERE,  /* in a circle, or too long; errno says */
};

/*
 * Follows the last part of `path` (absolute) while it is a link of ours or root's in a folder of ours or
 * root's. `path` becomes what it leads to, which may not exist, or the link that was refused.
 */
enum link_end link_follow(char path[PATH_MAX]);

/* The folder of a path. */
void link_folder(const char *path, char ret_folder[PATH_MAX]);

#endif

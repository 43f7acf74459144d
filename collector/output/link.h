/* SPDX-License-Identifier: MIT */
/*
 * An output that is a symbolic link. This is common (another disk) and safe unless somebody else
 * could have made the link. The rule is the kernel's protected_symlinks, applied in every folder.
 */
#ifndef COLLECTOR_OUTPUT_LINK_H
#define COLLECTOR_OUTPUT_LINK_H

#include <limits.h>

enum link_end {
	LINK_END_HERE,     /* the path is no link, or all links were followed */
	LINK_END_STRANGER, /* a link that belongs to another user, or is in another user's folder */
	LINK_END_NOWHERE,  /* a cycle, or too long; errno says which */
};

/*
 * Follows the last part of `path` (absolute) while it is a link of ours or root's in a folder of
 * ours or root's. `path` becomes the target, which may not exist, or the link that was refused.
 */
enum link_end link_follow(char path[PATH_MAX]);

/* Returns the folder of a path. */
void link_folder(const char *path, char ret_folder[PATH_MAX]);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A server that opens its plug-in, gives its root directory up for an empty one, and only then
 * works:
 *
 *   chrooted PLUG-IN DIRECTORY
 *
 * PLUG-IN has inner_blocks() (libinner.c). Exit status 77 where the root may not be changed.
 */
/* build: -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *plugin = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*blocks)(void);

	if (!plugin)
		return 2;
	*(void **)&blocks = dlsym(plugin, "inner_blocks");
	if (!blocks)
		return 2;
	if (chroot(argv[2]) && (unshare(CLONE_NEWUSER) || chroot(argv[2])))
		return 77;
	if (chdir("/"))
		return 2;
	return blocks() != 10;
}

/* SPDX-License-Identifier: MIT */
/*
 * Makes 100 blocks, does to itself what daemons and sandboxes do, makes 100 more and prints "done"
 * to a descriptor that it kept. Exit status 21.
 *
 * usage: hostile HOW
 */
/* build: -fno-builtin */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_blocks(void)
{
	for (int i = 0; i < 100; i++)
		if (!malloc(3003))
			_exit(99);
}

static void close_from_three(void)
{
	closefrom(3);
}

static void close_all(void)
{
	for (int fd = 0; fd < 1024; fd++)
		if (fd != 1)
			close(fd);
}

static void reopen_all(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 3; fd < 256; fd++)
		dup2(null, fd);
}

static void change_directory(void)
{
	if (chdir("/"))
		_exit(98);
}

static void change_umask(void)
{
	umask(0777);
}

static void change_root(void)
{
	if (chroot("/proc/self/fdinfo") && chroot("/var/empty") && chroot("/usr/share"))
		_exit(77);
}

static void limit(int which, rlim_t value)
{
	struct rlimit rl = { value, value };

	if (setrlimit((__rlimit_resource_t)which, &rl))
		_exit(98);
}

static void limit_files(void)
{
	limit(RLIMIT_NOFILE, 3);
}

static void limit_file_size(void)
{
	limit(RLIMIT_FSIZE, 0);
}

static void limit_memory(void)
{
	limit(RLIMIT_AS, 256ul << 20);
}

static void drop_dumpable(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

static void clear_environment(void)
{
	clearenv();
}

static void wipe_name(void)
{
	prctl(PR_SET_NAME, "");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*change)(void);
	} ways[] = {
		{ "closefrom", close_from_three },
		{ "close", close_all },
		{ "dup2", reopen_all },
		{ "chdir", change_directory },
		{ "umask", change_umask },
		{ "chroot", change_root },
		{ "nofile", limit_files },
		{ "fsize", limit_file_size },
		{ "as", limit_memory },
		{ "dumpable", drop_dumpable },
		{ "clearenv", clear_environment },
		{ "name", wipe_name },
	};

	make_blocks();
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name))
			ways[i].change();
	make_blocks();
	if (write(1, "done\n", 5) != 5)
		return 20;
	return 21;
}

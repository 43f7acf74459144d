/* SPDX-License-Identifier: MIT */
/*
 * Becomes another program by the call that is asked for, after one of the same kind that fails.
 *
 * usage: execs CALL [ARGUMENT...]    CALL "-": prints arguments and $MARK, and ends with 7; "fail":
 *                                    only fails
 */
/* build: -fno-builtin */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOWHERE "/nowhere/at/all"
#define SELF "/proc/self/exe"
#define ARGUMENTS "execs", "-", "a", "b c", ""

static char *const argv_next[] = { (char *)"execs", (char *)"-", (char *)"a",
				   (char *)"b c",   (char *)"",  NULL };
static char **envp_next;

static void with_path(const char *call, const char *path)
{
	if (!strcmp(call, "execve"))
		execve(path, argv_next, envp_next);
	else if (!strcmp(call, "execv"))
		execv(path, argv_next);
	else if (!strcmp(call, "execvp"))
		execvp(path, argv_next);
	else if (!strcmp(call, "execvpe"))
		execvpe(path, argv_next, envp_next);
	else if (!strcmp(call, "execl"))
		execl(path, ARGUMENTS, (char *)NULL);
	else if (!strcmp(call, "execlp"))
		execlp(path, ARGUMENTS, (char *)NULL);
	else if (!strcmp(call, "execle"))
		execle(path, ARGUMENTS, (char *)NULL, envp_next);
	else if (!strcmp(call, "execveat"))
		execveat(AT_FDCWD, path, argv_next, envp_next, 0);
	else if (!strcmp(call, "fexecve"))
		fexecve(open(path, O_RDONLY | O_CLOEXEC), argv_next, envp_next);
	else
		exit(2);
}

/* The environment as it is, and MARK=1. */
static char **environment_marked(void)
{
	size_t count = 0;
	char **copy;

	while (environ[count])
		count++;
	copy = calloc(count + 2, sizeof(*copy));
	memcpy(copy, environ, count * sizeof(*copy));
	copy[count] = (char *)"MARK=1";
	return copy;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "-")) {
		for (int i = 0; i < argc; i++)
			printf("'%s' ", argv[i]);
		printf("%s\n", getenv("MARK") ? "marked" : "plain");
		return 7;
	}
	envp_next = environment_marked();
	for (int i = 0; i < 10; i++)
		if (!malloc(6006))
			return 2;
	errno = 0;
	with_path(argc > 2 ? argv[2] : argv[1], NOWHERE);
	if (errno != ENOENT && errno != EBADF && errno != EFAULT && errno != EINVAL)
		return 3;
	if (!strcmp(argv[1], "fail"))
		return 4;
	with_path(argv[1], SELF);
	return 5;
}

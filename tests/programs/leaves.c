/* SPDX-License-Identifier: MIT */
/*
 * Makes 100 heap blocks and ends at once, in a way that libc does not see, or becomes another
 * program.
 *
 * usage: leaves exit|kill|execv|exec|fork|vfork
 */
/* build: -fno-builtin */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *other[] = { (char *)"/bin/sleep", (char *)"0.1", NULL };
static char *environment[] = { NULL };

__attribute__((noinline)) static void makes_blocks(int count)
{
	for (int i = 0; i < count; i++)
		if (!malloc(1000))
			_exit(99);
}

__attribute__((noinline)) static void child_makes_blocks(void)
{
	if (!malloc(3000))
		_exit(99);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	makes_blocks(100);
	if (!strcmp(how, "kill"))
		syscall(SYS_kill, getpid(), SIGKILL);
	if (!strcmp(how, "execv"))
		execv(other[0], other);
	if (!strcmp(how, "exec"))
		syscall(SYS_execve, other[0], other, environment);
	if (!strcmp(how, "fork") && !fork()) {
		child_makes_blocks();
		syscall(SYS_exit_group, 0);
	}
	if (!strcmp(how, "vfork") && !vfork())
		syscall(SYS_exit_group, 0);
	syscall(SYS_exit_group, 0);
	return 99;
}

/* SPDX-License-Identifier: MIT */
/*
 * Twenty reads of a pipe that have their bytes, and three that wait 30 ms at least for a child to
 * write.
 */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static __attribute__((noinline)) void read_at_once(void)
{
	char byte = 1;

	if (write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1)
		byte = 2;
	__asm__ volatile("" ::: "memory");
}

static void child_write_late(void)
{
	nanosleep(&(struct timespec){ 0, 60000000 }, NULL);
	_exit(write(ends[1], "x", 1) != 1);
}

static __attribute__((noinline)) void read_late(void)
{
	char byte;
	pid_t child = fork();

	if (!child)
		child_write_late();
	if (read(ends[0], &byte, 1) == 1)
		waitpid(child, NULL, 0);
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	if (pipe(ends))
		return 1;
	for (int i = 0; i < 20; i++)
		read_at_once();
	for (int i = 0; i < 3; i++)
		read_late();
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Twenty reads of a pipe that have their bytes, and three that wait 60 ms at least for a child to
 * write.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
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

/* whether a process sleeps; by the kernel's calls alone, which are no calls of input that count */
static bool is_asleep(pid_t pid)
{
	char text[256], *name_end;
	long length, file;

	snprintf(text, sizeof(text), "/proc/%d/stat", (int)pid);
	file = syscall(SYS_openat, AT_FDCWD, text, O_RDONLY | O_CLOEXEC);
	length = syscall(SYS_read, file, text, sizeof(text) - 1);
	syscall(SYS_close, file);
	if (length <= 0)
		return false;
	text[length] = '\0';
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' && name_end[2] == 'S';
}

/* Once its parent waits in its read; what the parent does before that, no sleep is part of. */
static void child_write_late(pid_t parent)
{
	while (!is_asleep(parent))
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	nanosleep(&(struct timespec){ 0, 60000000 }, NULL);
	_exit(write(ends[1], "x", 1) != 1);
}

static __attribute__((noinline)) void read_late(void)
{
	char byte;
	pid_t parent = getpid(), child = fork();

	if (!child)
		child_write_late(parent);
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

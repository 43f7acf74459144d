/* SPDX-License-Identifier: MIT */
/* build: -ldl */
/*
 * Signal handlers that interrupt our hooks and do not simply return.
 *   handlers fork   the handler forks, and the child goes on in the interrupted call: 100 children
 *                   with 500 blocks of 4244 bytes each, then the parent makes 20000 of 4243
 *   handlers jump   the handler leaves the interrupted call by siglongjmp(), 50 times; prints how
 *                   many NVTX marks were made in all
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS 100
#define JUMPS 50

static volatile sig_atomic_t forks, jumps, in_child;
static sigjmp_buf back;

static void alarm_every(int us)
{
	struct itimerval timer = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void blocks(int count, size_t bytes)
{
	for (int i = 0; i < count; i++) {
		void *volatile block = malloc(bytes);

		free(block);
	}
}

static void handler_forks(int number)
{
	(void)number;
	if (in_child || forks >= FORKS)
		return;
	forks++;
	if (fork() == 0)
		in_child = 1;
}

static int run_fork(void)
{
	signal(SIGALRM, handler_forks);
	alarm_every(1000);
	while (!in_child && forks < FORKS)
		blocks(1, 100);
	if (in_child) {
		blocks(500, 4244);
		exit(0);
	}
	alarm_every(0);
	blocks(20000, 4243);
	while (wait(NULL) > 0)
		;
	return 0;
}

static void handler_jumps(int number)
{
	(void)number;
	if (jumps >= JUMPS)
		return;
	jumps++;
	siglongjmp(back, 1);
}

static int run_jump(void)
{
	void (*mark)(const char *) = NULL;
	static volatile long marks;

	*(void **)(void *)&mark = dlsym(RTLD_DEFAULT, "nvtxMarkA");
	if (!mark)
		return 1;
	mark("first");
	signal(SIGALRM, handler_jumps);
	if (sigsetjmp(back, 1) == 0)
		alarm_every(2000);
	while (jumps < JUMPS) {
		mark("again");
		marks++;
	}
	alarm_every(0);
	printf("%ld\n", marks);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "jump") == 0 ? run_jump() : run_fork();
}

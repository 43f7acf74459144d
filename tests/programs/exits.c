/* SPDX-License-Identifier: MIT */
/* races: none, ends in ways that ThreadSanitizer cannot live with */
/*
 * Makes COUNT heap blocks of 4242 bytes and ends in the way that is asked for.
 *
 * usage: exits HOW COUNT
 */
/* build: -pthread -fno-builtin */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 4242

static unsigned long count;

static void make_blocks(void)
{
	for (unsigned long i = 0; i < count; i++)
		if (!malloc(BLOCK_BYTES))
			_exit(99);
}

static void end_return(void)
{
}

static void end_exit(void)
{
	exit(3);
}

static void end_immediately(void)
{
	_exit(4);
}

static void end_immediately_c99(void)
{
	_Exit(5);
}

static void end_quickly(void)
{
	at_quick_exit(make_blocks);
	quick_exit(6);
}

static void end_at_exit(void)
{
	atexit(make_blocks);
	exit(7);
}

static void end_abort(void)
{
	abort();
}

static void end_fault(void)
{
	*(volatile int *)0 = 1;
}

static void end_term(void)
{
	raise(SIGTERM);
}

static void end_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void *thread_exits(void *unused)
{
	make_blocks();
	exit(8);
	return unused;
}

static void end_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, thread_exits, NULL);
	pause();
}

static void *thread_goes_on(void *unused)
{
	usleep(200000); /* main is gone by then */
	make_blocks();
	return unused;
}

static void end_main_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, thread_goes_on, NULL);
	pthread_exit(NULL);
}

static void *thread_calls_immediate(void *unused)
{
	make_blocks();
	_exit(9);
	return unused;
}

static void end_main_thread_immediately(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, thread_calls_immediate, NULL);
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*end)(void);
	} ways[] = {
		{ "return", end_return },
		{ "exit", end_exit },
		{ "_exit", end_immediately },
		{ "_Exit", end_immediately_c99 },
		{ "quick_exit", end_quickly },
		{ "atexit", end_at_exit },
		{ "abort", end_abort },
		{ "segv", end_fault },
		{ "sigterm", end_term },
		{ "sigkill", end_kill },
		{ "thread-exit", end_in_thread },
		{ "pthread_exit", end_main_thread },
		{ "pthread_exit-_exit", end_main_thread_immediately },
	};

	if (argc < 3)
		return 2;
	count = strtoul(argv[2], NULL, 10);
	make_blocks();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].end();
			return 0;
		}
	return 2;
}

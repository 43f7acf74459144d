/* SPDX-License-Identifier: MIT */
/* races: stack_self */
/* Notes its own stacks (stack_note.h) at places where stacks are unusual. */
/* build: -pthread -ldl -O1 */
#include "tests/programs/stack_note.h"

#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>

/* --- places --- */

static struct before_main {
	before_main()
	{
		if (!note_open()) {
			fputs("libunwind.so.8 cannot be opened\n", stderr);
			_exit(1);
		}
		note("constructor");
	}
	~before_main()
	{
		note("destructor");
	}
} first;

struct guard {
	~guard()
	{
		note("cleanup");
	}
};

static int NOINLINE thrower(int depth)
{
	guard each;

	if (!depth)
		throw std::runtime_error("thrown");
	return thrower(depth - 1) + 1;
}

static int NOINLINE catcher(int depth)
{
	int result = 0;

	try {
		result = depth ? catcher(depth - 1) + 1 : thrower(5);
	} catch (const std::exception &) {
		note("handler");
		if (depth == 1)
			throw;
	}
	note("after");
	return result;
}

static int compare(const void *a, const void *b)
{
	note("callback");
	return *(const int *)a - *(const int *)b;
}

struct of_thread {
	char text = 0;
	~of_thread()
	{
		note("thread-local");
	}
};

static void *thread_run(void *arg)
{
	static thread_local of_thread own;

	own.text = 1;
	note("thread");
	return arg;
}

static void NOINLINE by_vfork()
{
	pid_t child = vfork();

	if (!child) {
		note("vforked");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	note_size++;
	note("after-vfork");
}

int main()
{
	int numbers[] = { 3, 1, 2 };
	pthread_t thread;

	atexit([] { note("atexit"); });
	note("main");
	catcher(4);
	qsort(numbers, 3, sizeof(int), compare);
	for (int i = 0; i < 3; i++)
		if (!pthread_create(&thread, NULL, thread_run, NULL))
			pthread_join(thread, NULL);
	by_vfork();
	return 0;
}

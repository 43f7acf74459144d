/* SPDX-License-Identifier: MIT */
/* races: lifetimes */
/*
 * Uses the heap in every phase of a process and of a thread: constructors, main, atexit,
 * destructors, destructors of thread-local objects and of thread-specific keys, on two threads.
 *
 * usage: LIFETIMES=N lifetimes
 * Each phase makes N blocks and frees them; prints how many phases there were, at the very end.
 */
/* build: -pthread -fno-builtin */
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

static int phases;
static pthread_key_t key;

static void phase()
{
	const char *text = getenv("LIFETIMES");
	long n = text ? atol(text) : 1;
	void *block[100];

	if (n > 100)
		abort();
	for (long i = 0; i < n; i++)
		block[i] = malloc(600 + (size_t)i);
	for (long i = 0; i < n; i++)
		free(block[i]);
	__atomic_add_fetch(&phases, 1, __ATOMIC_SEQ_CST);
}

struct object {
	object()
	{
		phase();
	}
	~object()
	{
		phase();
	}
};

static object global;
static thread_local object local;

__attribute__((constructor)) static void constructed()
{
	phase();
}

__attribute__((destructor)) static void destructed()
{
	phase();
	dprintf(1, "%d phases\n", phases);
}

static void end_key(void *value)
{
	phase();
	if (value != &key) /* once more: after the library's own key destructors, if it had any */
		pthread_setspecific(key, &key);
}

static void *thread_main(void *)
{
	if (!&local)
		abort();
	phase();
	pthread_setspecific(key, &phases);
	return nullptr;
}

int main()
{
	pthread_t thread[2];

	pthread_key_create(&key, end_key);
	atexit(phase);
	phase();
	if (!&local)
		abort();
	for (auto &t : thread)
		pthread_create(&t, nullptr, thread_main, nullptr);
	for (auto &t : thread)
		pthread_join(t, nullptr);
	return 0;
}

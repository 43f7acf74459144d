/* SPDX-License-Identifier: MIT */
/* races: counts e.json 10 4 1 */
/*
 * Makes a known number of heap calls of every kind, on threads and in forked children, and writes
 * what it did as JSON.
 *
 * usage: counts EXPECTED ROUNDS [THREADS [CHILDREN [portable]]]
 * The main thread, every thread and every child make ROUNDS rounds. All threads are alive at once.
 * It uses no stdio buffer: with no threads the heap calls of the rounds are the only ones of the
 * process. "portable" leaves out what other allocators leave to glibc, which then is nobody's to
 * free.
 */
/* build: -pthread -fno-builtin */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "tally.h"

/* Volatile: the compiler is not to know that these calls fail. */
static volatile size_t too_large = (size_t)PTRDIFF_MAX + 4096, too_many = SIZE_MAX / 2;

static void (*find_cfree)(void *);
static void (*find_free_sized)(void *, size_t);
static void (*find_free_aligned_sized)(void *, size_t, size_t);
static unsigned long rounds;
static int is_portable;
static pthread_barrier_t together;

static void give(struct tally *t, void *block, size_t size)
{
	tally_gives(t, block, size);
	free(block);
}

static void run_malloc(struct tally *t, size_t n)
{
	char *kept = malloc(n), *inner;

	tally_took(t, kept, n);
	inner = malloc(n + 1);
	tally_took(t, inner, n + 1);
	memset(kept, 1, n);
	if (malloc_usable_size(inner) < n + 1)
		_exit(96);
	give(t, inner, n + 1); /* temporary */
	give(t, kept, n);
	free(NULL);
	if (malloc(too_large))
		_exit(96);
}

static void run_zero(struct tally *t, size_t n)
{
	void *block = malloc(0);

	(void)n;
	tally_took(t, block, 0);
	give(t, block, 0);
}

static void run_calloc(struct tally *t, size_t n)
{
	char *block = calloc(3, n);

	tally_took(t, block, 3 * n);
	if (block[0] || block[3 * n - 1] || calloc(too_many, 4))
		_exit(96);
	give(t, block, 3 * n);
}

static void *resize(struct tally *t, void *old, size_t from, size_t to)
{
	void *block;

	if (old)
		tally_gives(t, old, from);
	block = realloc(old, to);
	tally_took(t, block, to);
	return block;
}

static void run_realloc(struct tally *t, size_t n)
{
	char *block = resize(t, NULL, 0, n);

	block[n - 1] = 7;
	block = resize(t, block, n, 100 * n);
	if (block[n - 1] != 7)
		_exit(96);
	block = resize(t, block, 100 * n, n / 2);
	t->failed_reallocs++;
	if (realloc(block, too_large))
		_exit(96);
	tally_gives(t, block, n / 2);
	block = realloc(block, 0);
	if (block) { /* not glibc, but other allocators give an empty block */
		tally_took(t, block, 0);
		give(t, block, 0);
	}
}

static void run_reallocarray(struct tally *t, size_t n)
{
	void *block = reallocarray(NULL, 5, n);

	tally_took(t, block, 5 * n);
	if (reallocarray(block, too_many, 4))
		_exit(96);
	tally_gives(t, block, 5 * n);
	block = reallocarray(block, 2, n);
	tally_took(t, block, 2 * n);
	give(t, block, 2 * n);
}

static void run_aligned(struct tally *t, size_t n)
{
	void *block = NULL, *other;

	if (posix_memalign(&block, 3, n) != EINVAL ||
	    posix_memalign(&block, 64, too_large) != ENOMEM)
		_exit(96);
	if (posix_memalign(&block, 256, n) || (uintptr_t)block % 256)
		_exit(96);
	tally_took(t, block, n);
	other = aligned_alloc(128, 128 * 9);
	tally_took(t, other, 128 * 9);
	give(t, block, n);
	give(t, other, 128 * 9);
	block = memalign(512, n + 2);
	tally_took(t, block, n + 2);
	give(t, block, n + 2);
}

static void run_pages(struct tally *t, size_t n)
{
	void *block = valloc(n + 3), *other;

	tally_took(t, block, n + 3);
	other = is_portable ? valloc(n + 4) : pvalloc(n + 4);
	tally_took(t, other, n + 4);
	if ((uintptr_t)block % 4096 || (uintptr_t)other % 4096)
		_exit(96);
	give(t, block, n + 3);
	give(t, other, n + 4);
}

static void run_other_frees(struct tally *t, size_t n)
{
	void *block = malloc(n + 5);

	tally_took(t, block, n + 5);
	tally_gives(t, block, n + 5);
	if (find_cfree && !is_portable)
		find_cfree(block);
	else
		free(block);
	block = malloc(n + 6);
	tally_took(t, block, n + 6);
	tally_gives(t, block, n + 6);
	if (find_free_sized)
		find_free_sized(block, n + 6);
	else
		free(block);
	block = aligned_alloc(64, 64 * 3);
	tally_took(t, block, 64ul * 3);
	tally_gives(t, block, 64ul * 3);
	if (find_free_aligned_sized)
		find_free_aligned_sized(block, 64, 64 * 3);
	else
		free(block);
}

static void run_rounds(struct tally *t)
{
	static void (*const kinds[])(struct tally *, size_t) = {
		run_malloc,       run_zero,    run_calloc, run_realloc,
		run_reallocarray, run_aligned, run_pages,  run_other_frees,
	};

	for (unsigned long i = 0; i < rounds; i++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			kinds[k](t, 1000 + i % 97 * 8 + k);
	/* one block a round and thread stays */
	for (unsigned long i = 0; i < rounds; i++)
		tally_took(t, malloc(77), 77);
}

static void *thread_main(void *unused)
{
	pthread_barrier_wait(&together);
	run_rounds(tally_row());
	pthread_barrier_wait(&together);
	return unused;
}

static void run_child(void *inherited)
{
	struct tally *t = tally_row();

	tally_gives_unknown(t);
	free(inherited);
	run_rounds(t);
	_exit(17);
}

static void run_children(struct tally *t, unsigned int children)
{
	int status;

	for (unsigned int i = 0; i < children; i++) {
		void *inherited = malloc(333);
		pid_t pid;

		tally_took(t, inherited, 333);
		pid = fork();
		if (pid == 0)
			run_child(inherited);
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != 17)
			_exit(95);
		give(t, inherited, 333);
	}
}

static void run_threads(unsigned int threads)
{
	static pthread_t thread[256];

	pthread_barrier_init(&together, NULL, threads);
	for (unsigned int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, thread_main, NULL))
			_exit(95);
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	unsigned int threads = argc > 3 ? (unsigned int)atoi(argv[3]) : 0;
	unsigned int children = argc > 4 ? (unsigned int)atoi(argv[4]) : 0;
	struct tally *t;

	if (argc < 3 || threads > 256)
		return 2;
	rounds = strtoul(argv[2], NULL, 10);
	is_portable = argc > 5;
	find_cfree = (void (*)(void *))dlsym(RTLD_DEFAULT, "cfree");
	find_free_sized = (void (*)(void *, size_t))dlsym(RTLD_DEFAULT, "free_sized");
	find_free_aligned_sized = (void (*)(void *, size_t, size_t))dlsym(RTLD_DEFAULT,
									  "free_aligned_sized");
	tally_open();
	t = tally_row();
	run_rounds(t);
	run_children(t, children);
	if (threads)
		run_threads(threads);
	tally_write(argv[1]);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* races: mappings */
/*
 * Maps memory in every way, keeps some of it, and prints how many events of each kind that makes
 * and how many bytes of each kind it holds at the end. With an argument it says what errno and
 * results are instead, which has to be the same with and without intercept.
 */
/* build: -pthread */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB (1ul << 20)
#define PAGE 4096ul

static unsigned long maps, unmaps, remaps, private_bytes, shared_bytes, reserved_bytes;

static void must(int holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "%s: %s\n", what, strerror(errno));
		exit(2);
	}
}

static char *map(void *wish, size_t bytes, int protection, int flags)
{
	char *at = mmap(wish, bytes, protection, flags | MAP_ANONYMOUS, -1, 0);

	must(at != MAP_FAILED, "mmap");
	maps++;
	return at;
}

static void unmap(void *at, size_t bytes)
{
	must(munmap(at, bytes) == 0, "munmap");
	unmaps++;
}

/* A hole in the middle, and an unmapping that goes over the ends of three. */
static void cut_up(void)
{
	char *at = map(NULL, 12 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE);

	map(at + 4 * MIB, 4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED);
	memset(at, 1, 12 * MIB);
	unmap(at + 3 * MIB, 6 * MIB);
	unmap(at + 10 * MIB, MIB - 1); /* whole pages go */
	unmap(at + 10 * MIB, MIB);     /* nothing is there */
	private_bytes += 5 * MIB;
}

static void resize(void)
{
	char *at = map(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	char *fence = map(NULL, 8 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE);

	at = mremap(at, MIB, 4 * MIB, MREMAP_MAYMOVE);
	must(at != MAP_FAILED, "mremap");
	at = mremap(at, 4 * MIB, 2 * MIB, 0);
	must(at != MAP_FAILED, "mremap");
	at = mremap(at, 2 * MIB, 2 * MIB, MREMAP_MAYMOVE | MREMAP_FIXED, fence + 4 * MIB);
	must(at == fence + 4 * MIB, "mremap to a place");
	remaps += 3;
	private_bytes += 8 * MIB; /* two of them came to lie on the fence */
}

static void kinds(void)
{
	FILE *file = tmpfile();
	char *at;

	map(NULL, 64 * MIB, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE);
	reserved_bytes += 64 * MIB;
	memset(map(NULL, 2 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED), 1, 2 * MIB);
	shared_bytes += 2 * MIB;
	at = map(NULL, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	map(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	private_bytes += 4 * PAGE;
	/* a file over memory, which is gone then; and elsewhere, which is no event */
	must(file && ftruncate(fileno(file), PAGE) == 0, "tmpfile");
	must(mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fileno(file), 0) == at, "a file");
	unmaps++;
	private_bytes -= PAGE;
	must(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fileno(file), 0) != MAP_FAILED, "a file");
}

static void breaks(void)
{
	char *end = sbrk(0);

	must(sbrk(10 * PAGE) == end, "sbrk");
	must(sbrk(-2 * (intptr_t)PAGE) == end + 10 * PAGE, "sbrk");
	must(brk(end + 9 * PAGE) == 0, "brk");
	must(brk(end + 7 * PAGE) == 0, "brk");
	maps += 2;
	unmaps += 2;
	private_bytes += 7 * PAGE;
}

static void handle(int number)
{
	(void)number;
	map(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	private_bytes += PAGE;
}

static void *in_thread(void *unused)
{
	map(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	raise(SIGUSR1);
	private_bytes += PAGE;
	return unused;
}

/* Not events: what fails, and what malloc() maps for itself. */
static void nothing(void)
{
	char *at = malloc(40 * MIB);

	must(at != NULL, "malloc");
	memset(at, 1, 40 * MIB);
	must(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED, "nothing");
	must(munmap((char *)PAGE + 1, PAGE) == -1, "no page");
	must(munmap((char *)PAGE, 0) == -1, "no bytes");
	must(mremap((void *)PAGE, PAGE, 2 * PAGE, 0) == MAP_FAILED, "not there");
	must(sbrk(INTPTR_MAX) == (void *)-1, "too much");
	must(brk((void *)UINTPTR_MAX) == -1, "too far");
	free(at);
}

static void tell(const char *what, int good)
{
	printf("%s: %s, errno %d\n", what, good ? "good" : "failed", errno);
	errno = 4711;
}

static void tell_errors(void)
{
	char *at;

	errno = 4711;
	at = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	tell("mmap", at != MAP_FAILED);
	tell("mmap64", mmap64(NULL, MIB, PROT_READ, MAP_PRIVATE, 99, 0) != MAP_FAILED);
	tell("mmap of nothing", mmap(NULL, 0, PROT_READ, MAP_PRIVATE, -1, 0) != MAP_FAILED);
	at = mremap(at, MIB, 2 * MIB, MREMAP_MAYMOVE);
	tell("mremap", at != MAP_FAILED);
	tell("mremap of nothing", mremap(at + 1, MIB, 2 * MIB, 0) != MAP_FAILED);
	tell("munmap", munmap(at, 2 * MIB) == 0);
	tell("munmap again", munmap(at, 2 * MIB) == 0);
	tell("munmap in a page", munmap(at + 1, MIB) == 0);
	tell("munmap of all", munmap(0, SIZE_MAX) == 0);
	tell("sbrk", sbrk(0) != (void *)-1);
	tell("sbrk too far", sbrk(INTPTR_MAX) != (void *)-1);
	tell("brk", brk(sbrk(0)) == 0);
	tell("brk too far", brk((void *)UINTPTR_MAX) == 0);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc > 1) {
		tell_errors();
		return 0;
	}
	signal(SIGUSR1, handle);
	breaks();
	cut_up();
	resize();
	kinds();
	nothing();
	must(pthread_create(&thread, NULL, in_thread, NULL) == 0, "thread");
	must(pthread_join(thread, NULL) == 0, "join");
	printf("map_anonymous %lu\nunmap %lu\nremap %lu\n", maps, unmaps, remaps);
	printf("private %lu\nshared %lu\nreserved %lu\n", private_bytes, shared_bytes,
	       reserved_bytes);
	return 0;
}

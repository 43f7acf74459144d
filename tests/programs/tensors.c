/* SPDX-License-Identifier: MIT */
/* races: tensors ./libc10.so */
/*
 * Uses the memory of one or more torches (fake_c10.c), each loaded for itself, with and without its
 * profiler, and unloads them. Prints what their profilers were told.
 *
 * usage: tensors LIBRARY...
 *        tensors --bench LIBRARY      ns of a block's allocation and free, thread's CPU time
 */
/* build: -ldl -lpthread */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCKS 100u

static struct torch {
	void (*profile)(bool on);
	void *(*allocate)(size_t bytes);
	void (*free)(void *block);
	void (*fail)(size_t bytes);
	void (*map)(void *block, int64_t bytes);
	void (*device)(void *block, int64_t bytes, int index, bool is_old);
	void (*device_fail)(size_t bytes, int index);
	void (*print)(const char *name);
} torch;

static void *torch_open(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		printf("%s\n", dlerror());
		exit(1);
	}
	*(void **)&torch.profile = dlsym(library, "fake_profile");
	*(void **)&torch.allocate = dlsym(library, "fake_cpu_allocate");
	*(void **)&torch.free = dlsym(library, "fake_cpu_free");
	*(void **)&torch.fail = dlsym(library, "fake_cpu_fail");
	*(void **)&torch.map = dlsym(library, "fake_map");
	*(void **)&torch.device = dlsym(library, "fake_device");
	*(void **)&torch.device_fail = dlsym(library, "fake_device_fail");
	*(void **)&torch.print = dlsym(library, "fake_print");
	return library;
}

static void *use_from_thread(void *unused)
{
	torch.free(torch.allocate(77));
	return unused;
}

static void use(void)
{
	void *block[BLOCKS];
	char *mapped = (char *)0x10000000, *on_device = (char *)0x20000000;
	pthread_t thread;

	for (unsigned int i = 0; i < BLOCKS; i++) {
		torch.profile(i >= BLOCKS / 2);
		block[i] = torch.allocate(i * 10); /* the first has no bytes, nor a block */
	}
	for (unsigned int i = 0; i < BLOCKS - 1; i++)
		torch.free(block[i]); /* half of them older than the profiler; the last one stays */
	torch.fail(1u << 30);
	torch.profile(false);
	torch.fail(1u << 29);
	torch.map(mapped, 4096);
	torch.map(mapped, -4096);
	torch.profile(true);
	for (int i = 0; i < 10; i++) {
		torch.map(mapped + i * 65536, 65536);
		torch.device(on_device + i * 262144, 200000, i % 2, i % 3 == 0);
	}
	for (int i = 0; i < 9; i++)
		torch.device(on_device + i * 262144, -200000, i % 2, i % 3 == 1);
	torch.device_fail(1u << 20, 1);
	pthread_create(&thread, NULL, use_from_thread, NULL);
	pthread_join(thread, NULL);
	fflush(stdout);
	if (fork() == 0) {
		torch.free(block[BLOCKS - 1]);
		torch.free(torch.allocate(55));
		_exit(0);
	}
	wait(NULL);
}

static void bench(void)
{
	struct timespec from, to;
	double best = 1e9;

	for (int turn = 0; turn < 50; turn++) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
		for (int i = 0; i < 20000; i++)
			torch.free(torch.allocate(512));
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
		double ns = ((double)(to.tv_sec - from.tv_sec) * 1e9 +
			     (double)(to.tv_nsec - from.tv_nsec)) /
			    20000;
		best = ns < best ? ns : best;
	}
	printf("%.1f\n", best);
}

int main(int argc, char **argv)
{
	void *library[8];
	int count = 0;

	if (argc == 3 && !strcmp(argv[1], "--bench")) {
		torch_open(argv[2]);
		bench();
		return 0;
	}
	for (int i = 1; i < argc && count < 8; i++) {
		library[count++] = torch_open(argv[i]);
		use();
		torch.print(strrchr(argv[i], '/') + 1);
	}
	while (count)
		if (dlclose(library[--count]))
			return 1;
	return 0;
}

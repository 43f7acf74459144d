/* SPDX-License-Identifier: MIT */
/* races: native_spin threads */
/*
 * Uses CPU time in functions of known shares, measured by the clock of the thread, so that load
 * changes nothing.
 *
 * usage: native_spin MODE [SECONDS]
 *   shares      alpha 50 %, beta 30 %, gamma_ 20 %, in turns of a few milliseconds
 *   threads     10 times four threads that spin for 25 ms each, and end; each in a function of its
 *               own
 *   many N      N threads at once share the seconds
 *   fork        two children, 60 and 40 %, one after the other
 *   heap        malloc() and free()
 *   child       a child, `native_spin after`, has all of it
 *   exec        half of the time here, then as `native_spin after SECONDS`, which spins in gamma_
 *   after       see exec
 *   plugins     libnative_one.so, which is closed, then libnative_two.so: 50 % each
 *   made        half of the time in code that is made at run time
 *   kernel      all of it in calls of the kernel
 *   ranges      in ranges "outside" (alpha) and "wanted" (beta) of 10 ms
 *   stacks      a context of makecontext() and an alternate stack of a signal: a third each
 *   for_ever    alpha, without end, after a line on standard output
 */
/* build: -O2 -fomit-frame-pointer -pthread -ldl */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SLICE_NS 1000000ull
#define THREADS 4
#define MANY 250 /* at most */

static volatile _Thread_local uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void work(void)
{
	for (uint64_t i = 0; i < 20000; i++)
		sink += i * i;
}

/*
 * Not a tail call, and not the same code as the others: the linker and the compiler would make one
 * of them.
 */
#define SPINNER(name, number)                                   \
	static __attribute__((noinline)) void name(uint64_t ns) \
	{                                                       \
		uint64_t end = cpu_ns() + ns;                   \
                                                                \
		while (cpu_ns() < end)                          \
			work();                                 \
		sink += number;                                 \
	}
SPINNER(alpha, 1)
SPINNER(beta, 2)
SPINNER(gamma_, 3)
SPINNER(thread_0, 10)
SPINNER(thread_1, 11)
SPINNER(thread_2, 12)
SPINNER(thread_3, 13)

static void shares(uint64_t ns)
{
	for (uint64_t done = 0; done < ns; done += 10 * SLICE_NS) {
		alpha(5 * SLICE_NS);
		beta(3 * SLICE_NS);
		gamma_(2 * SLICE_NS);
	}
}

static void *run_thread(void *argument)
{
	static void (*const spin[THREADS])(uint64_t) = { thread_0, thread_1, thread_2, thread_3 };

	spin[(size_t)argument](25 * SLICE_NS);
	return NULL;
}

static void threads(void)
{
	for (int round = 0; round < 10; round++) {
		pthread_t thread[THREADS];

		for (size_t i = 0; i < THREADS; i++)
			pthread_create(&thread[i], NULL, run_thread, (void *)i);
		for (size_t i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
}

static void *run_small(void *ns)
{
	alpha((uint64_t)ns);
	return NULL;
}

static void many(uint64_t ns, size_t count)
{
	static pthread_t thread[MANY];
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&thread[i], &attributes, run_small, (void *)(ns / count)))
			_exit(77);
	for (size_t i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
}

static __attribute__((noinline)) void heap(uint64_t ns)
{
	static void *volatile block;

	for (uint64_t end = cpu_ns() + ns; cpu_ns() < end;)
		for (int i = 0; i < 1000; i++) {
			block = malloc(100);
			free(block);
		}
}

/* A child that is another program has the CPU time. */
static void child(const char *program, const char *seconds)
{
	if (fork() == 0) {
		execl(program, program, "after", seconds, (char *)NULL);
		_exit(3);
	}
	wait(NULL);
}

static void forks(uint64_t ns)
{
	for (int child = 0; child < 2; child++) {
		if (fork() == 0) {
			if (child)
				beta(ns * 4 / 10);
			else
				alpha(ns * 6 / 10);
			exit(0);
		}
		wait(NULL);
	}
}

static void plugin(const char *name, uint64_t ns)
{
	void *library = dlopen(name, RTLD_NOW);
	void (*spin)(uint64_t) = library ? (void (*)(uint64_t))dlsym(library, "plugin_spin") : NULL;

	if (!spin)
		exit(3);
	spin(ns);
	dlclose(library);
}

/* mov %rdi, %rcx; 1: dec %rcx; jne 1b; ret */
static const unsigned char code[] = { 0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3 };

static void made(uint64_t ns)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*spin)(uint64_t) = (void (*)(uint64_t))page;

	if (page == MAP_FAILED)
		exit(77);
	memcpy(page, code, sizeof(code));
	for (uint64_t done = 0; done < ns; done += 10 * SLICE_NS) {
		uint64_t end = cpu_ns() + 5 * SLICE_NS;

		while (cpu_ns() < end)
			spin(50000);
		alpha(5 * SLICE_NS);
	}
}

static __attribute__((noinline)) void kernel(uint64_t ns)
{
	static char zeros[1 << 20];
	FILE *file = fopen("/dev/zero", "r");
	uint64_t end = cpu_ns() + ns;

	if (!file)
		exit(77);
	while (cpu_ns() < end)
		sink += (uint64_t)read(fileno(file), zeros, sizeof(zeros));
	fclose(file);
}

static void ranges(uint64_t ns)
{
	int (*push)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "nvtxRangePushA");
	int (*pop)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "nvtxRangePop");

	if (!push || !pop)
		exit(3);
	for (uint64_t done = 0; done < ns; done += 20 * SLICE_NS) {
		push("outside");
		alpha(10 * SLICE_NS);
		pop();
		push("wanted");
		beta(10 * SLICE_NS);
		pop();
	}
}

static uint64_t third_ns;
static ucontext_t before, within;

static void run_context(void)
{
	beta(third_ns);
}

static void on_signal(int number)
{
	(void)number;
	gamma_(third_ns);
}

static void stacks(uint64_t ns)
{
	static char context[256 << 10], alternate[256 << 10];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	third_ns = ns / 3;
	alpha(third_ns);
	getcontext(&within);
	within.uc_stack.ss_sp = context;
	within.uc_stack.ss_size = sizeof(context);
	within.uc_link = &before;
	makecontext(&within, run_context, 0);
	swapcontext(&before, &within);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	uint64_t ns = (uint64_t)((argc > 2 ? atof(argv[2]) : 5) * 1e9);

	if (!strcmp(mode, "shares"))
		shares(ns);
	else if (!strcmp(mode, "threads"))
		threads();
	else if (!strcmp(mode, "many"))
		many(ns, argc > 3 && atoi(argv[3]) < MANY ? (size_t)atoi(argv[3]) : MANY);
	else if (!strcmp(mode, "fork"))
		forks(ns);
	else if (!strcmp(mode, "heap"))
		heap(ns);
	else if (!strcmp(mode, "child"))
		child(argv[0], argv[2]);
	else if (!strcmp(mode, "after"))
		gamma_(ns);
	else if (!strcmp(mode, "plugins")) {
		plugin("libnative_one.so", ns / 2);
		plugin("libnative_two.so", ns / 2);
	} else if (!strcmp(mode, "made"))
		made(ns);
	else if (!strcmp(mode, "kernel"))
		kernel(ns);
	else if (!strcmp(mode, "ranges"))
		ranges(ns);
	else if (!strcmp(mode, "stacks"))
		stacks(ns);
	else if (!strcmp(mode, "exec")) {
		alpha(ns / 2);
		execl(argv[0], argv[0], "after", argv[2], (char *)NULL);
		return 3;
	} else if (!strcmp(mode, "for_ever")) {
		puts("begins");
		fflush(stdout);
		alpha(UINT64_MAX / 2);
	} else
		return 2;
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* races: cuda_gpu many 2000 */
/*
 * Work for the fake device: kernels of several grids on several streams, copies, memsets, waits, a
 * graph, launches from threads; what they take is what the fake's model of time says
 * (tests/fake/device.h).
 *
 * usage: cuda_gpu work | many COUNT | fork | abrupt | handler | vfork | killed | pause COUNT |
 * threads | exec PROGRAM [ARGUMENT]...
 *   work    all of it, one after the other, then a wait
 *   many    COUNT launches, from four threads
 *   fork    a forked child that does nothing of CUDA, work before and after it
 *   abrupt  work, then _exit() at once
 *   handler the same in a handler of a signal that interrupts malloc()
 *   vfork   work, a child of vfork() that calls _exit(), work, then kill -9 of itself
 *   killed  work, then kill -9 of itself at once
 *   pause   COUNT launches, a pause of three seconds, then kill -9 of itself
 *   threads work, then prints how many threads the process has
 *   exec    work, then becomes PROGRAM
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -ldl -Wl,-rpath,'$ORIGIN/../fake' */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda_client.h"

static char kernel_small, kernel_large;
static char host[1 << 16];
static void *device;

static void launch(const void *kernel, unsigned int blocks, cudaStream_t stream)
{
	OK(cudaLaunchKernel(kernel, (dim3){ blocks, 1, 1 }, (dim3){ 128, 1, 1 }, NULL, 64, stream));
}

static void run_graph(cudaStream_t stream)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	OK(cudaStreamBeginCapture(stream, 0));
	for (unsigned int i = 1; i <= 3; i++)
		launch(&kernel_small, i, stream);
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (unsigned int i = 0; i < 5; i++)
		OK(cudaGraphLaunch(exec, stream));
}

static void *run_thread(void *count)
{
	for (unsigned long i = 0; i < (unsigned long)count; i++)
		launch(&kernel_small, 1 + i % 7, NULL);
	return NULL;
}

static void run_threads(unsigned long count)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, run_thread, (void *)count);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void run_work(void)
{
	cudaStream_t stream[2];

	for (int i = 0; i < 2; i++)
		OK(cudaStreamCreate(&stream[i]));
	for (unsigned int i = 0; i < 20; i++) {
		OK(cudaMemcpyAsync(device, host, 1024 * (i + 1), 1, stream[0]));
		launch(&kernel_small, 1 + i, stream[i % 2]);
		launch(&kernel_large, 1000, NULL);
		OK(cudaMemsetAsync(device, 0, 4096, stream[1]));
	}
	OK(cudaMemcpy(host, device, 4096, 2));
	OK(cudaStreamSynchronize(stream[1]));
	run_graph(stream[0]);
	run_threads(50);
	OK(cudaDeviceSynchronize());
}

static void leave(int signal)
{
	_exit(signal == SIGUSR1 ? 3 : 4);
}

/* Sooner or later the signal finds malloc() with its lock held. */
static void run_handler(void)
{
	void *volatile block;
	struct timespec soon = { 0, 1000000 };
	struct itimerspec at = { { 0, 0 }, soon };
	struct sigevent how = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t timer;

	signal(SIGUSR1, leave);
	timer_create(CLOCK_MONOTONIC, &how, &timer);
	timer_settime(timer, 0, &at, NULL);
	for (;;) {
		block = malloc(3000);
		free(block);
	}
}

/*
 * Those that have ended may still be there for a moment: asked until it is as few as ever, for two
 * seconds.
 */
static void print_threads(void)
{
	int fewest = 1 << 30;

	for (int i = 0; i < 200; i++) {
		DIR *tasks = opendir("/proc/self/task");
		int count = 0;

		while (readdir(tasks))
			count++;
		closedir(tasks);
		if (count < fewest)
			fewest = count;
		usleep(10000);
	}
	printf("%d\n", fewest - 2); /* . and .. */
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "work";

	client_kernel(&kernel_small, "_Z5smallPf");
	client_kernel(&kernel_large, "_Z5largePfi");
	OK(cudaMalloc(&device, sizeof(host)));
	if (strcmp(what, "many") == 0) {
		run_threads(strtoul(argv[2], NULL, 10) / 4);
		return 0;
	}
	if (strcmp(what, "pause") == 0) {
		run_threads(strtoul(argv[2], NULL, 10) / 4);
		sleep(3);
		kill(getpid(), SIGKILL);
	}
	run_work();
	if (strcmp(what, "fork") == 0) {
		pid_t child = fork();

		if (child == 0)
			exit(0);
		waitpid(child, NULL, 0);
		run_work();
	}
	if (strcmp(what, "abrupt") == 0)
		_exit(0);
	if (strcmp(what, "handler") == 0)
		run_handler();
	if (strcmp(what, "vfork") == 0 && vfork() == 0)
		_exit(0);
	if (strcmp(what, "vfork") == 0 || strcmp(what, "killed") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(what, "threads") == 0)
		print_threads();
	if (strcmp(what, "exec") == 0)
		execvp(argv[2], argv + 2);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* races: cuda_life late 8 */
/*
 * What happens to a GPU's context while work is done, over the fake CUDA.
 *
 * usage: cuda_life devices N | reset | profiler | capture | memory | held | pool | exec | fork |
 * other | taken | opened LIBRARY | late N
 *   devices N  work on each of N devices, from a thread of its own and from this one
 *   reset      work, cudaDeviceReset() while work is on its way, work
 *   profiler   cudaProfilerStart and Stop around half of the work
 *   capture    a graph of four kernels, launched three times by another thread than the one that
 *              captured it
 *   memory     memory of each kind is given out and given back
 *   held       memory on two devices, by two functions, some of it past all calls; what is held at
 *              the end is known
 *   pool       stream-ordered memory that its pool keeps, gives out again, and gives back when it
 *              is trimmed
 *   exec       work, then exec of itself as `devices 1`
 *   fork       a child of a program that has not used CUDA yet does the work; then the parent, and
 *              a child at its end
 *   other      work, where the environment names another library to the driver
 *   taken      work, after another library has been named to the driver
 *   opened     work, opens the library, and works on until CUPTI has no subscriber any more, then
 *              ten launches
 *   late N     CUDA starts with no library named to it (CUDA_INJECTION64_PATH gone); then N threads
 *              make their first call at once, and one works on
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -ldl -Wl,-rpath,'$ORIGIN/../fake' */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_client.h"

static char kernel_first, kernel_second;
static char host[1 << 14];

static void launch(const void *kernel, unsigned int blocks, cudaStream_t stream)
{
	OK(cudaLaunchKernel(kernel, (dim3){ blocks, 1, 1 }, (dim3){ 64, 1, 1 }, NULL, 0, stream));
}

static void work(void)
{
	void *device;

	OK(cudaMalloc(&device, sizeof(host)));
	for (unsigned int i = 1; i <= 10; i++) {
		OK(cudaMemcpyAsync(device, host, 1024, 1, NULL));
		launch(&kernel_first, i, NULL);
	}
	OK(cudaDeviceSynchronize());
	OK(cudaFree(device));
}

static void *run_on(void *device)
{
	OK(cudaSetDevice((int)(long)device));
	work();
	return NULL;
}

static void run_devices(long count)
{
	pthread_t thread[16];

	for (long i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, run_on, (void *)i);
	for (long i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	for (long i = 0; i < count; i++)
		run_on((void *)i);
}

static void run_reset(void)
{
	work();
	launch(&kernel_second, 90, NULL);
	OK(cudaDeviceReset());
	work();
}

static void run_profiler(void)
{
	work();
	OK(cudaProfilerStart());
	work();
	OK(cudaProfilerStop());
	work();
}

static cudaStream_t stream;
static cudaGraphExec_t exec;

static void *replay(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++)
		OK(cudaGraphLaunch(exec, stream));
	return NULL;
}

static void run_capture(void)
{
	cudaGraph_t graph;
	pthread_t thread;

	OK(cudaStreamCreate(&stream));
	OK(cudaStreamBeginCapture(stream, 0));
	for (unsigned int i = 1; i <= 4; i++)
		launch(i % 2 ? &kernel_first : &kernel_second, i, stream);
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	pthread_create(&thread, NULL, replay, NULL);
	pthread_join(thread, NULL);
	OK(cudaDeviceSynchronize());
}

static void run_memory(void)
{
	void *device, *pinned, *managed, *pool;

	OK(cudaMalloc(&device, 1000));
	OK(cudaMallocHost(&pinned, 2000));
	OK(cudaMallocManaged(&managed, 3000, 1));
	OK(cudaMallocAsync(&pool, 4000, NULL));
	OK(cudaFreeAsync(pool, NULL));
	OK(cudaFree(managed));
	OK(cudaFreeHost(pinned));
	OK(cudaFree(device));
}

__attribute__((noinline)) static void hold(size_t bytes, int count)
{
	void *device;

	for (int i = 0; i < count; i++)
		OK(cudaMalloc(&device, bytes));
}

/* Held for a while: what is given out again may be where it was. */
__attribute__((noinline)) static void pass(size_t bytes, int count)
{
	void *device, *pool;

	for (int i = 0; i < count; i++) {
		OK(cudaMalloc(&device, bytes));
		OK(cudaFree(device));
		OK(cudaMallocAsync(&pool, bytes, NULL));
		OK(cudaFreeAsync(pool, NULL));
	}
}

/* As a static runtime does: no symbol shows it. */
static void hold_unseen(size_t bytes)
{
	int (*allocate)(unsigned int, size_t, void **);
	void *device;

	*(void **)&allocate = dlsym(RTLD_DEFAULT, "fake_allocate");
	OK(allocate(1, bytes, &device));
}

static void run_pool(void)
{
	void *first, *second;

	OK(cudaMallocAsync(&first, 3 << 20, NULL));  /* the fake's pool takes 4 MiB for it, */
	OK(cudaMallocAsync(&second, 2 << 20, NULL)); /* and 6 for both */
	OK(cudaFreeAsync(first, NULL));
	OK(cudaMemPoolTrimTo(NULL, 0));
	OK(cudaFreeAsync(second, NULL));
	OK(cudaMallocAsync(&second, 1 << 20, NULL));
}

static void run_held(void)
{
	hold(1000, 2);
	pass(50000, 100);
	hold_unseen(7000);
	OK(cudaSetDevice(1));
	hold(300, 3);
	pass(20, 50);
}

static void run_fork(void)
{
	pid_t child = fork();

	if (child == 0) {
		work();
		exit(0);
	}
	waitpid(child, NULL, 0);
	work();
	child = fork();
	if (child == 0)
		exit(0);
	waitpid(child, NULL, 0);
}

static pthread_barrier_t barrier;

static void *run_late_thread(void *unused)
{
	pthread_barrier_wait(&barrier);
	work();
	return unused;
}

static void run_late(long count)
{
	pthread_t thread[64];
	int devices;

	unsetenv("CUDA_INJECTION64_PATH");
	OK(cudaGetDeviceCount(&devices)); /* not interposed: the driver starts unseen */
	pthread_barrier_init(&barrier, NULL, (unsigned int)count);
	for (long i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, run_late_thread, NULL);
	for (long i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int i = 1; i <= 10; i++)
		launch(&kernel_second, i, NULL);
}

/* Over the fake: who it calls back is known. */
static void run_opened(const char *library)
{
	const _Atomic bool *subscribed = dlsym(RTLD_DEFAULT, "fake_is_subscribed");

	work();
	if (!subscribed || !atomic_load(subscribed) || !dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
		fprintf(stderr, "nobody has subscribed, or %s\n", dlerror());
		exit(1);
	}
	for (unsigned int i = 1; atomic_load(subscribed); i++) {
		launch(&kernel_second, 1 + i % 100, NULL);
		usleep(1000);
	}
	for (unsigned int i = 1; i <= 10; i++)
		launch(&kernel_first, i, NULL);
	OK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "reset";
	long number = argc > 2 ? strtol(argv[2], NULL, 10) : 1;

	client_kernel(&kernel_first, "_Z5firstPf");
	client_kernel(&kernel_second, "_Z6secondPf");
	if (strcmp(what, "devices") == 0)
		run_devices(number);
	else if (strcmp(what, "reset") == 0)
		run_reset();
	else if (strcmp(what, "profiler") == 0)
		run_profiler();
	else if (strcmp(what, "capture") == 0)
		run_capture();
	else if (strcmp(what, "memory") == 0)
		run_memory();
	else if (strcmp(what, "held") == 0)
		run_held();
	else if (strcmp(what, "pool") == 0)
		run_pool();
	else if (strcmp(what, "fork") == 0)
		run_fork();
	else if (strcmp(what, "late") == 0)
		run_late(number);
	else if (strcmp(what, "opened") == 0)
		run_opened(argv[2]);
	else if (strcmp(what, "other") == 0)
		work();
	else if (strcmp(what, "taken") == 0) {
		setenv("CUDA_INJECTION64_PATH", "/opt/tool/libtool.so", 1);
		work();
	} else if (strcmp(what, "exec") == 0) {
		work();
		execl(argv[0], argv[0], "devices", "1", (char *)NULL);
	} else
		return 2;
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* races: cuda_within new */
/* races: cuda_within context */
/*
 * CUDA where it is awkward: in operator new and malloc, on threads while the process forks, resets
 * its device, destroys its contexts or ends, over the fake CUDA.
 *
 * usage: cuda_within new | malloc | fork | reset | context | exit
 *   new      operator new takes managed memory and launches, operator delete gives it back, on four
 *            threads
 *   malloc   malloc() and free() launch (libcuda_malloc.so is preloaded), on four threads
 *   fork     four threads launch while the process forks, with handlers that launch, too
 *   reset    four threads launch while the device is reset, again and again
 *   context  contexts are destroyed and the primary one is released while their work is on its way,
 *            and before the end
 *   exit     exit() while four threads launch; handlers of exit and a destructor launch, too
 */
/* build: -std=c++17 -pthread -L$O/fake -l:libcudart.so.13 -l:libcuda.so.1 -ldl -Wl,-rpath,'$ORIGIN/../fake' */
#include <atomic>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <sys/wait.h>

#include "cuda_client.h"

extern "C" {
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxCreate_v2(void **context, unsigned int flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
}

#define THREADS 4

static char kernel;
static thread_local bool is_managed;
static std::atomic<bool> is_over, ends;

static void launch(const void *what)
{
	OK(cudaLaunchKernel(what, one, one, NULL, 0, NULL));
}

void *operator new(std::size_t size)
{
	void *block = NULL;

	if (!is_managed) {
		block = std::malloc(size);
		if (!block)
			throw std::bad_alloc();
		return block;
	}
	is_managed = false;
	OK(cudaMallocManaged(&block, size, 1));
	launch(&kernel);
	is_managed = true;
	return block;
}

void operator delete(void *block) noexcept
{
	if (!is_managed) {
		std::free(block);
		return;
	}
	is_managed = false;
	OK(cudaFree(block));
	is_managed = true;
}

void operator delete(void *block, std::size_t) noexcept
{
	operator delete(block);
}

static void run_on_threads(void *(*run)(void *))
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void *new_and_delete(void *)
{
	is_managed = true;
	for (int i = 0; i < 250; i++) {
		int *volatile number = new int(i);

		delete number;
	}
	is_managed = false;
	return NULL;
}

static void *allocate_and_free(void *)
{
	void (*arm)(bool) = (void (*)(bool))dlsym(RTLD_DEFAULT, "cuda_malloc_arm");

	EXPECT(arm != NULL);
	arm(true);
	for (int i = 0; i < 250; i++) {
		void *volatile block = std::malloc(100);

		std::free(block);
	}
	arm(false);
	return NULL;
}

static void *launch_until_over(void *)
{
	while (!is_over)
		launch(&kernel);
	return NULL;
}

/* Results are not looked at: the device may be being reset, or gone. */
static void *launch_whatever(void *)
{
	while (!is_over)
		(void)cudaLaunchKernel(&kernel, one, one, NULL, 0, NULL);
	return NULL;
}

static void launch_here(void)
{
	launch(&kernel);
}

static void fork_often(void)
{
	pthread_t thread[THREADS];

	pthread_atfork(launch_here, launch_here, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, launch_until_over, NULL);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			client_write_counts();
			_exit(7);
		}
		EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
	}
	is_over = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void reset_often(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, launch_whatever, NULL);
	for (int i = 0; i < 50; i++)
		OK(cudaDeviceReset());
	is_over = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void *destroy_contexts(void *)
{
	for (int i = 0; i < 20; i++) {
		void *context;

		OK(cuCtxCreate_v2(&context, 0, 0));
		launch(&kernel);
		OK(cuCtxDestroy_v2(context));
	}
	return NULL;
}

static void launch_at_exit(void)
{
	(void)cudaLaunchKernel(&kernel, one, one, NULL, 0, NULL);
}

__attribute__((destructor)) static void launch_last(void)
{
	if (ends)
		launch_at_exit();
	is_over = true;
}

static void exit_with_threads(void)
{
	pthread_t thread;

	ends = true;
	atexit(launch_at_exit);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, launch_whatever, NULL);
	for (int i = 0; i < 100; i++)
		launch(&kernel);
	std::exit(9);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	void *malloc_kernel = dlsym(RTLD_DEFAULT, "cuda_malloc_kernel");

	client_kernel(&kernel, "_Z5smallPf");
	if (malloc_kernel)
		client_kernel(malloc_kernel, "_Z9in_mallocv");
	launch(&kernel); /* CUPTI is there */
	if (!strcmp(what, "new"))
		run_on_threads(new_and_delete);
	else if (!strcmp(what, "malloc"))
		run_on_threads(allocate_and_free);
	else if (!strcmp(what, "fork"))
		fork_often();
	else if (!strcmp(what, "reset"))
		reset_often();
	else if (!strcmp(what, "context"))
		run_on_threads(destroy_contexts);
	else if (!strcmp(what, "exit"))
		exit_with_threads();
	else
		return 2;
	if (!strcmp(what, "context"))
		OK(cuDevicePrimaryCtxRelease_v2(0));
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* races: cuda_moments tls */
/*
 * Launches at odd moments.
 *
 * usage: cuda_moments WHAT...
 * WHAT: destructor, atexit, tls (a thread's keys and thread-local destructors), handler (a signal
 * between CUDA calls), inside (a signal while a CUDA call is in progress; wants FAKE_CUDA_DELAY for
 * cudaDeviceSynchronize), fork (a child that goes on after fork()), exec (itself again,
 * "destructor"), jump (a handler that leaves a CUDA call by siglongjmp()), errno, capture
 * (cudaProfilerStart and Stop), devices (memory on each of FAKE_CUDA_DEVICES), third (wants
 * FAKE_CUDA_FAIL=cudaMemset:3=700).
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -l:libcuda.so.1 -Wl,-rpath,'$ORIGIN/../fake' */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "cuda_client.h"

static char kernels[4];
static bool is_last_wanted;
static sigjmp_buf back;
static volatile sig_atomic_t handled;

static void launch(int kernel)
{
	OK(cudaLaunchKernel(&kernels[kernel], one, one, NULL, 0, NULL));
}

static void launch_at_exit(void)
{
	launch(1);
}

__attribute__((destructor)) static void launch_last(void)
{
	if (is_last_wanted)
		launch(2);
}

static void on_key(void *argument)
{
	(void)argument;
	launch(1);
}

/* What C++ makes of thread_local objects. */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *dso);
extern void *__dso_handle;

static void *tls_main(void *key)
{
	__cxa_thread_atexit_impl(on_key, NULL, __dso_handle);
	pthread_setspecific(*(pthread_key_t *)key, key);
	launch(0);
	return NULL;
}

static void run_tls(void)
{
	pthread_key_t key;
	pthread_t thread;

	OK(pthread_key_create(&key, on_key));
	for (int i = 0; i < 20; i++) {
		OK(pthread_create(&thread, NULL, tls_main, &key));
		OK(pthread_join(thread, NULL));
	}
}

static void on_signal(int number)
{
	(void)number;
	handled++;
	launch(3);
}

static void run_handler(void)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 50; i++) {
		launch(0);
		raise(SIGUSR1);
	}
}

static void timer_start(int us)
{
	struct itimerval timer = { .it_value = { .tv_usec = us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void run_inside(void)
{
	int devices;

	OK(cudaGetDeviceCount(&devices)); /* the driver's own start is no moment for another call */
	signal(SIGALRM, on_signal);
	for (int i = 0; i < 20; i++) {
		timer_start(2000);
		OK(cudaDeviceSynchronize());
	}
	EXPECT(handled == 20);
}

static void on_jump(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void run_jump(void)
{
	int devices;

	OK(cudaGetDeviceCount(&devices)); /* nobody may leave the driver's own start by a jump */
	/* volatile: what a jump may not take back */
	for (volatile int i = 0; i < 5; i++) {
		signal(SIGALRM, on_jump);
		/* first: a process that was stopped gets the signal as soon as the timer is set */
		if (!sigsetjmp(back, 1)) {
			timer_start(2000);
			OK(cudaDeviceSynchronize());
		}
		launch(0);
		OK(cudaMemset(kernels, 0, sizeof(kernels)));
	}
}

static void run_fork(void)
{
	int status;
	pid_t child;

	launch(0);
	child = fork();
	if (!child) {
		for (int i = 0; i < 7; i++)
			launch(1);
		if (!fork()) {
			launch(3);
			client_write_counts();
			_exit(0);
		}
		wait(&status);
		exit(status);
	}
	EXPECT(waitpid(child, &status, 0) == child && status == 0);
	launch(0);
}

static void run_errno(void)
{
	for (int i = 0; i < 100; i++) {
		errno = 1000 + i;
		launch(0);
		EXPECT(cudaFree(kernels) != 0);
		EXPECT(errno == 1000 + i);
	}
}

static void run_capture(void)
{
	for (int i = 0; i < 3; i++) {
		launch(0);
		launch(1);
		OK(cudaProfilerStart());
		launch(2);
		OK(cudaMemset(kernels, 0, 1));
		OK(cudaProfilerStop());
		launch(1);
	}
}

static void run_devices(void)
{
	void *block;
	int count;

	OK(cudaGetDeviceCount(&count));
	for (int i = 0; i < count; i++) {
		OK(cudaSetDevice(i));
		OK(cudaMalloc(&block, 1000 * (size_t)(i + 1)));
		if (i > 0)
			OK(cudaDeviceReset());
		OK(cudaMallocManaged(&block, 10, 1));
	}
	EXPECT(cudaSetDevice(count) != 0);
}

static void run_third(void)
{
	for (int i = 1; i <= 5; i++)
		EXPECT(cudaMemset(kernels, 0, 2) == (i == 3 ? 700 : 0));
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{ "tls", run_tls },         { "handler", run_handler }, { "inside", run_inside },
	{ "fork", run_fork },       { "jump", run_jump },       { "errno", run_errno },
	{ "capture", run_capture }, { "devices", run_devices }, { "third", run_third },
};

int main(int argc, char **argv)
{
	static const char *const names[] = { "kernel_0", "kernel_1", "kernel_2", "kernel_3" };

	for (int i = 0; i < 4; i++)
		client_kernel(&kernels[i], names[i]);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "destructor"))
			is_last_wanted = true;
		if (!strcmp(argv[i], "atexit"))
			atexit(launch_at_exit);
		if (!strcmp(argv[i], "exec"))
			execl("/proc/self/exe", argv[0], "destructor", (char *)NULL);
		for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
			if (!strcmp(argv[i], parts[p].name))
				parts[p].run();
		}
	}
	return 0;
}

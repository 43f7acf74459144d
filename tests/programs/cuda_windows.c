/* SPDX-License-Identifier: MIT */
/* races: cuda_windows 60 3 threads 30 */
/*
 * Steps on a device (ranges "step"), in the midst of which something happens, over the fake CUDA.
 * Prints what it did, which is the same whoever records it.
 *
 * usage: cuda_windows STEPS LAUNCHES WHAT STEP
 *   none     nothing
 *   fork     a child that uses no CUDA makes as many steps, while the parent goes on
 *   exec     exec of itself, as `none`
 *   kill     kill -9 of itself
 *   reset    cudaDeviceReset(), while work is on its way
 *   graph    each step also launches a graph of three kernels; at STEP another one takes its place,
 *            captured then
 *   threads  three other threads launch as much in each step, on streams of their own
 *   loose    three other threads call the driver to launch, one after another, and do not care for
 *            steps
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -l:libcuda.so.1 -Wl,--no-as-needed -Wl,-rpath,'$ORIGIN/../fake' */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "cuda_client.h"

__attribute__((weak)) int nvtxRangePushA(const char *message);
__attribute__((weak)) int nvtxRangePop(void);

#define OTHERS 3
#define GRAPH_KERNELS 3

static char kernel, kernel_of_graph, kernel_of_thread;
static long steps, launches, at;
static const char *what;
static long launched;
static cudaStream_t capturing;
static cudaGraphExec_t graph;
static pthread_t other[OTHERS];
static pthread_barrier_t begins, ends;
static atomic_bool is_over;

static bool is(const char *word)
{
	return strcmp(what, word) == 0;
}

static void launch(const void *which, long count, cudaStream_t stream)
{
	for (long i = 0; i < count; i++)
		OK(cudaLaunchKernel(which, one, one, NULL, 0, stream));
}

static void range(bool begin)
{
	if (begin && nvtxRangePushA)
		nvtxRangePushA("step");
	else if (!begin && nvtxRangePop)
		nvtxRangePop();
}

static void capture(void)
{
	cudaGraph_t captured;

	if (!capturing)
		OK(cudaStreamCreate(&capturing));
	OK(cudaStreamBeginCapture(capturing, 0));
	launch(&kernel_of_graph, GRAPH_KERNELS, capturing);
	OK(cudaStreamEndCapture(capturing, &captured));
	OK(cudaGraphInstantiateWithFlags(&graph, captured, 0));
}

static void *run_other(void *unused)
{
	cudaStream_t stream;

	OK(cudaStreamCreate(&stream));
	for (long i = 0; i < steps; i++) {
		pthread_barrier_wait(&begins);
		launch(&kernel_of_thread, launches, stream);
		pthread_barrier_wait(&ends);
	}
	OK(cudaStreamSynchronize(stream));
	return unused;
}

static void *run_loose(void *unused)
{
	cudaFunction_t function;

	OK(cudaGetFuncBySymbol(&function, &kernel_of_thread));
	while (!is_over)
		OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	return unused;
}

static void happen(char **argv)
{
	if (is("fork") && fork() == 0) {
		for (long i = 0; i < steps; i++) {
			range(true);
			free(malloc(64));
			range(false);
		}
		_exit(7);
	}
	if (is("exec"))
		execl("/proc/self/exe", argv[0], argv[1], argv[2], "none", "0", (char *)NULL);
	if (is("kill"))
		kill(getpid(), SIGKILL);
	if (is("reset"))
		OK(cudaDeviceReset());
	if (is("graph"))
		capture();
}

static void run_step(long step, char **argv)
{
	range(true);
	if (is("threads"))
		pthread_barrier_wait(&begins);
	launch(&kernel, launches, NULL);
	launched += launches;
	if (step == at)
		happen(argv);
	if (is("graph")) {
		OK(cudaGraphLaunch(graph, capturing));
		launched += GRAPH_KERNELS;
	}
	if (is("threads")) {
		pthread_barrier_wait(&ends);
		launched += OTHERS * launches;
	}
	if (step % 4 == 3)
		OK(cudaDeviceSynchronize());
	range(false);
}

int main(int argc, char **argv)
{
	bool has_others;
	int status = 0;

	EXPECT(argc == 5);
	steps = atol(argv[1]);
	launches = atol(argv[2]);
	what = argv[3];
	at = atol(argv[4]);
	has_others = is("threads") || is("loose");
	client_kernel(&kernel, "_Z6a_stepPf");
	client_kernel(&kernel_of_graph, "_Z7a_graphPf");
	client_kernel(&kernel_of_thread, "_Z8a_threadPf");
	pthread_barrier_init(&begins, NULL, OTHERS + 1);
	pthread_barrier_init(&ends, NULL, OTHERS + 1);
	for (int i = 0; has_others && i < OTHERS; i++)
		pthread_create(&other[i], NULL, is("loose") ? run_loose : run_other, NULL);
	if (is("graph"))
		capture();
	for (long step = 0; step < steps; step++)
		run_step(step, argv);
	is_over = true;
	for (int i = 0; has_others && i < OTHERS; i++)
		pthread_join(other[i], NULL);
	if (is("fork"))
		EXPECT(wait(&status) > 0 && WEXITSTATUS(status) == 7);
	OK(cudaDeviceSynchronize());
	printf("%ld steps, %ld kernels\n", steps, launched);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* races: cuda_threads 4 10 */
/*
 * Makes CUDA calls of all sorts on several threads, each with streams of its own, and looks at what
 * was copied.
 *
 * usage: cuda_threads THREADS ROUNDS
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -l:libcuda.so.1 -Wl,-rpath,'$ORIGIN/../fake' */
#include <pthread.h>

#include "cuda_client.h"

#define BYTES 4096

static char kernels[4]; /* their addresses stand for host functions */
static unsigned long rounds;
static pthread_barrier_t together;

static void run_launches(cudaStream_t stream, unsigned int n)
{
	dim3 grid = { n + 1, 2, 3 }, block = { 32, 1, 1 };
	cudaLaunchConfig_t config = { .gridDim = grid, .blockDim = block, .stream = stream };
	cudaKernel_t kernel;
	cudaFunction_t function;

	OK(cudaLaunchKernel(&kernels[0], grid, block, NULL, 16, stream));
	OK(cudaLaunchKernel_ptsz(&kernels[0], grid, block, NULL, 0, NULL));
	OK(__cudaGetKernel(&kernel, &kernels[1]));
	EXPECT((void *)kernel != &kernels[1]);
	OK(__cudaLaunchKernel(kernel, grid, block, NULL, 0, stream));
	OK(__cudaLaunchKernel_ptsz(kernel, grid, block, NULL, 0, NULL));
	OK(cudaLaunchKernelExC(&config, &kernels[2], NULL));
	OK(cudaLaunchCooperativeKernel(&kernels[2], grid, block, NULL, 0, stream));
	OK(cudaGetFuncBySymbol(&function, &kernels[3]));
	OK(cuLaunchKernel(function, 1, 2, 3, 4, 5, 6, 7, (CUstream)stream, NULL, NULL));
	OK(cuLaunchKernel_ptsz(function, 1, 2, 3, 4, 5, 6, 7, NULL, NULL, NULL));
	/* refused: no such kernel, no blocks */
	EXPECT(cudaLaunchKernel(&rounds, grid, block, NULL, 0, stream) != 0);
	EXPECT(cudaLaunchKernel(&kernels[0], (dim3){ 0, 0, 0 }, block, NULL, 0, stream) != 0);
	EXPECT(cudaGetLastError() != 0 && cudaGetLastError() == 0);
}

static void run_copies(cudaStream_t stream, char *device, char *host)
{
	char *other;

	OK(cudaMallocAsync((void **)&other, BYTES, stream));
	memset(host, 7, BYTES);
	OK(cudaMemcpy(device, host, BYTES, 1));
	OK(cudaMemcpyAsync(other, device, BYTES, 3, stream));
	OK(cudaMemcpy2DAsync(other, 64, device, 128, 32, 4, 4, stream));
	memset(host, 0, BYTES);
	OK(cudaMemcpy_ptds(host, other, BYTES, 2));
	EXPECT(host[0] == 7 && host[BYTES - 1] == 7);
	OK(cudaMemset(device, 9, 100));
	OK(cudaMemsetAsync_ptsz(device + 100, 9, 50, NULL));
	OK(cudaMemset2D(device + 200, 20, 9, 10, 3));
	OK(cudaMemcpyAsync_ptsz(host, device, 150, 4, NULL));
	EXPECT(host[149] == 9 && host[150] == 7);
	OK(cuMemcpyHtoD_v2((CUdeviceptr)(uintptr_t)device, host, 77));
	OK(cuMemcpyDtoHAsync_v2(host, (CUdeviceptr)(uintptr_t)device, 78, (CUstream)stream));
	OK(cuMemsetD32_v2((CUdeviceptr)(uintptr_t)device, 0x01020304, 11));
	EXPECT(device[0] == 4 && device[43] == 1);
	EXPECT(cudaMemcpy(device, host, BYTES, 99) != 0); /* no such kind */
	OK(cudaFreeAsync(other, stream));
}

static void run_memory(void)
{
	void *block[6] = { NULL };
	size_t pitch, total;
	CUdeviceptr address;

	OK(cudaMalloc(&block[0], 1000));
	OK(cudaMallocManaged(&block[1], 2000, 1));
	OK(cudaMallocHost(&block[2], 3000)); /* calls cudaHostAlloc itself */
	OK(cudaHostAlloc(&block[3], 4000, 0));
	OK(cudaMallocPitch(&block[4], &pitch, 100, 50));
	OK(cuMemAlloc_v2(&address, 6000));
	EXPECT(cudaMalloc(&block[5], (size_t)1 << 60) == 2);
	OK(cudaHostRegister(block, sizeof(block), 0));
	OK(cudaMemGetInfo(&pitch, &total));
	OK(cudaHostUnregister(block));
	EXPECT(cudaFree(&block) != 0); /* never allocated */
	OK(cudaFree(NULL));
	OK(cudaFree(block[0]));
	OK(cudaFree(block[1]));
	OK(cudaFreeHost(block[2]));
	OK(cudaFreeHost(block[3]));
	OK(cudaFree(block[4]));
	OK(cuMemFree_v2(address));
}

static void run_graph(cudaStream_t stream)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	OK(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)0));
	OK(cudaLaunchKernel(&kernels[1], one, one, NULL, 0, stream));
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (int i = 0; i < 3; i++)
		OK(cudaGraphLaunch(exec, stream));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

/* Host functions that CUDA calls back are the program's: their calls count. */
static void run_back(void *argument)
{
	OK(cudaStreamQuery(argument));
}

static void *thread_main(void *argument)
{
	cudaEvent_t event[2];
	cudaStream_t stream;
	char *device, host[BYTES];
	float ms;

	(void)argument;
	pthread_barrier_wait(&together);
	OK(cudaStreamCreateWithFlags(&stream, 1));
	OK(cudaEventCreate(&event[0]));
	OK(cudaEventCreate(&event[1]));
	OK(cudaMalloc((void **)&device, BYTES));
	for (unsigned int n = 0; n < rounds; n++) {
		OK(cudaEventRecord(event[0], stream));
		run_launches(stream, n);
		run_copies(stream, device, host);
		run_memory();
		run_graph(stream);
		OK(cudaLaunchHostFunc(stream, run_back, stream));
		OK(cudaEventRecord(event[1], stream));
		OK(cudaStreamSynchronize(stream));
		OK(cudaEventElapsedTime(&ms, event[0], event[1]));
		OK(cudaDeviceSynchronize()); /* calls cuCtxSynchronize itself */
	}
	OK(cudaStreamDestroy(stream));
	if (!argument)
		OK(cudaFree(device)); /* one thread's stays */
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[1]) : 1;
	pthread_t thread[64];

	rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	client_kernel(&kernels[0], "_Z6first_i");
	client_kernel(&kernels[1], "_ZN3net6secondIfEEvPT_");
	client_kernel(&kernels[2], "third");
	client_kernel(&kernels[3], "fourth");
	EXPECT(threads > 0 && threads <= 64);
	pthread_barrier_init(&together, NULL, (unsigned int)threads);
	for (int i = 1; i < threads; i++)
		pthread_create(&thread[i], NULL, thread_main, NULL);
	thread_main(&rounds);
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

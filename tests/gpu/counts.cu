/* SPDX-License-Identifier: MIT */
/*
 * Calls the CUDA runtime in every way that intercept records and prints as JSON what it called
 * (tally.cuh). Links with the shared runtime (everything is seen) and with the static one (nothing
 * is). What it prints depends on nothing but the version of the toolkit.
 */
#include "launch.cuh"

#include <cooperative_groups.h>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define THREADS 4
#define ROUNDS 50

/* Names of kernels as compiled. */
#define ADD "add"
#define SCALE_INT "_Z5scaleIiEvPT_S0_i"
#define SCALE_FLOAT "_Z5scaleIfEvPT_S0_i"
#define NESTED "_ZN5outer5inner6noticeEPi"

extern "C" __global__ void add(int *numbers, int value, int count)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		numbers[i] += value;
}

template <typename T> __global__ void scale(T *numbers, T factor, int count)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	bool is_first = !(threadIdx.y || threadIdx.z || blockIdx.y || blockIdx.z);

	if (is_first && i < count)
		numbers[i] *= factor;
}

namespace outer
{
namespace inner
{
__global__ void notice(int *numbers)
{
	extern __shared__ int shared[];

	shared[threadIdx.x] = numbers[threadIdx.x];
	__syncthreads();
	numbers[threadIdx.x] = shared[threadIdx.x] + 1;
}
}
}

extern "C" __global__ void together(int *numbers)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	numbers[blockIdx.x * blockDim.x + threadIdx.x] += 1;
	grid.sync();
}

__device__ int symbol[ELEMENTS];

static int host[ELEMENTS], result[ELEMENTS];
static int *numbers, *others;

static void run_launches(cudaStream_t stream)
{
	int value = 3, count = ELEMENTS;
	void *arguments[] = { &numbers, &value, &count };
	void *together_arguments[] = { &numbers };
	cudaLaunchConfig_t config = {};

	for (int i = 0; i < 10; i++)
		LAUNCH(ADD, "default", add, ELEMENTS / 256, 256, 0, 0, numbers, i, count);
	for (int i = 0; i < 7; i++)
		LAUNCH(SCALE_INT, "stream", scale<int>, dim3(2, 2, 2), dim3(32, 4, 4), 0, stream, numbers,
		       3, count);
	for (int i = 0; i < 5; i++)
		LAUNCH(SCALE_FLOAT, "default", scale<float>, 1, 64, 0, cudaStreamLegacy,
		       (float *)others, 1.0f, 64);
	LAUNCH(NESTED, "default", outer::inner::notice, 1, 128, 128 * sizeof(int), 0, numbers);
	LAUNCH_BY(cudaLaunchKernel, ADD, "stream", 16, 256, 0, (const void *)add, dim3(16), dim3(256),
		  arguments, 0, stream);
	LAUNCH_BY(cudaLaunchCooperativeKernel, "together", "stream", 2, 32, 0,
		  (const void *)together, dim3(2), dim3(32), together_arguments, 0, stream);
	config.gridDim = dim3(8);
	config.blockDim = dim3(512);
	config.stream = stream;
	for (int i = 0; i < 3; i++)
		LAUNCH_BY(cudaLaunchKernelExC, ADD, "stream", 8, 512, 0, &config,
			  (const void *)add, arguments);
	CALL(cudaDeviceSynchronize);
}

static void run_errors(void)
{
	void *memory = NULL;

	WANT_FAILURE();
	LAUNCH(ADD, "default", add, 1, 0, 0, 0, numbers, 1, 1);
	WANT_FAILURE();
	ALLOCATE("device", 1L << 50, cudaMalloc, &memory, (size_t)1 << 50);
	/* a pitch that is less than the width */
	WANT_FAILURE();
	COPY("HtoD", 64 * 8, cudaMemcpy2D, numbers, 32, host, 64, 64, 8, cudaMemcpyHostToDevice);
	cudaGetLastError();
}

static void run_copies(cudaStream_t stream)
{
	COPY("HtoD", BYTES, cudaMemcpy, numbers, host, BYTES, cudaMemcpyHostToDevice);
	COPY("HtoD", 1000, cudaMemcpyAsync, others, host, 1000, cudaMemcpyHostToDevice, stream);
	COPY("DtoD", 2000, cudaMemcpy, others, numbers, 2000, cudaMemcpyDeviceToDevice);
	COPY("DtoD", 3000, cudaMemcpyAsync, others, numbers, 3000, cudaMemcpyDeviceToDevice, stream);
	COPY("DtoD", 400, cudaMemcpyPeer, others, 0, numbers, 0, 400);
	COPY("DtoH", 500, cudaMemcpy, result, numbers, 500, cudaMemcpyDeviceToHost);
	COPY("DtoH", 600, cudaMemcpyAsync, result, numbers, 600, cudaMemcpyDeviceToHost, stream);
	COPY("HtoH", 700, cudaMemcpy, result, host, 700, cudaMemcpyHostToHost);
	COPY("default", 800, cudaMemcpy, numbers, host, 800, cudaMemcpyDefault);
	COPY("HtoD", 64 * 8, cudaMemcpy2D, numbers, 128, host, 64, 64, 8, cudaMemcpyHostToDevice);
	COPY("DtoH", 32 * 4, cudaMemcpy2DAsync, result, 32, numbers, 128, 32, 4,
	     cudaMemcpyDeviceToHost, stream);
	COPY("memset", BYTES, cudaMemset, others, 1, BYTES);
	COPY("memset", 900, cudaMemsetAsync, others, 2, 900, stream);
	COPY("memset", 16 * 4, cudaMemset2D, others, 64, 3, 16, 4);
	CALL(cudaStreamSynchronize, stream);
	COPY("HtoD", 256, cudaMemcpyToSymbol, symbol, host, 256, 0, cudaMemcpyHostToDevice);
	COPY("DtoH", 128, cudaMemcpyFromSymbol, result, symbol, 128, 0, cudaMemcpyDeviceToHost);
}

static void run_shapes(void)
{
	cudaExtent extent = { 64, 8, 4 };
	cudaPitchedPtr pitched = {};
	cudaMemcpy3DParms box = {};
	cudaChannelFormatDesc format = { 32, 0, 0, 0, cudaChannelFormatKindFloat };
	cudaArray_t array = NULL;
	void *plane = NULL;
	size_t pitch = 0;

	ALLOCATE("device", 64 * 8 * 4, cudaMalloc3D, &pitched, extent);
	box.srcPtr = { host, 64, 64, 8 };
	box.dstPtr = pitched;
	box.extent = extent;
	box.kind = cudaMemcpyHostToDevice;
	COPY("HtoD", 64 * 8 * 4, cudaMemcpy3D, &box);
	COPY("memset", 64 * 8 * 4, cudaMemset3D, pitched, 5, extent);
	RELEASE("device", 64 * 8 * 4, cudaFree, pitched.ptr);
	ALLOCATE("device", 100 * 7, cudaMallocPitch, &plane, &pitch, (size_t)100, (size_t)7);
	RELEASE("device", 100 * 7, cudaFree, plane);
	ALLOCATE("array", 64 * 16 * 4, cudaMallocArray, &array, &format, 64, 16, 0u);
	COPY("HtoD", 256 * 16, cudaMemcpy2DToArray, array, 0, 0, host, 256, 256, 16,
	     cudaMemcpyHostToDevice);
	COPY("DtoH", 256 * 2, cudaMemcpy2DFromArray, result, 256, array, 0, 0, 256, 2,
	     cudaMemcpyDeviceToHost);
	RELEASE("array", 64 * 16 * 4, cudaFreeArray, array);
}

static void run_memory(cudaStream_t stream)
{
	void *pinned = NULL, *mapped = NULL, *managed = NULL, *pool = NULL, *block = NULL;
	void *own = aligned_alloc(4096, 65536);
	size_t free_bytes, all_bytes;

	ALLOCATE("pinned", 10000, cudaMallocHost, &pinned, (size_t)10000);
	ALLOCATE("pinned", 20000, cudaHostAlloc, &mapped, (size_t)20000, cudaHostAllocDefault);
	ALLOCATE("managed", 30000, cudaMallocManaged, &managed, (size_t)30000, cudaMemAttachGlobal);
	ALLOCATE("registered", 65536, cudaHostRegister, own, (size_t)65536, cudaHostRegisterDefault);
	ALLOCATE("pool", 40000, cudaMallocAsync, &pool, (size_t)40000, stream);
	ALLOCATE("device", 50000, cudaMalloc, &block, (size_t)50000);
	CALL(cudaMemGetInfo, &free_bytes, &all_bytes);
	RELEASE("pool", 40000, cudaFreeAsync, pool, stream);
	CALL(cudaStreamSynchronize, stream);
	RELEASE("pinned", 10000, cudaFreeHost, pinned);
	RELEASE("registered", 65536, cudaHostUnregister, own);
	RELEASE("managed", 30000, cudaFree, managed);
	CALL(cudaFree, NULL);
	/*
	 * `mapped` and `block` are never given back; a peak of the pool that no thread comes near
	 */
	free(own);
}

static void run_events(cudaStream_t stream, cudaStream_t second)
{
	cudaEvent_t start, end;
	float milliseconds;

	cudaEventCreate(&start);
	cudaEventCreate(&end);
	CALL(cudaEventRecord, start, stream);
	LAUNCH(ADD, "stream", add, 1, 32, 0, stream, numbers, 1, 32);
	CALL(cudaEventRecordWithFlags, end, stream, 0u);
	CALL(cudaStreamWaitEvent, second, end, 0u);
	LAUNCH(ADD, "second", add, 1, 32, 0, second, numbers, 1, 32);
	CALL(cudaEventQuery, end);
	cudaGetLastError();
	CALL(cudaStreamQuery, stream);
	cudaGetLastError();
	CALL(cudaEventSynchronize, end);
	CALL(cudaEventElapsedTime, &milliseconds, start, end);
	CALL(cudaStreamSynchronize, second);
	cudaEventDestroy(start);
	cudaEventDestroy(end);
}

static void count_callback(void *counter)
{
	++*(int *)counter;
}

/* What is captured is a call and a launch of its own; a graph that runs is one call, no launch. */
static void run_graphs(cudaStream_t stream)
{
	cudaGraph_t graph = NULL;
	cudaGraphExec_t exec = NULL;
	int called = 0;

	CALL(cudaStreamBeginCapture, stream, cudaStreamCaptureModeThreadLocal);
	for (int i = 0; i < 3; i++)
		LAUNCH(ADD, "stream", add, 16, 256, 0, stream, numbers, 1, ELEMENTS);
	COPY("memset", 128, cudaMemsetAsync, others, 4, 128, stream);
	COPY("DtoD", 256, cudaMemcpyAsync, others, numbers, 256, cudaMemcpyDeviceToDevice, stream);
	CALL(cudaStreamEndCapture, stream, &graph);
	CALL(cudaGraphInstantiateWithFlags, &exec, graph, 0ull);
	CALL(cudaGraphUpload, exec, stream);
	for (int i = 0; i < 20; i++)
		CALL(cudaGraphLaunch, exec, stream);
	CALL(cudaLaunchHostFunc, stream, count_callback, &called);
	CALL(cudaStreamSynchronize, stream);
	CALL(cudaGraphExecDestroy, exec);
	CALL(cudaGraphDestroy, graph);
	if (called != 1)
		tally_unexpected["cudaLaunchHostFunc: the function was not called"]++;
}

/* Each thread has memory of its own, so that what is computed does not depend on their order. */
static void run_thread(int number, int *mine, int *pinned)
{
	cudaStream_t stream = NULL;
	std::string name = "of thread " + std::to_string(number);

	tally_thread = name;
	CALL(cudaSetDevice, 0);
	CALL(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
	for (int i = 0; i < ROUNDS; i++) {
		LAUNCH(ADD, name, add, 4, 256, 0, stream, mine, number, 1024);
		COPY("DtoH", 64, cudaMemcpyAsync, pinned, mine, 64, cudaMemcpyDeviceToHost, stream);
	}
	CALL(cudaStreamSynchronize, stream);
	perthread_calls(mine, host, ROUNDS + number);
}

static void run_threads(void)
{
	std::vector<std::thread> threads;
	int *pinned = NULL;

	ALLOCATE("pinned", BYTES, cudaMallocHost, (void **)&pinned, BYTES);
	for (int i = 0; i < THREADS; i++)
		threads.emplace_back(run_thread, i, others + 1024 * i, pinned + 1024 * i);
	for (std::thread &thread : threads)
		thread.join();
	RELEASE("pinned", BYTES, cudaFreeHost, pinned);
}

/* The driver's function, handed out by name; it works on the runtime's context. */
static void run_entry_point(void)
{
#if CUDART_VERSION >= 12050
	typedef int (*set_bytes)(unsigned long long address, unsigned char value, size_t count);
	cudaDriverEntryPointQueryResult found;
	set_bytes cuMemsetD8_v2 = NULL;

	cudaGetDriverEntryPointByVersion("cuMemsetD8", (void **)&cuMemsetD8_v2, 12000,
					 cudaEnableDefault, &found);
	if (!cuMemsetD8_v2)
		tally_unexpected["cudaGetDriverEntryPointByVersion: found nothing"]++;
	else
		COPY("memset", 512, cuMemsetD8_v2, (unsigned long long)others, 0, 512);
#endif
}

static unsigned long long checksum(void)
{
	unsigned long long sum = 0;

	memset(result, 0, sizeof(result));
	COPY("DtoH", BYTES, cudaMemcpy, result, numbers, BYTES, cudaMemcpyDeviceToHost);
	for (int number : result)
		sum = sum * 31 + (unsigned int)number;
	return sum;
}

int main(void)
{
	cudaStream_t stream = NULL, second = NULL;

	for (int i = 0; i < ELEMENTS; i++)
		host[i] = i;
	tally_variables = sizeof(symbol);
	CALL(cudaSetDevice, 0);
	ALLOCATE("device", BYTES, cudaMalloc, (void **)&numbers, BYTES);
	ALLOCATE("device", BYTES, cudaMalloc, (void **)&others, BYTES);
	COPY("memset", BYTES, cudaMemset, others, 0, BYTES);
	CALL(cudaStreamCreate, &stream);
	CALL(cudaStreamCreateWithPriority, &second, cudaStreamNonBlocking, 0);
	run_copies(stream);
	run_launches(stream);
	run_shapes();
	run_memory(stream);
	run_events(stream, second);
	run_graphs(stream);
	run_errors();
	run_threads();
	run_entry_point();
	CALL(cudaStreamDestroy, second);
	unsigned long long value = checksum();
	RELEASE("device", BYTES, cudaFree, numbers);
	CALL(cudaDeviceSynchronize);
	tally_print(value);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Calls the CUDA driver, linked and by functions that cuGetProcAddress() gave, and prints as JSON
 * what it called (tally.cuh). No runtime. Functions that a program looks up with dlsym() are not
 * here: nobody interposes those.
 */
#include <cuda.h>

#include <cstdlib>

#include "tally.cuh"

#define ELEMENTS 1024
#define BYTES (ELEMENTS * sizeof(int))
#define ROUNDS 20

static const char module_text[] = ".version 7.0\n"
				  ".target sm_52\n"
				  ".address_size 64\n"
				  ".visible .entry increment(.param .u64 numbers)\n"
				  "{\n"
				  "	.reg .b32 %r<2>;\n"
				  "	.reg .b64 %rd<5>;\n"
				  "	ld.param.u64 %rd1, [numbers];\n"
				  "	cvta.to.global.u64 %rd2, %rd1;\n"
				  "	mov.u32 %r1, %tid.x;\n"
				  "	mul.wide.u32 %rd3, %r1, 4;\n"
				  "	add.s64 %rd4, %rd2, %rd3;\n"
				  "	red.global.add.u32 [%rd4], 1;\n"
				  "	ret;\n"
				  "}\n";

static int host[ELEMENTS], result[ELEMENTS];
static CUdevice device;
static CUcontext context;
static CUmodule module_;
static CUfunction increment;
static CUdeviceptr numbers, others;

#define LAUNCH(function, block, where, ...)                                                   \
	tally_launch(TALLY_TEXT(function), "increment", "1 1 1 " #block " 1 1 0", where, \
		     (int)function(__VA_ARGS__))

static void run_start(void)
{
	CALL(cuInit, 0u);
	cuDeviceGet(&device, 0);
	CALL(cuDevicePrimaryCtxRetain, &context, device);
	cuCtxSetCurrent(context);
	CALL(cuModuleLoadData, &module_, module_text);
	CALL(cuModuleGetFunction, &increment, module_, "increment");
	ALLOCATE("device", BYTES, cuMemAlloc, &numbers, BYTES);
	ALLOCATE("device", BYTES, cuMemAlloc, &others, BYTES);
}

static void run_linked(CUstream stream)
{
	void *arguments[] = { &numbers };
	CUlaunchConfig config = {};
	void *pinned = NULL;
	CUdeviceptr pool = 0;

	COPY("HtoD", BYTES, cuMemcpyHtoD, numbers, host, BYTES);
	COPY("HtoD", 100, cuMemcpyHtoDAsync, others, host, 100, stream);
	COPY("DtoD", 200, cuMemcpyDtoD, others, numbers, 200);
	COPY("memset", 300, cuMemsetD8, others, 0, 300);
	COPY("memset", 400, cuMemsetD32Async, others, 0, 100, stream);
	for (int i = 0; i < ROUNDS; i++)
		LAUNCH(cuLaunchKernel, 64, "stream", increment, 1, 1, 1, 64, 1, 1, 0, stream,
		       arguments, NULL);
	config.gridDimX = config.gridDimY = config.gridDimZ = 1;
	config.blockDimX = 32;
	config.blockDimY = config.blockDimZ = 1;
	LAUNCH(cuLaunchKernelEx, 32, "default", &config, increment, arguments, NULL);
	ALLOCATE("pinned", 5000, cuMemHostAlloc, &pinned, 5000, 0);
	ALLOCATE("pool", 6000, cuMemAllocAsync, &pool, 6000, stream);
	RELEASE("pool", 6000, cuMemFreeAsync, pool, stream);
	RELEASE("pinned", 5000, cuMemFreeHost, pinned);
	WANT_FAILURE();
	ALLOCATE("device", 1L << 50, cuMemAlloc, &pool, (size_t)1 << 50);
	CALL(cuStreamSynchronize, stream);
}

/* Finds `name`, or ends the program with what to look at. */
static void *find(const char *name, cuuint64_t flags)
{
	CUdriverProcAddressQueryResult status;
	void *function = NULL;

	if (cuGetProcAddress(name, &function, 12000, flags, &status) || !function) {
		fprintf(stderr, "driver: cuGetProcAddress knows no '%s'\n", name);
		exit(1);
	}
	return function;
}

/* The names that the functions are exported by, to be printed as such. */
static void run_found(CUstream stream)
{
	auto cuMemcpyHtoD_v2_ = (CUresult(*)(CUdeviceptr, const void *, size_t))
		find("cuMemcpyHtoD", CU_GET_PROC_ADDRESS_DEFAULT);
	auto cuMemsetD8_v2_ptds_ = (CUresult(*)(CUdeviceptr, unsigned char, size_t))
		find("cuMemsetD8", CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
	auto launch = (decltype(&cuLaunchKernel))find("cuLaunchKernel", CU_GET_PROC_ADDRESS_DEFAULT);
	auto launch_ptsz = (decltype(&cuLaunchKernel))find(
		"cuLaunchKernel", CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
	void *arguments[] = { &numbers };

	tally_copy("HtoD", 700, tally_call("cuMemcpyHtoD_v2", cuMemcpyHtoD_v2_(others, host, 700)));
	tally_copy("memset", 800,
		   tally_call("cuMemsetD8_v2_ptds", cuMemsetD8_v2_ptds_(others, 0, 800)));
	for (int i = 0; i < ROUNDS; i++) {
		tally_launch("cuLaunchKernel", "increment", "1 1 1 16 1 1 0", "stream",
			     launch(increment, 1, 1, 1, 16, 1, 1, 0, stream, arguments, NULL));
		tally_launch("cuLaunchKernel_ptsz", "increment", "1 1 1 8 1 1 0", "per-thread",
			     launch_ptsz(increment, 1, 1, 1, 8, 1, 1, 0, NULL, arguments, NULL));
		CALL(cuStreamSynchronize, stream);
	}
	CALL(cuCtxSynchronize);
}

/* Physical memory mapped by the program, as PyTorch does for growing segments. */
static void run_virtual(void)
{
	CUmemGenericAllocationHandle handle = 0;
	CUmemAllocationProp properties = {};
	size_t granularity = 0;

	properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	properties.location.id = device;
	cuMemGetAllocationGranularity(&granularity, &properties,
				      CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
	if (!granularity)
		granularity = 2 << 20;
	ALLOCATE("virtual", (long)granularity, cuMemCreate, &handle, granularity, &properties, 0);
	RELEASE("virtual", (long)granularity, cuMemRelease, handle);
}

int main(void)
{
	CUstream stream = NULL;
	unsigned long long value = 0;

	for (int i = 0; i < ELEMENTS; i++)
		host[i] = i;
	run_start();
	CALL(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	run_linked(stream);
	run_found(stream);
	run_virtual();
	COPY("DtoH", BYTES, cuMemcpyDtoH, result, numbers, BYTES);
	for (int number : result)
		value = value * 31 + (unsigned int)number;
	RELEASE("device", BYTES, cuMemFree, numbers);
	CALL(cuStreamDestroy, stream);
	tally_print(value);
	return 0;
}

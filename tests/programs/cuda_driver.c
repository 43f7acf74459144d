/* SPDX-License-Identifier: MIT */
/*
 * Gets the driver's functions by name, as PyTorch, NCCL and Triton do, and calls them.
 *
 * usage: cuda_driver
 */
/* build: -L$O/fake -l:libcudart.so.13 -l:libcuda.so.1 -Wl,-rpath,'$ORIGIN/../fake' */
#include "cuda_client.h"

#define LEGACY 1u
#define PER_THREAD 2u

typedef int (*init_function)(unsigned int flags);
typedef int (*allocate_function)(CUdeviceptr *address, size_t bytes);
typedef int (*free_function)(CUdeviceptr address);
typedef int (*copy_function)(CUdeviceptr to, const void *from, size_t bytes);
typedef int (*set_function)(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream);
typedef int (*load_function)(CUmodule *module, const void *image);
typedef int (*get_function)(CUfunction *function, CUmodule module, const char *name);
typedef int (*launch_function)(CUfunction function, unsigned int gx, unsigned int gy,
			       unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz,
			       unsigned int shared, CUstream stream, void **arguments,
			       void **extra);
typedef int (*launch_ex_function)(const CUlaunchConfig *config, CUfunction function,
				  void **arguments, void **extra);
typedef int (*host_function)(CUstream stream, CUhostFn function, void *data, unsigned int mode);
typedef int (*address_function)(const char *name, void **function, int version, cuuint64_t flags,
				CUdriverProcAddressQueryResult *status);

static address_function find_address = cuGetProcAddress_v2;

static void *by_driver(const char *name, unsigned int flags)
{
	void *function = NULL;

	OK(find_address(name, &function, 13000, flags, NULL));
	EXPECT(function != NULL);
	return function;
}

static void *by_runtime(const char *name)
{
	void *function = NULL;

	OK(cudaGetDriverEntryPointByVersion(name, &function, 12000, 0, NULL));
	EXPECT(function != NULL);
	return function;
}

static CUfunction load(void)
{
	char name[] = "built_at_run_time"; /* not there any more when it is launched */
	CUfunction function;
	CUmodule module;

	OK(((load_function)by_driver("cuModuleLoadData", 0))(&module, "image"));
	OK(((get_function)by_runtime("cuModuleGetFunction"))(&function, module, name));
	memset(name, '?', sizeof(name) - 1);
	return function;
}

static void run_launches(void)
{
	CUfunction function = load(), other;
	launch_function launch = (launch_function)by_driver("cuLaunchKernel", 0);
	launch_function launch_pt = (launch_function)by_driver("cuLaunchKernel", PER_THREAD);
	launch_ex_function launch_ex = (launch_ex_function)by_driver("cuLaunchKernelEx", 0);
	CUlaunchConfig config = { .gridDimX = 3, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 64 };
	CUlibrary library;
	CUkernel kernel;

	for (int i = 0; i < 5; i++)
		OK(launch(function, 1, 2, 3, 32, 1, 1, 0, NULL, NULL, NULL));
	for (int i = 0; i < 6; i++)
		OK(launch_pt(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	OK(cuLibraryLoadData(&library, "image", NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "of_a_library"));
	OK(cuKernelGetFunction(&other, kernel));
	for (int i = 0; i < 7; i++)
		OK(launch_ex(&config, other, NULL, NULL));
	EXPECT(launch((CUfunction)(void *)&config, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) != 0);
}

static void run_memory(void)
{
	allocate_function allocate = (allocate_function)by_runtime("cuMemAlloc");
	free_function give_back = (free_function)by_driver("cuMemFree", 0);
	copy_function copy = (copy_function)by_driver("cuMemcpyHtoD", 0);
	set_function set = (set_function)by_driver("cuMemsetD8Async", PER_THREAD);
	char bytes[64] = "as it was";
	CUdeviceptr address;
	CUmemGenericAllocationHandle handle, there;
	CUmemAllocationProp on_first = { .type = 1, .location = { CUDA_LOCATION_DEVICE, 0 } };
	CUmemAllocationProp on_second = { .type = 1, .location = { CUDA_LOCATION_DEVICE, 1 } };

	for (int i = 0; i < 3; i++) {
		OK(allocate(&address, 64));
		OK(copy(address, bytes, sizeof(bytes)));
		EXPECT(!strcmp((char *)(uintptr_t)address, bytes));
		OK(set(address, 5, 10, NULL));
		OK(give_back(address));
	}
	/* what PyTorch's expandable segments use */
	OK(cuMemCreate(&handle, 2 << 20, &on_first, 0));
	OK(cuMemCreate(&there, 1 << 20, &on_second, 0));
	OK(cuMemRelease(there));
	OK(cuMemAddressReserve(&address, 2 << 20, 0, 0, 0));
	OK(cuMemMap(address, 2 << 20, 0, handle, 0));
	OK(cuMemSetAccess(address, 2 << 20, NULL, 0));
	OK(cuMemUnmap(address, 2 << 20));
	OK(cuMemRelease(handle));
	OK(cuMemAddressFree(address, 2 << 20));
}

static void note(void *data)
{
	*(int *)data = 1;
}

/* The same name stands for other parameters, or another default stream, as it is asked for. */
static void run_meanings(void)
{
	set_function set[3] = { NULL };
	host_function launch = NULL;
	CUdeviceptr address;
	int noted = 0;

	OK(cudaGetDriverEntryPoint("cuLaunchHostFunc", (void **)&launch, 0, NULL));
	OK(launch(NULL, note, &noted, 1));
	EXPECT(noted == 1);
	EXPECT(launch(NULL, note, &noted, 2) != 0);
	OK(find_address("cuLaunchHostFunc", (void **)&launch, 13010, 0, NULL));
	EXPECT(launch(NULL, note, &noted, 3) != 0);
	OK(find_address("cuLaunchHostFunc", (void **)&launch, 13000, 0, NULL));
	OK(launch(NULL, note, &noted, 3)); /* has no fourth parameter */
	OK(cudaGetDriverEntryPoint_ptsz("cuMemsetD8Async", (void **)&set[0], 0, NULL));
	OK(cudaGetDriverEntryPointByVersion_ptsz("cuMemsetD8Async", (void **)&set[1], 12000, 0,
						 NULL));
	OK(cudaGetDriverEntryPoint_ptsz("cuMemsetD8Async", (void **)&set[2], LEGACY, NULL));
	OK(cuMemAlloc_v2(&address, 64));
	for (int i = 0; i < 3; i++)
		OK(set[i](address, 1, 1, NULL));
	OK(cuMemFree_v2(address));
}

int main(void)
{
	void *unknown = NULL;

	OK(((init_function)by_driver("cuInit", 0))(0));
	run_launches();
	run_memory();
	run_meanings();
	/* the function that hands out, handed out */
	find_address = (address_function)by_driver("cuGetProcAddress", 0);
	run_launches();
	OK(cudaGetDriverEntryPoint("cuFunctionOfTheFuture", &unknown, 0, NULL));
	EXPECT(unknown && ((init_function)unknown)(0) == 0);
	return 0;
}

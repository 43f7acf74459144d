/* SPDX-License-Identifier: MIT */
/*
 * Bodies of the fake libcuda: start, devices, contexts, streams, functions by name.
 */
#include "tests/fake/cuda_bodies.h"
#include "tests/fake/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static char contexts[FAKE_DEVICES];

/* As the real driver: once, before the first call returns; "none" is nobody. */
static void injection_load(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	static atomic_flag is_done = ATOMIC_FLAG_INIT;
	int (*initialise)(void);
	void *library;

	if (atomic_flag_test_and_set(&is_done) || !path || !*path || !strcmp(path, "none"))
		return;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	initialise = library ? (int (*)(void))dlsym(library, "InitializeInjection") : NULL;
	if (!initialise || !initialise())
		fprintf(stderr, "fake CUDA: '%s' is no injection library\n", path);
}

/* The runtime starts the driver with its first call. */
FAKE_EXPORT void cuda_fake_start(void);

void cuda_fake_start(void)
{
	injection_load();
}

int do_cuStreamSynchronize(CUstream hStream)
{
	fake_device_wait(hStream, false, 3);
	return 0;
}
PER_THREAD(cuStreamSynchronize, _ptsz)

int do_cuCtxSynchronize(void)
{
	if (!fake_thread.nested)
		fake_device_wait(NULL, true, 4);
	return 0;
}

int do_cuInit(unsigned int Flags)
{
	injection_load();
	return fake_device_count() ? 0 : FAKE_NO_DEVICE - 1;
}

int do_cuDriverGetVersion(int *driverVersion)
{
	const char *version = getenv("FAKE_CUDA_DRIVER"); /* 13030: of 13.3 */

	*driverVersion = version ? atoi(version) : 13020;
	return 0;
}

int do_cuDeviceGet(CUdevice *device, int ordinal)
{
	*device = ordinal;
	return ordinal >= 0 && (unsigned int)ordinal < fake_device_count() ? 0 : FAKE_NO_DEVICE;
}

int do_cuDeviceGetCount(int *count)
{
	*count = (int)fake_device_count();
	return 0;
}

int do_cuDeviceGetAttribute(int *pi, int attrib, CUdevice dev)
{
	*pi = attrib == 75 ? 9 : attrib == 10 ? 32 : attrib == 76 ? 0 : 1;
	return 0;
}

int do_cuDeviceGetName(char *name, int len, CUdevice dev)
{
	snprintf(name, (size_t)len, "Fake of intercept");
	return 0;
}

int do_cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
	*bytes = (size_t)80 << 30;
	return 0;
}

/* --- contexts: one a device --- */

static CUcontext context_of(int device)
{
	return (CUcontext)(void *)&contexts[device];
}

int do_cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
	if (dev < 0 || dev >= FAKE_DEVICES)
		return FAKE_NO_DEVICE;
	*pctx = context_of(dev);
	return 0;
}

int do_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
	*flags = 0;
	*active = 1;
	return 0;
}

int do_cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
	int result = do_cuDevicePrimaryCtxRetain(pctx, dev);

	return result ? result : do_cuCtxSetCurrent(*pctx);
}

int do_cuCtxGetCurrent(CUcontext *pctx)
{
	*pctx = context_of(fake_thread.device);
	return 0;
}

int do_cuCtxSetCurrent(CUcontext ctx)
{
	const char *at = (const char *)ctx;

	if (at >= contexts && at < contexts + FAKE_DEVICES)
		fake_thread.device = (int)(at - contexts);
	return 0;
}

int do_cuCtxPushCurrent_v2(CUcontext ctx)
{
	return do_cuCtxSetCurrent(ctx);
}

int do_cuCtxPopCurrent_v2(CUcontext *pctx)
{
	return do_cuCtxGetCurrent(pctx);
}

int do_cuCtxGetDevice(CUdevice *device)
{
	*device = fake_thread.device;
	return 0;
}

/* --- streams, events, graphs --- */

int do_cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
	return fake_stream_create(phStream, 0);
}

int do_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
	return fake_stream_create(phStream, priority);
}

int do_cuStreamDestroy_v2(CUstream hStream)
{
	return fake_stream_destroy(hStream);
}

int do_cuStreamIsCapturing(CUstream hStream, int *captureStatus)
{
	*captureStatus = fake_stream_graph(hStream) != NULL;
	return 0;
}

int do_cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
	return fake_object_create((void **)phEvent);
}

int do_cuEventDestroy_v2(CUevent hEvent)
{
	return fake_object_free(hEvent);
}

int do_cuEventRecord(CUevent hEvent, CUstream hStream)
{
	return fake_event_record(hEvent, hStream);
}
PER_THREAD(cuEventRecord, _ptsz)

int do_cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
	return fake_event_record(hEvent, hStream);
}
PER_THREAD(cuEventRecordWithFlags, _ptsz)

int do_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
	fake_device_follow(hStream, hEvent);
	return 0;
}
PER_THREAD(cuStreamWaitEvent, _ptsz)

int do_cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
	return fake_event_elapsed(pMilliseconds, hStart, hEnd);
}

int do_cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
	return fake_object_create((void **)phGraph);
}

int do_cuGraphDestroy(CUgraph hGraph)
{
	return fake_object_free(hGraph);
}

int do_cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
				   unsigned long long flags)
{
	return fake_graph_instantiate(phGraphExec, hGraph);
}

int do_cuGraphExecDestroy(CUgraphExec hGraphExec)
{
	return fake_object_free(hGraphExec);
}

int do_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
	fn(userData);
	return 0;
}
PER_THREAD(cuLaunchHostFunc, _ptsz)

/* What CUDA 13.1 and later mean by cuLaunchHostFunc. */
int do_cuLaunchHostFunc_v2(CUstream hStream, CUhostFn fn, void *userData, unsigned int syncMode)
{
	if (syncMode > 1)
		return FAKE_INVALID_VALUE;
	fn(userData);
	return 0;
}

/* --- errors --- */

int do_cuGetErrorString(int error, const char **pStr)
{
	*pStr = error ? "an error of the fake CUDA" : "no error";
	return 0;
}

int do_cuGetErrorName(int error, const char **pStr)
{
	*pStr = error ? "CUDA_ERROR_OF_THE_FAKE" : "CUDA_SUCCESS";
	return 0;
}

/* --- tables of functions without names --- */

/*
 * NVIDIA's own static runtime, as in cuDNN, asks for such tables and calls through them unseen.
 * There are none here. To say so lets it fail as without a device; a success that leaves the table
 * empty makes it jump to NULL.
 */
int do_cuGetExportTable(const void **table, const void *id)
{
	(void)id;
	if (!table)
		return FAKE_INVALID_VALUE;
	*table = NULL;
	return FAKE_NOT_FOUND;
}

/* --- functions by name --- */

/* Handed out for every name that is not there: PyTorch needs something callable. */
static int stub(void)
{
	atomic_fetch_add(&fake_stub_calls, 1);
	return 0;
}

/* `name` is `symbol`, with or without a version and the suffix of the per-thread default stream. */
static bool name_fits(const char *name, const char *symbol)
{
	size_t length = strlen(symbol);

	if (strncmp(name, symbol, length))
		return false;
	name += length;
	if (name[0] == '_' && name[1] == 'v' && name[2] >= '2' && name[2] <= '9')
		name += 3;
	return !*name || !strcmp(name, "_ptsz") || !strcmp(name, "_ptds");
}

static void (*entry_find(const char *symbol, int version, bool per_thread))(void)
{
	const struct cuda_entry *best = NULL;
	unsigned int i;

	for (i = 0; i < cuda_entry_count; i++) {
		const struct cuda_entry *entry = &cuda_entries[i];

		if (!name_fits(entry->name, symbol) || entry->since > version ||
		    (entry->is_per_thread && !per_thread))
			continue;
		if (!best || entry->is_per_thread > best->is_per_thread ||
		    (entry->is_per_thread == best->is_per_thread && entry->since > best->since))
			best = entry;
	}
	return best ? best->function : (void (*)(void))stub;
}

int do_cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
			   CUdriverProcAddressQueryResult *symbolStatus)
{
	if (!symbol || !pfn)
		return FAKE_INVALID_VALUE;
	*pfn = (void *)entry_find(symbol, cudaVersion, flags & CUDA_ENTRY_PER_THREAD);
	if (symbolStatus)
		*symbolStatus = 0;
	return 0;
}

int do_cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
	return do_cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
}

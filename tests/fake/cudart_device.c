/* SPDX-License-Identifier: MIT */
/*
 * Bodies of the fake libcudart: devices, streams, events, graphs.
 */
#include "tests/fake/cudart_bodies.h"
#include "tests/fake/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* sizeof(struct cudaDeviceProp) is this or more in CUDA 12 and 13 */
#define PROPERTIES_BYTES 1008

/* The head of struct cudaDeviceProp of CUDA 13, as far as it is filled in. */
struct device_properties {
	char name[256], uuid[16], luid[8];
	unsigned int luid_mask;
	size_t total_bytes, block_shared_bytes;
	int block_registers, warp_threads;
	size_t pitch_bytes;
	int block_threads, block_size[3], grid_size[3];
	size_t constant_bytes;
	int major, minor;
	size_t texture_alignment, texture_pitch_alignment;
	int processors;
};

#define MULTIPROCESSOR_THREADS_AT 604u /* maxThreadsPerMultiProcessor in CUDA 13's header */

static bool device_is_there(int device)
{
	return device >= 0 && (unsigned int)device < fake_device_count();
}

int do_cudaGetDeviceCount(int *count)
{
	*count = (int)fake_device_count();
	if (!*count)
		return 100; /* cudaErrorNoDevice */
	return 0;
}

int do_cudaGetDevice(int *device)
{
	*device = fake_thread.device;
	return 0;
}

int do_cudaSetDevice(int device)
{
	if (!device_is_there(device))
		return FAKE_NO_DEVICE;
	fake_thread.device = device;
	return 0;
}

int do_cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	struct device_properties properties = {
		.name = "Fake of intercept",
		.total_bytes = (size_t)80 << 30,
		.block_shared_bytes = 48 << 10,
		.block_registers = 65536,
		.warp_threads = 32,
		.pitch_bytes = 1u << 30,
		.block_threads = 1024,
		.block_size = { 1024, 1024, 64 },
		.grid_size = { 0x7fffffff, 65535, 65535 },
		.constant_bytes = 65536,
		.major = 9,
		.texture_alignment = 512,
		.texture_pitch_alignment = 32,
		.processors = 132,
	};
	const int multiprocessor_threads = 2048; /* PyTorch's random numbers divide by it */

	if (!device_is_there(device))
		return FAKE_NO_DEVICE;
	memset(prop, 0, PROPERTIES_BYTES);
	memcpy(prop, &properties, sizeof(properties));
	memcpy((char *)prop + MULTIPROCESSOR_THREADS_AT, &multiprocessor_threads,
	       sizeof(multiprocessor_threads));
	return 0;
}

/* enum cudaDeviceAttr */
static int attribute_of(int attribute)
{
	static const int values[] = {
		[1] = 1024,   [2] = 1024,     [3] = 1024,    [4] = 64,      [5] = 0x7fffffff,
		[6] = 65535,  [7] = 65535,    [8] = 49152,   [9] = 65536,   [10] = 32,
		[12] = 65536, [13] = 1 << 20, [16] = 132,    [31] = 1,      [39] = 2048,
		[41] = 1,     [75] = 9,       [78] = 1,      [81] = 233472, [82] = 65536,
		[83] = 1,     [95] = 1,       [97] = 232448, [106] = 32,    [115] = 1,
	};

	return (size_t)attribute < sizeof(values) / sizeof(*values) ? values[attribute] : 0;
}

int do_cudaDeviceGetAttribute(int *value, int attr, int device)
{
	if (!device_is_there(device))
		return FAKE_NO_DEVICE;
	*value = attribute_of(attr);
	return 0;
}

int do_cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
	*canAccessPeer = device != peerDevice;
	return 0;
}

int do_cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
	snprintf(pciBusId, (size_t)len, "0000:%02x:00.0", device + 1);
	return 0;
}

int do_cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
	*leastPriority = 0;
	*greatestPriority = -5;
	return 0;
}

int do_cudaDriverGetVersion(int *driverVersion)
{
	*driverVersion = 13020;
	return 0;
}

int do_cudaRuntimeGetVersion(int *runtimeVersion)
{
	*runtimeVersion = FAKE_VERSION;
	return 0;
}

/* --- waiting --- */

/* Goes on in the driver's exported function, where one that is interposed is what it meets. */
int do_cudaDeviceSynchronize(void)
{
	int (*synchronize)(void) = NULL;

	fake_device_wait(NULL, true, 4);
	if (cudart_driver("cuCtxSynchronize"))
		synchronize = (int (*)(void))dlsym(RTLD_DEFAULT, "cuCtxSynchronize");
	if (!synchronize)
		return 0;
	fake_thread.self = "cuCtxSynchronize";
	return synchronize();
}

int do_cudaStreamSynchronize(cudaStream_t stream)
{
	fake_device_wait(stream, false, 3);
	return 0;
}
PER_THREAD(cudaStreamSynchronize, _ptsz)

int do_cudaEventSynchronize(cudaEvent_t event)
{
	fake_device_wait_event(event);
	return 0;
}

int do_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	fake_device_follow(stream, event);
	return 0;
}
PER_THREAD(cudaStreamWaitEvent, _ptsz)

int do_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	return fake_event_elapsed(ms, start, end);
}

int do_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return fake_event_record(event, stream);
}
PER_THREAD(cudaEventRecord, _ptsz)

int do_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	return fake_event_record(event, stream);
}
PER_THREAD(cudaEventRecordWithFlags, _ptsz)

int do_cudaEventCreate(cudaEvent_t *event)
{
	return fake_object_create((void **)event);
}

int do_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	return fake_object_create((void **)event);
}

int do_cudaIpcOpenEventHandle(cudaEvent_t *event)
{
	return fake_object_create((void **)event);
}

int do_cudaEventDestroy(cudaEvent_t event)
{
	return fake_object_free(event);
}

/* --- streams --- */

int do_cudaStreamCreate(cudaStream_t *pStream)
{
	return fake_stream_create(pStream, 0);
}

int do_cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
	return fake_stream_create(pStream, 0);
}

int do_cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority)
{
	return fake_stream_create(pStream, priority);
}

int do_cudaStreamDestroy(cudaStream_t stream)
{
	return fake_stream_destroy(stream);
}

int do_cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	*priority = (uintptr_t)stream > 2 ? stream->priority : 0;
	return 0;
}

int do_cudaStreamIsCapturing(cudaStream_t stream, int *status)
{
	*status = fake_stream_graph(stream) != NULL;
	return 0;
}

/* Before CUDA 13 there are three parameters. */
int do_cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id,
				cudaGraph_t *graph)
{
	*status = fake_stream_graph(stream) != NULL;
	if (id)
		*id = (uintptr_t)fake_stream_graph(stream);
	if (FAKE_MAJOR >= 13 && graph)
		*graph = fake_stream_graph(stream);
	return 0;
}

int do_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	return fake_capture_begin(stream, NULL);
}
PER_THREAD(cudaStreamBeginCapture, _ptsz)

int do_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
				     const cudaGraphNode_t *dependencies,
				     const cudaGraphEdgeData *dependencyData,
				     size_t numDependencies, enum cudaStreamCaptureMode mode)
{
	return fake_capture_begin(stream, graph);
}
PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz)

int do_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
	return fake_capture_end(stream, pGraph);
}
PER_THREAD(cudaStreamEndCapture, _ptsz)

/* --- graphs --- */

int do_cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
	return fake_graph_create(graph);
}

int do_cudaGraphInstantiate(void **pGraphExec, void *graph, uintptr_t c, uintptr_t d, uintptr_t e)
{
	return fake_graph_instantiate((CUgraphExec *)pGraphExec, graph);
}

int do_cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
				     unsigned long long flags)
{
	return fake_graph_instantiate(pGraphExec, graph);
}

int do_cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
				      cudaGraphInstantiateParams *instantiateParams)
{
	return fake_graph_instantiate(pGraphExec, graph);
}
PER_THREAD(cudaGraphInstantiateWithParams, _ptsz)

int do_cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
	return fake_object_free(graphExec);
}

int do_cudaGraphDestroy(cudaGraph_t graph)
{
	return fake_object_free(graph);
}

int do_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
	if (!nodes)
		*numNodes = graph->nodes;
	return 0;
}

int do_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
				    void *edges, size_t *count)
{
	*count = 0;
	return 0;
}

int do_cudaUserObjectCreate(void **object)
{
	return fake_object_create(object);
}

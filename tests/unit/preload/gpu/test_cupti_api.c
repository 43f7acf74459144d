/* SPDX-License-Identifier: MIT */
/* links: preload:gpu/gpu_record.c */
/*
 * preload/gpu/cupti_api.h and callbacks.def against the real headers of CUPTI, at compile time
 * where there are some; and records of any length, of which nothing behind their end may be read.
 */
#include "tests/unit/unit.h"
#include "preload/gpu/gpu_records.h"

#ifdef __has_include
#if __has_include( \
	<cupti.h>) && __has_include(<crt/host_defines.h>) /* PyTorch's packages lack these */
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cupti.h>

#define SAME(theirs, field, ours, our_field)                                        \
	_Static_assert(offsetof(theirs, field) == offsetof(struct ours, our_field), \
		       #ours "." #our_field)
#define SAME_HEAD(theirs, ours)              \
	SAME(theirs, start, ours, start_ns); \
	SAME(theirs, end, ours, end_ns);     \
	SAME(theirs, correlationId, ours, correlation)

SAME_HEAD(CUpti_ActivityKernel8, cupti_kernel);
SAME(CUpti_ActivityKernel8, registersPerThread, cupti_kernel, registers);
SAME(CUpti_ActivityKernel8, deviceId, cupti_kernel, device);
SAME(CUpti_ActivityKernel8, gridX, cupti_kernel, grid);
SAME(CUpti_ActivityKernel8, blockX, cupti_kernel, block);
SAME(CUpti_ActivityKernel8, dynamicSharedMemory, cupti_kernel, dynamic_shared);
SAME(CUpti_ActivityKernel8, name, cupti_kernel, name);
SAME(CUpti_ActivityKernel8, graphId, cupti_kernel, graph);
SAME_HEAD(CUpti_ActivityMemcpy5, cupti_memcpy);
SAME(CUpti_ActivityMemcpy5, bytes, cupti_memcpy, bytes);
SAME(CUpti_ActivityMemcpy5, streamId, cupti_memcpy, stream);
SAME(CUpti_ActivityMemcpy5, graphId, cupti_memcpy, graph);
SAME_HEAD(CUpti_ActivityMemcpyPtoP4, cupti_memcpy_peer);
SAME(CUpti_ActivityMemcpyPtoP4, dstDeviceId, cupti_memcpy_peer, destination_device);
SAME(CUpti_ActivityMemcpyPtoP4, graphId, cupti_memcpy_peer, graph);
SAME_HEAD(CUpti_ActivityMemset4, cupti_memset);
SAME(CUpti_ActivityMemset4, memoryKind, cupti_memset, memory);
SAME(CUpti_ActivityMemset4, graphId, cupti_memset, graph);
SAME_HEAD(CUpti_ActivitySynchronization, cupti_synchronization);
SAME(CUpti_ActivitySynchronization, streamId, cupti_synchronization, stream);
SAME(CUpti_ActivityOverhead, start, cupti_overhead, start_ns);
SAME_HEAD(CUpti_ActivityAPI, cupti_call);
SAME(CUpti_ActivityAPI, cbid, cupti_call, id);
SAME(CUpti_ActivityAPI, threadId, cupti_call, thread);
SAME(CUpti_ActivityExternalCorrelation, externalId, cupti_external, id);
SAME(CUpti_ActivityExternalCorrelation, externalKind, cupti_external, whose);
SAME(CUpti_ActivityExternalCorrelation, correlationId, cupti_external, correlation);
SAME(CUpti_ActivityMemory2, memoryOperationType, cupti_memory, operation);
SAME(CUpti_ActivityMemory2, memoryKind, cupti_memory, memory);
SAME(CUpti_ActivityMemory2, correlationId, cupti_memory, correlation);
SAME(CUpti_ActivityMemory2, address, cupti_memory, address);
SAME(CUpti_ActivityMemory2, bytes, cupti_memory, bytes);
SAME(CUpti_ActivityMemory2, timestamp, cupti_memory, timestamp_ns);
SAME(CUpti_ActivityMemory2, streamId, cupti_memory, stream);
SAME(CUpti_ActivityMemory2, isAsync, cupti_memory, is_asynchronous);
SAME(CUpti_ActivityMemory2, memoryPoolConfig, cupti_memory, pool);
SAME_HEAD(CUpti_ActivityGraphTrace, cupti_graph_trace);
SAME(CUpti_ActivityGraphTrace, streamId, cupti_graph_trace, stream);
SAME(CUpti_ActivityGraphTrace, graphId, cupti_graph_trace, graph);
SAME(CUpti_ActivityDevice4, globalMemoryBandwidth, cupti_device, bandwidth_kbs);
SAME(CUpti_ActivityDevice4, numMultiprocessors, cupti_device, multiprocessors);
SAME(CUpti_ActivityDevice4, maxWarpsPerMultiprocessor, cupti_device, sm_warps);
SAME(CUpti_ActivityDevice4, maxSharedMemoryPerMultiprocessor, cupti_device, sm_shared_bytes);
SAME(CUpti_ActivityDevice4, maxRegistersPerMultiprocessor, cupti_device, sm_registers);
SAME(CUpti_ActivityDevice4, maxRegistersPerBlock, cupti_device, block_registers);
SAME(CUpti_ActivityDevice4, maxSharedMemoryPerBlock, cupti_device, block_shared_bytes);
SAME(CUpti_ActivityDevice4, maxThreadsPerBlock, cupti_device, block_threads);
SAME(CUpti_ActivityDevice4, computeCapabilityMajor, cupti_device, major);
SAME(CUpti_ActivityDevice4, id, cupti_device, device);
SAME(CUpti_ActivityDevice4, uuid, cupti_device, uuid);
SAME(CUpti_ActivityDevice4, name, cupti_device, name);
SAME(CUpti_ActivityDevice4, isMigEnabled, cupti_device, is_mig);
SAME(CUpti_ActivityDevice4, migUuid, cupti_device, mig_uuid);
SAME(CUpti_ResourceData, resourceDescriptor, cupti_resource, about);
SAME(CUpti_GraphData, node, cupti_graph_data, node);
SAME(CUpti_GraphData, originalNode, cupti_graph_data, original_node);
SAME(CUpti_GraphData, nodeType, cupti_graph_data, kind);
/* The longest of this version, which CUPTI writes; cases/gpu_layouts.sh names them. */
#ifdef NEWEST_KERNEL
SAME_HEAD(NEWEST_KERNEL, cupti_kernel);
SAME(NEWEST_KERNEL, registersPerThread, cupti_kernel, registers);
SAME(NEWEST_KERNEL, gridX, cupti_kernel, grid);
SAME(NEWEST_KERNEL, blockX, cupti_kernel, block);
SAME(NEWEST_KERNEL, staticSharedMemory, cupti_kernel, static_shared);
SAME(NEWEST_KERNEL, name, cupti_kernel, name);
SAME(NEWEST_KERNEL, graphNodeId, cupti_kernel, graph_node);
SAME(NEWEST_KERNEL, graphId, cupti_kernel, graph);
#endif
#ifdef NEWEST_MEMCPY
SAME_HEAD(NEWEST_MEMCPY, cupti_memcpy);
SAME(NEWEST_MEMCPY, bytes, cupti_memcpy, bytes);
SAME(NEWEST_MEMCPY, graphId, cupti_memcpy, graph);
SAME_HEAD(NEWEST_MEMCPYPTOP, cupti_memcpy_peer);
SAME(NEWEST_MEMCPYPTOP, dstDeviceId, cupti_memcpy_peer, destination_device);
SAME_HEAD(NEWEST_MEMSET, cupti_memset);
SAME(NEWEST_MEMSET, memoryKind, cupti_memset, memory);
SAME_HEAD(NEWEST_SYNCHRONIZATION, cupti_synchronization);
SAME(NEWEST_SYNCHRONIZATION, streamId, cupti_synchronization, stream);
SAME(NEWEST_OVERHEAD, overheadKind, cupti_overhead, what);
SAME(NEWEST_OVERHEAD, start, cupti_overhead, start_ns);
SAME(NEWEST_OVERHEAD, end, cupti_overhead, end_ns);
SAME(NEWEST_MEMORY, address, cupti_memory, address);
SAME(NEWEST_MEMORY, memoryPoolConfig, cupti_memory, pool);
SAME(NEWEST_MEMORY, memoryPoolConfig.address, cupti_memory, pool_address);
SAME(NEWEST_MEMORY, memoryPoolConfig.pool.size, cupti_memory, pool_bytes);
SAME(NEWEST_MEMORYPOOL, memoryPoolOperationType, cupti_memory_pool, operation);
SAME(NEWEST_MEMORYPOOL, memoryPoolType, cupti_memory_pool, pool);
SAME(NEWEST_MEMORYPOOL, correlationId, cupti_memory_pool, correlation);
SAME(NEWEST_MEMORYPOOL, deviceId, cupti_memory_pool, device);
SAME(NEWEST_MEMORYPOOL, address, cupti_memory_pool, address);
SAME(NEWEST_MEMORYPOOL, size, cupti_memory_pool, bytes);
SAME(NEWEST_MEMORYPOOL, timestamp, cupti_memory_pool, timestamp_ns);
SAME(NEWEST_MEMORYPOOL, utilizedSize, cupti_memory_pool, used);
SAME_HEAD(NEWEST_GRAPHTRACE, cupti_graph_trace);
SAME(NEWEST_GRAPHTRACE, streamId, cupti_graph_trace, stream);
SAME(NEWEST_DEVICE, maxThreadsPerBlock, cupti_device, block_threads);
SAME(NEWEST_DEVICE, migUuid, cupti_device, mig_uuid);
#endif
SAME(CUpti_CallbackData, functionReturnValue, cupti_callback, result);
SAME(CUpti_CallbackData, correlationData, cupti_callback, kept);
SAME(CUpti_CallbackData, correlationId, cupti_callback, correlation);

_Static_assert(
	(int)CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == CUPTI_CONCURRENT_KERNEL &&
		(int)CUPTI_ACTIVITY_KIND_MEMCPY == CUPTI_MEMCPY &&
		(int)CUPTI_ACTIVITY_KIND_MEMCPY2 == CUPTI_MEMCPY_PEER &&
		(int)CUPTI_ACTIVITY_KIND_MEMSET == CUPTI_MEMSET &&
		(int)CUPTI_ACTIVITY_KIND_SYNCHRONIZATION == CUPTI_SYNCHRONIZATION &&
		(int)CUPTI_ACTIVITY_KIND_OVERHEAD == CUPTI_OVERHEAD &&
		(int)CUPTI_ACTIVITY_KIND_DEVICE == CUPTI_DEVICE &&
		(int)CUPTI_ACTIVITY_KIND_MEMORY2 == CUPTI_MEMORY &&
		(int)CUPTI_ACTIVITY_KIND_MEMORY_POOL == CUPTI_MEMORY_POOL &&
		(int)CUPTI_ACTIVITY_KIND_GRAPH_TRACE == CUPTI_GRAPH_TRACE &&
		(int)CUPTI_CB_DOMAIN_RESOURCE == CUPTI_RESOURCE &&
		(int)CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED == (int)CUPTI_NODE_CREATED &&
		(int)CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED == (int)CUPTI_NODE_CLONED &&
		(int)CUPTI_ACTIVITY_KIND_KERNEL == CUPTI_KERNEL &&
		(int)CUPTI_ACTIVITY_KIND_DRIVER == CUPTI_DRIVER_CALL &&
		(int)CUPTI_ACTIVITY_KIND_RUNTIME == CUPTI_RUNTIME_CALL &&
		(int)CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION == CUPTI_EXTERNAL_CORRELATION &&
		(int)CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER == CUPTI_ATTRIBUTE_ZEROED &&
		(int)CUPTI_ERROR_NOT_COMPATIBLE == CUPTI_NOT_COMPATIBLE &&
		(int)CUPTI_ERROR_NOT_INITIALIZED == CUPTI_NOT_INITIALISED &&
		(int)CUPTI_ERROR_INVALID_PARAMETER == CUPTI_INVALID_PARAMETER &&
		(int)CUPTI_ERROR_MAX_LIMIT_REACHED == CUPTI_MAX_LIMIT &&
		(int)CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED == CUPTI_MULTIPLE_SUBSCRIBERS,
	"numbers");
/*
 * The second form, which may be used from 13.3 on; parameters of pointers to theirs and to ours are
 * one to the ABI.
 */
#if CUPTI_API_VERSION >= 130300
SAME(CUpti_SubscriberParams, subscriberName, cupti_subscriber_parameters, name);
SAME(CUpti_SubscriberParams, oldSubscriberName, cupti_subscriber_parameters, ret_other);
SAME(CUpti_SubscriberParams, oldSubscriberSize, cupti_subscriber_parameters, other_bytes);
SAME(CUpti_SubscriberParams, allowMultipleSubscribers, cupti_subscriber_parameters, several);
_Static_assert(CUpti_SubscriberParams_STRUCT_SIZE == sizeof(struct cupti_subscriber_parameters) &&
		       (int)CUPTI_ERROR_NOT_SUPPORTED == CUPTI_NOT_SUPPORTED,
	       "cupti_subscriber_parameters");
#define TAKES(name, ...)                                                                       \
	_Static_assert(                                                                        \
		__builtin_types_compatible_p(__typeof__(&name), CUptiResult (*)(__VA_ARGS__)), \
		#name);
TAKES(cuptiSubscribe_v2, CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *,
      CUpti_SubscriberParams *)
TAKES(cuptiActivityRegisterCallbacks_v2, CUpti_SubscriberHandle,
      void (*)(uint8_t **, size_t *, size_t *, CUpti_BufferCallbackRequestInfo *),
      void (*)(uint8_t *, size_t, size_t, CUpti_BufferCallbackCompleteInfo *))
TAKES(cuptiActivityEnable_v2, CUpti_SubscriberHandle, CUpti_ActivityKind, CUpti_ActivityConfig *)
TAKES(cuptiActivityDisable_v2, CUpti_SubscriberHandle, CUpti_ActivityKind, CUpti_ActivityConfig *)
TAKES(cuptiActivityGetNextRecord_v2, CUpti_SubscriberHandle, uint8_t *, size_t, CUpti_Activity **)
TAKES(cuptiActivityGetNumDroppedRecords_v2, CUpti_SubscriberHandle, CUcontext, uint32_t, size_t *)
TAKES(cuptiGetTimestamp_v2, CUpti_SubscriberHandle, uint64_t *)
TAKES(cuptiActivityPushExternalCorrelationId_v2, CUpti_SubscriberHandle,
      CUpti_ExternalCorrelationKind, uint64_t)
TAKES(cuptiActivityPopExternalCorrelationId_v2, CUpti_SubscriberHandle,
      CUpti_ExternalCorrelationKind, uint64_t *)
#endif
/*
 * Older headers lack the newest names, which the list has from CUDA 13.2; newer ones no longer name
 * all of the ids.
 */
#if CUPTI_API_VERSION >= 130200 && CUPTI_API_VERSION < 130300
#define RUNTIME(id, name, constant) \
	_Static_assert(CUPTI_RUNTIME_TRACE_CBID_##constant == (id), #constant);
#define DRIVER(id, name) _Static_assert(CUPTI_DRIVER_TRACE_CBID_##name == (id), #name);
#include "preload/gpu/callbacks.def"
#endif
#endif
#endif

/* Exactly so large as it is said to be: whoever reads beyond is found by the sanitizer. */
TEST(records_of_any_length_are_read_to_their_end)
{
	for (uint32_t kind = 0; kind < CUPTI_KINDS; kind++) {
		for (size_t bytes = 0; bytes < 300; bytes++) {
			uint8_t *record = malloc(bytes ? bytes : 1);
			struct gpu_record r;
			bool is_whole;

			memset(record, 0xa5, bytes ? bytes : 1);
			memcpy(record, &kind, bytes < sizeof(kind) ? bytes : sizeof(kind));
			is_whole = gpu_record_read(record, bytes, &r);
			if (bytes < sizeof(kind))
				assert_false(is_whole);
			if (bytes == 299)
				assert_true(is_whole);
			free(record);
		}
	}
}

TEST(a_kernel_is_read)
{
	struct cupti_kernel kernel = { .kind = CUPTI_CONCURRENT_KERNEL,
				       .start_ns = 10,
				       .end_ns = 30,
				       .device = 3,
				       .grid = { 4, 5, 6 },
				       .static_shared = 7,
				       .dynamic_shared = 8,
				       .correlation = 9,
				       .name = "name" };
	struct gpu_record r;
	const struct evt_gpu_kernel *event = (const void *)r.field;

	assert_true(gpu_record_read(&kernel, sizeof(kernel), &r));
	assert_int_equal(r.event, EVT_gpu_kernel);
	assert_int_equal(r.start_ns, 10);
	assert_int_equal(r.end_ns, 30);
	assert_string_equal(r.name, "name");
	assert_int_equal(event->device, 3);
	assert_int_equal(event->grid_z, 6);
	assert_int_equal(event->shared_bytes, 15);
	assert_int_equal(event->correlation, 9);
	assert_false(gpu_record_read(&kernel, sizeof(kernel) - 1, &r));
}

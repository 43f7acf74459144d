/* SPDX-License-Identifier: MIT */
/*
 * The part of CUPTI that we use, declared here: no toolkit is needed to build, and libcupti is
 * found at run time.
 *
 * An activity record is declared only up to the end of the part that all versions from 11.8 on
 * share; a newer CUPTI appends fields. The length of a record depends on CUPTI's version:
 * cuptiActivityGetNextRecord() knows it, we read only the head.
 * tests/unit/preload/gpu/test_cupti_api.c compares these declarations with the real headers if they
 * are installed.
 */
#ifndef PRELOAD_GPU_CUPTI_API_H
#define PRELOAD_GPU_CUPTI_API_H

#include <stddef.h>
#include <stdint.h>

typedef int cupti_result; /* CUptiResult */
typedef struct CUpti_Subscriber_st *cupti_subscriber;

enum {
	CUPTI_OK = 0,
	CUPTI_INVALID_PARAMETER = 1,
	CUPTI_NOT_COMPATIBLE = 14,
	CUPTI_NOT_INITIALISED = 15,
	CUPTI_INVALID_KIND = 21,
	CUPTI_MAX_LIMIT = 12,
	CUPTI_NOT_SUPPORTED = 27,
	CUPTI_MULTIPLE_SUBSCRIBERS = 39,
	CUPTI_UNKNOWN = 999,
};

enum cupti_kind {
	CUPTI_MEMCPY = 1,
	CUPTI_MEMSET = 2,
	CUPTI_KERNEL =
		/*
		 * as CUPTI_CONCURRENT_KERNEL; never requested, because it makes kernels wait for
		 * each other
		 */
	3,
	CUPTI_CONCURRENT_KERNEL = 10,
	CUPTI_DRIVER_CALL = 4,
	CUPTI_RUNTIME_CALL = 5,
	CUPTI_DEVICE = 8,
	CUPTI_OVERHEAD = 17,
	CUPTI_MEMCPY_PEER = 22, /* MEMCPY2 */
	CUPTI_SYNCHRONIZATION = 38,
	CUPTI_EXTERNAL_CORRELATION = 39,
	CUPTI_MEMORY = 49, /* MEMORY2 */
	CUPTI_MEMORY_POOL = 50,
	CUPTI_GRAPH_TRACE = 51,
	CUPTI_KINDS = 64,
};

enum cupti_domain { CUPTI_DRIVER_API = 1, CUPTI_RUNTIME_API = 2, CUPTI_DOMAINS = 3 };
#define CUPTI_RESOURCE 3       /* a domain whose callbacks are not about calls */
#define CUPTI_NODE_CREATED 13u /* CUPTI_CBID_RESOURCE_GRAPHNODE_... */
#define CUPTI_NODE_CLONED 20u

#define CUPTI_FLUSH_FORCED 1u
#define CUPTI_THREAD_ID_SYSTEM 1
#define CUPTI_ATTRIBUTE_ZEROED 5 /* ..._ATTR_ZEROED_OUT_ACTIVITY_BUFFER */

/* CUpti_CallbackData */
struct cupti_callback {
	uint32_t site; /* 0 before the function, 1 after it */
	const char *function;
	const void *parameters;
	const int *result; /* after it: its result */
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *kept; /* a word that keeps its value from before to after */
	uint32_t correlation;
};

/* CUpti_ResourceData */
struct cupti_resource {
	void *context;
	void *handle;
	const void *about; /* for graphs: a struct cupti_graph_data */
};

/* CUpti_GraphData */
struct cupti_graph_data {
	void *graph, *original;
	void *node, *original_node;
	int kind; /* CUgraphNodeType */
	void *dependency;
	void *exec;
};

typedef void cupti_callback_function(void *user, int domain, uint32_t id,
				     const struct cupti_callback *callback);
typedef uint64_t cupti_timestamp_function(void);
typedef void cupti_buffer_requested(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_records);
typedef void cupti_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
				    size_t valid_bytes);

/* For the second form (see below). `about` is not used. */
typedef void cupti_buffer_requested_of(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_records,
				       void *about);
typedef void cupti_buffer_completed_of(uint8_t *buffer, size_t bytes, size_t valid_bytes,
				       void *about);

/* CUpti_SubscriberParams of 13.3 and later. */
struct cupti_subscriber_parameters {
	size_t bytes;
	const char *name;
	char *ret_other; /* name of a subscriber that was there before */
	size_t other_bytes;
	uint8_t several; /* whether others may subscribe too */
	uint8_t pad[7];
};

/* CUpti_ActivityKernel4 and later. */
struct cupti_kernel {
	uint32_t kind;
	uint8_t cache, shared_config;
	uint16_t registers;
	uint32_t partitioned[2];
	uint64_t start_ns, end_ns, completed_ns;
	uint32_t device, context, stream;
	int32_t grid[3], block[3];
	int32_t static_shared, dynamic_shared;
	uint32_t local_of_thread, local_total;
	uint32_t correlation;
	int64_t grid_id;
	const char *name;
	void *reserved;
	uint64_t queued_ns, submitted_ns;
	uint8_t launch[4];
	uint32_t shared_executed;
	uint64_t graph_node;
	uint32_t shared_limit;
	uint32_t graph;
};

/* CUpti_ActivityMemcpy5 and later. */
struct cupti_memcpy {
	uint32_t kind;
	uint8_t copy, source, destination, flags;
	uint64_t bytes;
	uint64_t start_ns, end_ns;
	uint32_t device, context, stream;
	uint32_t correlation, runtime_correlation;
	uint32_t pad;
	void *reserved;
	uint64_t graph_node;
	uint32_t graph;
};

/* CUpti_ActivityMemcpyPtoP3 and later. */
struct cupti_memcpy_peer {
	uint32_t kind;
	uint8_t copy, source, destination, flags;
	uint64_t bytes;
	uint64_t start_ns, end_ns;
	uint32_t device, context, stream;
	uint32_t source_device, source_context, destination_device, destination_context;
	uint32_t correlation;
	void *reserved;
	uint64_t graph_node;
	uint32_t graph;
};

/* CUpti_ActivityMemset3 and later. */
struct cupti_memset {
	uint32_t kind;
	uint32_t value;
	uint64_t bytes;
	uint64_t start_ns, end_ns;
	uint32_t device, context, stream;
	uint32_t correlation;
	uint16_t flags, memory;
	uint32_t pad;
	void *reserved;
	uint64_t graph_node;
	uint32_t graph;
};

/* CUpti_ActivitySynchronization and later. */
struct cupti_synchronization {
	uint32_t kind;
	uint32_t what; /* CUpti_ActivitySynchronizationType */
	uint64_t start_ns, end_ns;
	uint32_t correlation;
	uint32_t context, stream, event;
};

/* CUpti_ActivityOverhead and later. */
struct cupti_overhead {
	uint32_t kind;
	uint32_t what; /* CUpti_ActivityOverheadKind */
	uint32_t object;
	uint32_t object_id[3];
	uint64_t start_ns, end_ns;
};

/* CUpti_ActivityAPI: a call of the runtime or the driver. */
struct cupti_call {
	uint32_t kind;
	uint32_t id;
	uint64_t start_ns, end_ns;
	uint32_t process, thread;
	uint32_t correlation;
	uint32_t result;
};

/* CUpti_ActivityExternalCorrelation */
struct cupti_external {
	uint32_t kind;
	uint32_t whose; /* CUpti_ExternalCorrelationKind */
	uint64_t id;
	uint32_t correlation;
	uint32_t pad;
};

/* CUpti_ActivityMemory3 and later. */
struct cupti_memory {
	uint32_t kind;
	uint32_t operation, memory;
	uint32_t correlation;
	uint64_t address, bytes, timestamp_ns, pc;
	uint32_t process, device, context, stream;
	const char *name;
	uint32_t is_asynchronous, pad;
	uint32_t pool, pool_pad;
	uint64_t pool_address, pool_threshold, pool_bytes, pool_used;
};

/* CUpti_ActivityMemoryPool2 and later: a pool was created, destroyed or trimmed. */
struct cupti_memory_pool {
	uint32_t kind;
	uint32_t operation, pool;
	uint32_t correlation;
	uint32_t process, device;
	uint64_t kept_bytes, address, bytes, threshold, timestamp_ns, used;
};

/* CUpti_ActivityGraphTrace and later. */
struct cupti_graph_trace {
	uint32_t kind;
	uint32_t correlation;
	uint64_t start_ns, end_ns;
	uint32_t device, graph, context, stream;
};

/* CUpti_ActivityDevice4 and later. */
struct cupti_device {
	uint32_t kind;
	uint32_t flags;
	uint64_t bandwidth_kbs, memory_bytes;
	uint32_t constant_bytes, l2_bytes, warp_threads, clock_khz, copy_engines, multiprocessors;
	uint32_t instructions, sm_warps, sm_blocks, sm_shared_bytes, sm_registers;
	uint32_t block_registers, block_shared_bytes, block_threads;
	uint32_t block_size[3], grid_size[3];
	uint32_t major, minor, device, has_ecc;
	uint8_t uuid[16];
	const char *name;
	uint8_t is_visible, is_mig, reserved[6];
	uint32_t gpu_instance, compute_instance;
	uint8_t mig_uuid[16];
};

/*
 * The functions. CUPTI_FUNCTION(name, parameters, is_needed): if a needed function is missing,
 * nothing is started.
 */
#define CUPTI_FUNCTIONS(FUNCTION)                                                                  \
	FUNCTION(cuptiGetVersion, (uint32_t * ret_version), 1)                                     \
	FUNCTION(cuptiGetTimestamp, (uint64_t * ret_ns), 1)                                        \
	FUNCTION(cuptiSubscribe,                                                                   \
		 (cupti_subscriber * ret_subscriber, cupti_callback_function * callback,           \
		  void *user),                                                                     \
		 1)                                                                                \
	FUNCTION(cuptiUnsubscribe, (cupti_subscriber subscriber), 1)                               \
	FUNCTION(cuptiEnableCallback,                                                              \
		 (uint32_t on, cupti_subscriber subscriber, int domain, uint32_t id), 1)           \
	FUNCTION(cuptiActivityRegisterCallbacks,                                                   \
		 (cupti_buffer_requested * requested, cupti_buffer_completed * completed), 1)      \
	FUNCTION(cuptiActivityEnable, (int kind), 1)                                               \
	FUNCTION(cuptiActivityDisable, (int kind), 1)                                              \
	FUNCTION(cuptiActivityFlushAll, (uint32_t how), 1)                                         \
	FUNCTION(cuptiActivityFlushPeriod, (uint32_t period_ms), 0)                                \
	FUNCTION(cuptiActivityGetNextRecord,                                                       \
		 (uint8_t * buffer, size_t valid_bytes, void **record), 1)                         \
	FUNCTION(cuptiActivityGetNumDroppedRecords,                                                \
		 (void *context, uint32_t stream, size_t *ret_dropped), 0)                         \
	/* nodes of graphs; without them graph work has no place */                                \
	FUNCTION(cuptiGetGraphId, (void *graph, uint32_t *ret_id), 0)                              \
	FUNCTION(cuptiGetGraphNodeId, (void *node, uint64_t *ret_id), 0)                           \
	/* only for another user: gpu_exports.c */                                                 \
	FUNCTION(cuptiActivityRegisterTimestampCallback, (cupti_timestamp_function * timestamp),   \
		 0)                                                                                \
	FUNCTION(cuptiActivitySetAttribute, (int attribute, size_t *bytes, void *value), 0)        \
	FUNCTION(cuptiActivityEnableContext, (void *context, int kind), 0)                         \
	FUNCTION(cuptiActivityDisableContext, (void *context, int kind), 0)                        \
	FUNCTION(cuptiEnableDomain, (uint32_t on, cupti_subscriber subscriber, int domain), 0)     \
	FUNCTION(cuptiEnableAllDomains, (uint32_t on, cupti_subscriber subscriber), 0)             \
	FUNCTION(cuptiSubscribe_v2,                                                                \
		 (cupti_subscriber * ret_subscriber, cupti_callback_function * callback,           \
		  void *user, void *parameters),                                                   \
		 0)                                                                                \
	/* the second form: each subscriber has its own kinds; gpu_form.h */                       \
	FUNCTION(cuptiActivityRegisterCallbacks_v2,                                                \
		 (cupti_subscriber subscriber, cupti_buffer_requested_of * requested,              \
		  cupti_buffer_completed_of * completed),                                          \
		 0)                                                                                \
	FUNCTION(cuptiActivityEnable_v2, (cupti_subscriber subscriber, int kind, void *config), 0) \
	FUNCTION(cuptiActivityDisable_v2, (cupti_subscriber subscriber, int kind, void *config),   \
		 0)                                                                                \
	FUNCTION(cuptiActivityGetNextRecord_v2,                                                    \
		 (cupti_subscriber subscriber, uint8_t * buffer, size_t valid_bytes,               \
		  void **record),                                                                  \
		 0)                                                                                \
	FUNCTION(cuptiActivityGetNumDroppedRecords_v2,                                             \
		 (cupti_subscriber subscriber, void *context, uint32_t stream,                     \
		  size_t *ret_dropped),                                                            \
		 0)                                                                                \
	FUNCTION(cuptiGetTimestamp_v2, (cupti_subscriber subscriber, uint64_t * ret_ns), 0)        \
	FUNCTION(cuptiActivityPushExternalCorrelationId_v2,                                        \
		 (cupti_subscriber subscriber, int whose, uint64_t id), 0)                         \
	FUNCTION(cuptiActivityPopExternalCorrelationId_v2,                                         \
		 (cupti_subscriber subscriber, int whose, uint64_t *ret_last), 0)                  \
	FUNCTION(cuptiFinalize, (void), 0)

#endif

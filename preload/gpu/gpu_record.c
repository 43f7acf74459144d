/* SPDX-License-Identifier: MIT */
/*
 * Converts one activity record of CUPTI to the fields of an event; see gpu_records.h. Reads nothing
 * but the record.
 */
#include "preload/gpu/gpu_records.h"

#include <string.h>

_Atomic uint32_t gpu_number_base;

#define FIELDS(event) (sizeof(struct evt_##event) / sizeof(uint64_t))
#define AT(event, field) (offsetof(struct evt_##event, field) / sizeof(uint64_t))
#define PUT(event, field_, value) (r->field[AT(event, field_)] = (uint64_t)(value))
#define HEAD(event_, from)                      \
	do {                                    \
		r->event = EVT_##event_;        \
		r->fields = FIELDS(event_);     \
		r->start_ns = (from)->start_ns; \
		r->end_ns = (from)->end_ns;     \
	} while (0)

#define NO_DEVICE (-1)
#define CUPTI_POOL_OURS 1u      /* CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL */
#define COPY_IS_ASYNCHRONOUS 1u /* CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC */

static void kernel_read(const struct cupti_kernel *kernel, struct gpu_record *r)
{
	HEAD(gpu_kernel, kernel);
	r->name = kernel->name;
	PUT(gpu_kernel, correlation, gpu_number(kernel->correlation));
	PUT(gpu_kernel, device, kernel->device);
	PUT(gpu_kernel, context, kernel->context);
	PUT(gpu_kernel, stream, kernel->stream);
	PUT(gpu_kernel, grid_x, (uint32_t)kernel->grid[0]);
	PUT(gpu_kernel, grid_y, (uint32_t)kernel->grid[1]);
	PUT(gpu_kernel, grid_z, (uint32_t)kernel->grid[2]);
	PUT(gpu_kernel, block_x, (uint32_t)kernel->block[0]);
	PUT(gpu_kernel, block_y, (uint32_t)kernel->block[1]);
	PUT(gpu_kernel, block_z, (uint32_t)kernel->block[2]);
	PUT(gpu_kernel, shared_bytes,
	    (uint64_t)(uint32_t)kernel->static_shared + (uint32_t)kernel->dynamic_shared);
	PUT(gpu_kernel, registers, kernel->registers);
	PUT(gpu_kernel, graph, kernel->graph);
	r->node = kernel->graph_node;
	r->correlation = gpu_number(kernel->correlation);
}

static void copy_read(const struct cupti_memcpy *copy, struct gpu_record *r)
{
	HEAD(gpu_copy, copy);
	PUT(gpu_copy, correlation, gpu_number(copy->correlation));
	PUT(gpu_copy, device, copy->device);
	PUT(gpu_copy, context, copy->context);
	PUT(gpu_copy, stream, copy->stream);
	PUT(gpu_copy, kind, copy->copy);
	PUT(gpu_copy, source_memory, copy->source);
	PUT(gpu_copy, destination_memory, copy->destination);
	PUT(gpu_copy, bytes, copy->bytes);
	PUT(gpu_copy, asynchronous, copy->flags & COPY_IS_ASYNCHRONOUS);
	PUT(gpu_copy, to_device, NO_DEVICE);
	PUT(gpu_copy, graph, copy->graph);
	r->node = copy->graph_node;
	r->correlation = gpu_number(copy->correlation);
}

static void peer_read(const struct cupti_memcpy_peer *copy, struct gpu_record *r)
{
	HEAD(gpu_copy, copy);
	PUT(gpu_copy, correlation, gpu_number(copy->correlation));
	PUT(gpu_copy, device, copy->source_device);
	PUT(gpu_copy, context, copy->context);
	PUT(gpu_copy, stream, copy->stream);
	PUT(gpu_copy, kind, copy->copy);
	PUT(gpu_copy, source_memory, copy->source);
	PUT(gpu_copy, destination_memory, copy->destination);
	PUT(gpu_copy, bytes, copy->bytes);
	PUT(gpu_copy, asynchronous, copy->flags & COPY_IS_ASYNCHRONOUS);
	PUT(gpu_copy, to_device, copy->destination_device);
	PUT(gpu_copy, graph, copy->graph);
	r->node = copy->graph_node;
	r->correlation = gpu_number(copy->correlation);
}

static void set_read(const struct cupti_memset *set, struct gpu_record *r)
{
	HEAD(gpu_set, set);
	PUT(gpu_set, correlation, gpu_number(set->correlation));
	PUT(gpu_set, device, set->device);
	PUT(gpu_set, context, set->context);
	PUT(gpu_set, stream, set->stream);
	PUT(gpu_set, memory, set->memory);
	PUT(gpu_set, bytes, set->bytes);
	PUT(gpu_set, value, set->value);
	PUT(gpu_set, graph, set->graph);
	r->node = set->graph_node;
	r->correlation = gpu_number(set->correlation);
}

static void wait_read(const struct cupti_synchronization *wait, struct gpu_record *r)
{
	HEAD(gpu_wait, wait);
	PUT(gpu_wait, correlation, gpu_number(wait->correlation));
	PUT(gpu_wait, context, wait->context);
	PUT(gpu_wait, stream, wait->stream);
	PUT(gpu_wait, kind, wait->what);
}

static void overhead_read(const struct cupti_overhead *overhead, struct gpu_record *r)
{
	HEAD(gpu_overhead, overhead);
	PUT(gpu_overhead, kind, overhead->what);
}

/* The event has no duration: both times are the same. */
static void memory_read(const struct cupti_memory *memory, struct gpu_record *r)
{
	r->event = EVT_gpu_memory;
	r->fields = FIELDS(gpu_memory);
	r->start_ns = r->end_ns = memory->timestamp_ns;
	PUT(gpu_memory, operation, memory->operation);
	PUT(gpu_memory, correlation, gpu_number(memory->correlation));
	PUT(gpu_memory, device, memory->device);
	PUT(gpu_memory, context, memory->context);
	PUT(gpu_memory, stream, memory->stream);
	PUT(gpu_memory, memory, memory->memory);
	PUT(gpu_memory, address, memory->address);
	PUT(gpu_memory, bytes, memory->bytes);
	PUT(gpu_memory, asynchronous, memory->is_asynchronous != 0);
	PUT(gpu_memory, pool, memory->pool);
	if (memory->pool != CUPTI_POOL_OURS)
		return;
	PUT(gpu_memory, pool_address, memory->pool_address);
	PUT(gpu_memory, pool_bytes, memory->pool_bytes);
}

/* For a pool of another process there are no sizes. */
static void pool_read(const struct cupti_memory_pool *pool, struct gpu_record *r)
{
	if (pool->pool != CUPTI_POOL_OURS)
		return;
	r->event = EVT_gpu_pool;
	r->fields = FIELDS(gpu_pool);
	r->start_ns = r->end_ns = pool->timestamp_ns;
	PUT(gpu_pool, operation, pool->operation);
	PUT(gpu_pool, correlation, gpu_number(pool->correlation));
	PUT(gpu_pool, device, pool->device);
	PUT(gpu_pool, address, pool->address);
	PUT(gpu_pool, bytes, pool->bytes);
	PUT(gpu_pool, used_bytes, pool->used);
}

static void graph_read(const struct cupti_graph_trace *graph, struct gpu_record *r)
{
	HEAD(gpu_graph, graph);
	PUT(gpu_graph, correlation, gpu_number(graph->correlation));
	PUT(gpu_graph, device, graph->device);
	PUT(gpu_graph, context, graph->context);
	PUT(gpu_graph, stream, graph->stream);
	PUT(gpu_graph, graph, graph->graph);
}

/*
 * The head is copied: records are aligned to 8 bytes only, and the source could change between two
 * reads.
 */
#define READ(type, reader)                           \
	do {                                         \
		struct type head;                    \
                                                     \
		if (bytes < sizeof(head))            \
			return false;                \
		memcpy(&head, record, sizeof(head)); \
		reader(&head, ret_record);           \
	} while (0)

bool gpu_record_read(const void *record, size_t bytes, struct gpu_record *ret_record)
{
	uint32_t kind;

	memset(ret_record, 0, sizeof(*ret_record));
	if (bytes < sizeof(kind))
		return false;
	memcpy(&kind, record, sizeof(kind));
	switch (kind) {
	case CUPTI_KERNEL:
	case CUPTI_CONCURRENT_KERNEL:
		READ(cupti_kernel, kernel_read);
		break;
	case CUPTI_MEMCPY:
		READ(cupti_memcpy, copy_read);
		break;
	case CUPTI_MEMCPY_PEER:
		READ(cupti_memcpy_peer, peer_read);
		break;
	case CUPTI_MEMSET:
		READ(cupti_memset, set_read);
		break;
	case CUPTI_SYNCHRONIZATION:
		READ(cupti_synchronization, wait_read);
		break;
	case CUPTI_OVERHEAD:
		READ(cupti_overhead, overhead_read);
		break;
	case CUPTI_MEMORY:
		READ(cupti_memory, memory_read);
		break;
	case CUPTI_MEMORY_POOL:
		READ(cupti_memory_pool, pool_read);
		break;
	case CUPTI_GRAPH_TRACE:
		READ(cupti_graph_trace, graph_read);
		break;
	case CUPTI_DEVICE:
		ret_record->event = EVT_gpu_device;
		return bytes >= sizeof(struct cupti_device);
	default:
		break;
	}
	return true;
}

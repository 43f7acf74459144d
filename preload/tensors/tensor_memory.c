/* SPDX-License-Identifier: MIT */
/* The wrappers are made from the TORCH lines of hooks.def. */
/* cases: tensor_memory */
#include "preload/tensors/tensor_memory.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/hook/hook.h"
#include "preload/python/listeners.h"
#include "preload/record/limitation.h"
#include "preload/record/recorder.h"
#include "preload/stacks/large.h"
#include "preload/stacks/stack.h"
#include "preload/record/wake.h"
#include "preload/settings/settings.h"
#include "preload/hook/torch_origin.h"
#include "preload/tensors/torch_api.h"

/* number of devices (type and index) whose reserved bytes are remembered; a power of two */
#define DEVICES 2048u

/*
 * True while the CPU allocator's New(), Delete() or OutOfMemory() runs on this thread, so that its
 * own report is not recorded twice. An exception may leave it set until the next such call.
 */
static __thread bool tensor_inside __attribute__((tls_model("initial-exec")));

/* For each device: the reserved bytes at the last record, plus 1. */
static _Atomic uint64_t reserved_seen[DEVICES];

/* The CPU is 0. */
static inline uint64_t device_number(struct torch_device device)
{
	return (uint64_t)(uint8_t)device.type << 8 | (uint8_t)(device.index + 1);
}

static inline _Atomic uint64_t *device_reserved(uint64_t device)
{
	return &reserved_seen[(device >> 8 << 6 ^ device) % DEVICES];
}

/* As CUDA does, torch wakes a dormant program. */
static struct recorder_lane *tensor_enter(void)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_tensors, RECORDER_IN_RECORD);

	if (__builtin_expect(lane != NULL, 1) || recorder_is_open() ||
	    !(settings.trace & 1u << SETTINGS_FAMILY_tensors) || !wake_program())
		return lane;
	return recorder_enter(EVT_FAMILY_tensors, RECORDER_IN_RECORD);
}

/* The stack that INTERCEPT_STACKS asks for; else, for a large block, Python's. */
static inline uint64_t tensor_stack(struct recorder_lane *lane, uint64_t bytes)
{
	uint64_t id = stack_of(lane, EVT_FAMILY_tensors);

	return id ? id : large_stack_of(lane, EVT_FAMILY_tensors, bytes);
}

/*
 * The CPU allocator's reports of a block's begin and end. At the end it does not report the size.
 */
static inline void record_alloc(const void *block, size_t bytes)
{
	struct recorder_lane *lane;

	if (!bytes || !(lane = tensor_enter()))
		return;
	(void)stack_put(lane, tensor_stack(lane, bytes), EVT_tensor_alloc, recorder_now(),
			(uint64_t[]){ (uintptr_t)block, bytes, 0 }, 3);
	recorder_leave(lane);
}

static inline void record_free(const void *block)
{
	struct recorder_lane *lane = tensor_enter();

	if (!lane)
		return;
	(void)recorder_put(lane, EVT_tensor_free, recorder_now(),
			   (uint64_t[]){ (uintptr_t)block, 0, 0 }, 3);
	recorder_leave(lane);
}

struct tensor_report {
	const void *block;
	int64_t bytes; /* negative: the block ends */
	uint64_t allocated, reserved, device;
};

/*
 * Records the caching allocator's totals if it has obtained or returned memory. allocated is the
 * sum of its blocks.
 */
static void record_totals(struct recorder_lane *lane, uint64_t ticks,
			  const struct tensor_report *report)
{
	_Atomic uint64_t *seen = device_reserved(report->device);

	if (!report->device ||
	    atomic_load_explicit(seen, memory_order_relaxed) == report->reserved + 1)
		return;
	atomic_store_explicit(seen, report->reserved + 1, memory_order_relaxed);
	(void)recorder_put(lane, EVT_tensor_totals, ticks,
			   (uint64_t[]){ report->device, report->allocated, report->reserved }, 3);
}

static void record_report(const struct tensor_report *report)
{
	struct recorder_lane *lane;
	uint64_t ticks;

	if (!report->bytes || (tensor_inside && !report->device))
		return;
	lane = tensor_enter();
	if (!lane) {
		/* the totals have changed while nothing was recorded */
		atomic_store_explicit(device_reserved(report->device), 0, memory_order_relaxed);
		return;
	}
	ticks = recorder_now();
	if (report->bytes > 0)
		(void)stack_put(lane, tensor_stack(lane, (uint64_t)report->bytes), EVT_tensor_alloc,
				ticks,
				(uint64_t[]){ (uintptr_t)report->block, (uint64_t)report->bytes,
					      report->device },
				3);
	else
		(void)recorder_put(lane, EVT_tensor_free, ticks,
				   (uint64_t[]){ (uintptr_t)report->block, -(uint64_t)report->bytes,
						 report->device },
				   3);
	record_totals(lane, ticks, report);
	recorder_leave(lane);
}

/* `bytes` could not be allocated. */
static void record_oom(const struct tensor_report *report)
{
	struct recorder_lane *lane;

	if (tensor_inside && !report->device)
		return;
	lane = tensor_enter();
	if (!lane)
		return;
	(void)stack_put(lane, tensor_stack(lane, (uint64_t)report->bytes), EVT_tensor_oom,
			recorder_now(),
			(uint64_t[]){ (uint64_t)report->bytes, report->device, report->allocated,
				      report->reserved },
			4);
	recorder_leave(lane);
}

/* While the original runs, its own report of the same block is ignored. */
#define CPU_ALLOCATED(block, bytes) (record_alloc(block, bytes), tensor_inside = true)
#define CPU_FREED(block) (record_free(block), tensor_inside = true)
#define CPU_OOM(bytes_) \
	(record_oom(&(struct tensor_report){ .bytes = (int64_t)(bytes_) }), tensor_inside = true)

#define REPORTED(block_, bytes_, allocated_, reserved_, device_)          \
	record_report(&(struct tensor_report){ .block = (block_),         \
					       .bytes = (bytes_),         \
					       .allocated = (allocated_), \
					       .reserved = (reserved_),   \
					       .device = device_number(device_) })
#define REPORTED_OOM(bytes_, allocated_, reserved_, device_)           \
	record_oom(&(struct tensor_report){ .bytes = (bytes_),         \
					    .allocated = (allocated_), \
					    .reserved = (reserved_),   \
					    .device = device_number(device_) })

#define TORCH(name, parameters, arguments, record) void name parameters;
#include "preload/tensors/hooks.def"

#define TORCH(name_, parameters, arguments, record)                                          \
	static struct torch_origin origin_##name_ = { .name = #name_ };                      \
                                                                                             \
	HOOK_EXPORT void name_ parameters                                                    \
	{                                                                                    \
		void(*original) parameters = torch_origin_find(&origin_##name_,              \
							       __builtin_return_address(0)); \
                                                                                             \
		record;                                                                      \
		if (__builtin_expect(original != NULL, 1))                                   \
			original arguments;                                                  \
		tensor_inside = false;                                                       \
	}
#include "preload/tensors/hooks.def"

bool tensor_memory_check(void *arguments)
{
	const struct torch_origin *origin = &origin__ZN3c1025ProfiledCPUMemoryReporter3NewEPvm;

	(void)arguments;
	if (!(settings.trace & 1u << SETTINGS_FAMILY_tensors) ||
	    atomic_load(&origin->known[0].caller) ||
	    (!torch_origin_search(&origin__ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE,
				  NULL) &&
	     !torch_origin_search(&origin__ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE,
				  NULL)))
		return true;
	limitation_say(LIMITATION_tensors_unknown, NULL);
	return true;
}

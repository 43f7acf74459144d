/* SPDX-License-Identifier: MIT */
/*
 * CUPTI's life in the process. It starts when the driver starts (InitializeInjection), and its
 * records are taken. It is shared with another user (gpu_share.h), or left to one that cannot share
 * it. At the end it is emptied.
 *
 * CUPTI has a thread of its own that delivers finished work once a second. We have no thread,
 * except in gpu_flusher.h. CUPTI is called with none of our locks held, and never from within a
 * function of the heap.
 */
#ifndef PRELOAD_GPU_GPU_H
#define PRELOAD_GPU_GPU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/gpu/cupti_api.h"

#define GPU_FLUSH_PERIOD_MS 1000u

enum {
	GPU_OFF,
	GPU_STARTING,
	GPU_ON,
	GPU_LEAVING,
	GPU_DETACHED, /* CUPTI has left the process, and comes back when a capture range opens */
	GPU_GONE,     /* final: failed, left to another user, or belongs to the parent */
};

PRELOAD_HIDDEN extern _Atomic int gpu_state; /* only gpu.c changes it */

/* True if CUPTI is ours and records. False in a forked child, because CUPTI is the parent's. */
static inline bool gpu_is_on(void)
{
	return atomic_load_explicit(&gpu_state, memory_order_acquire) == GPU_ON;
}

/* Another user of CUPTI has come by that function. Only the first is recorded. */
void gpu_share_with(const char *function);
/*
 * Another user calls that function of CUPTI: CUPTI is attached if it was detached, and is not
 * detached from here on.
 */
void gpu_others_come(const char *function);
/* A second libcupti was opened, by that path. Only the first is recorded. */
void gpu_copy_found(const char *path);
/*
 * As gpu_share_with(), for a user that cannot share CUPTI with us: it gets all of CUPTI from now
 * on. A second call does nothing.
 */
void gpu_leave_to(const char *function);
/*
 * Gives CUPTI up for a moment: everything it has is delivered, and nothing is requested any more.
 */
void gpu_pause(void);
/*
 * Takes CUPTI back, in the form that is chosen by now. If that fails, CUPTI is left to the user
 * that came by that function.
 */
void gpu_go_on(const char *function);
/*
 * Called from within CUPTI: the program's next call will find out who else has come, and whether
 * CUPTI may become idle.
 */
void gpu_look_soon(void);
/*
 * Whether CUPTI may leave the process while nothing is captured (INTERCEPT_GPU_REST). Kernels that
 * it has reported once leave every later launch slower as long as it is there, even with all
 * records and callbacks off.
 */
bool gpu_can_detach(void);
/*
 * CUPTI leaves the process, and comes back when a capture range opens. Call where a callback for
 * the end of a call is about to return.
 */
void gpu_detach(void);
/* CUPTI has started here, and has not been given up. It may be detached. */
bool gpu_has_started(void);
/*
 * Records of work are wanted from here on, or no more (gpu_windows.h). Call CUPTI, so not from
 * within CUDA.
 */
void gpu_work_wanted(void);
void gpu_work_unwanted(void);
/* Returns when all GPU work has been delivered, or when that takes too long, which is logged. */
void gpu_flush(void);

/* For cuptiActivityRegisterCallbacks(). */
void gpu_buffer_requested(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_records);
void gpu_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			  size_t valid_bytes);
/* Returns how many records CUPTI has lost since the last call. They are recorded as lost. */
size_t gpu_take_dropped(void *context, uint32_t stream);

/* --- gpu_callback.c --- */

/* For cuptiSubscribe(): called before and after calls of CUDA, for us and for the other user. */
void gpu_callback(void *user, int domain, uint32_t id, const struct cupti_callback *callback);
/* The greatest correlation number so far of a call that starts work; 0: none. */
uint32_t gpu_last_correlation(void);
/*
 * CUPTI was finalized, and counts calls from 1 again. `goes_on`: in records the numbers go on
 * behind those so far.
 */
void gpu_callback_renumber(bool goes_on);
/* Allocates the memory in which both users keep a word from a call's begin to its end. */
void gpu_callback_prepare_two(void);

/* --- gpu_exports.c --- */

#define ENTRY(returns, name, parameters) returns name parameters;
#include "preload/gpu/hooks.def"
#undef ENTRY

#endif

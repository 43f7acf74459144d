/* SPDX-License-Identifier: MIT */
/*
 * CUPTI's life in the process. It starts when the driver starts (InitializeInjection); its
 * records are taken; it is shared with another user (gpu_share.h), or left to one who cannot
 * share it; it is emptied at the end.
 *
 * CUPTI has a thread of its own that delivers finished work once a second. We have no thread,
 * except gpu_flusher.h. CUPTI is called with none of our locks held, and never from within a
 * function of the heap.
 */
#ifndef PRELOAD_GPU_GPU_H
#define PRELOAD_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/gpu/cupti_api.h"

#define GPU_FLUSH_PERIOD_MS 1000u

/* It is ours and records. False in a forked child: CUPTI is the parent's. */
bool gpu_is_on(void);

/* Another user of CUPTI has come by that function. The first is recorded. */
void gpu_share_with(const char *function);
/* A second libcupti was opened, by that path. The first is recorded. */
void gpu_copy_found(const char *path);
/* The same, of one that cannot be served beside us: it is theirs from now on. At the second call nothing happens. */
void gpu_leave_to(const char *function);
/* CUPTI is not ours for a moment: all that it has is told, and it is asked for nothing. */
void gpu_pause(void);
/* It is again, in the form that is chosen by now. If it cannot be, it is left to the user who came by that function. */
void gpu_go_on(const char *function);
/* From within CUPTI: the program's next call is to look who else has come, and whether CUPTI may rest. */
void gpu_look_soon(void);
/* Returns when all GPU work has been reported, or when that takes too long, which is logged. */
void gpu_flush(void);

/* For cuptiActivityRegisterCallbacks(). */
void gpu_buffer_requested(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_records);
void gpu_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			  size_t valid_bytes);
/* Records that CUPTI has lost since the last look; they are recorded as lost. */
size_t gpu_take_dropped(void *context, uint32_t stream);

/* --- gpu_callback.c --- */

/* Before and after calls of CUDA, for cuptiSubscribe(): ours and the other user's. */
void gpu_callback(void *user, int domain, uint32_t id, const struct cupti_callback *callback);
/* The greatest number of a call so far that starts work, 0: none. */
uint32_t gpu_last_correlation(void);
/* Room for what both users keep from a call's beginning to its end. */
void gpu_callback_prepare_two(void);

/* --- gpu_exports.c --- */

#define ENTRY(returns, name, parameters) returns name parameters;
#include "preload/gpu/hooks.def"
#undef ENTRY

#endif

/* SPDX-License-Identifier: MIT */
/*
 * CUPTI serves one user. Here two share it: we, and the program's own profiler (torch.profiler),
 * whose calls come through the functions that we export. CUPTI gets the union of both sets of kinds
 * and callbacks, and one subscriber, ours. Its buffers are ours too, and what the other user asked
 * for is copied into its own (gpu_copy.h).
 *
 * Any thread. Threads that subscribe or register wait for each other, at most a second; the rest is
 * atomic.
 */
#ifndef PRELOAD_GPU_GPU_SHARE_H
#define PRELOAD_GPU_GPU_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/gpu/gpu_library.h"

enum gpu_user { GPU_US = 1, GPU_THEM = 2 };

#define GPU_CALLBACK_IDS 1024u /* per domain */
#define GPU_DOMAINS 4          /* CUPTI_RESOURCE is the last domain that we use */

/*
 * Which users want the callback; only for CUPTI_RUNTIME_API, CUPTI_DRIVER_API and CUPTI_RESOURCE.
 */
PRELOAD_HIDDEN extern _Atomic uint8_t gpu_share_callbacks[GPU_DOMAINS][GPU_CALLBACK_IDS];
/* The libcupti that gpu_share_open() has found. */
PRELOAD_HIDDEN extern struct gpu_library gpu_cupti;

/*
 * True if the other user's calls are shared. Not if nothing of the GPU is recorded, nor in a child
 * of a process that uses CUPTI.
 */
bool gpu_share_is_used(void);
/*
 * Returns false if there is no usable CUPTI. *ret_missing is then the function that it lacks, or
 * NULL.
 */
bool gpu_share_open(const char **ret_missing);
/* From here on the other user's calls go to CUPTI unchanged. */
void gpu_share_end(void);
void gpu_share_forked(void);

cupti_result gpu_share_subscribe(enum gpu_user who, cupti_subscriber *ret_subscriber);
cupti_result gpu_share_unsubscribe(enum gpu_user who);
bool gpu_share_has_subscribed(enum gpu_user who);
cupti_result gpu_share_callback(enum gpu_user who, bool on, int domain, uint32_t id);
/* Call once for both users: CUPTI's buffers are ours. */
cupti_result gpu_share_register(void);
cupti_result gpu_share_kind(enum gpu_user who, bool on, int kind);
bool gpu_share_wants(enum gpu_user who, uint32_t kind);
/* CUPTI has forgotten all settings. */
void gpu_share_reset(void);

/* Returns the other user's callback and its argument, or NULL. */
cupti_callback_function *gpu_share_their_callback(void **ret_user);
void gpu_share_set_their_callback(cupti_callback_function *callback, void *user);

#endif

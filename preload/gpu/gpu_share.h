/* SPDX-License-Identifier: MIT */
/*
 * CUPTI serves one user; here two share it: us and the program's own profiler (torch.profiler), whose calls come by the
 * functions that we export. Of the two sets of kinds and callbacks CUPTI has the union, and one subscriber: ours. Its
 * buffers are ours too, and what the other asked for is copied into its own (gpu_copy.h).
 *
 * Any thread. Subscribing and registering wait for each other, a second at most; the rest is atomic.
 */
#ifndef PRELOAD_GPU_GPU_SHARE_H
#define PRELOAD_GPU_GPU_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/gpu/gpu_library.h"

enum gpu_user { GPU_US = 1, GPU_THEM = 2 };

#define GPU_CALLBACK_IDS 1024u /* of a domain */
#define GPU_DOMAINS 4          /* CUPTI_RESOURCE is the last that we use */

/* Which users want the callback; only of CUPTI_RUNTIME_API, CUPTI_DRIVER_API and CUPTI_RESOURCE. */
PRELOAD_HIDDEN extern _Atomic uint8_t gpu_share_callbacks[GPU_DOMAINS][GPU_CALLBACK_IDS];
/* CUPTI, as gpu_share_open() found it. */
PRELOAD_HIDDEN extern struct gpu_library gpu_cupti;

/* Whether the other's calls go by here: not while nothing of the GPU is to be recorded, nor in a child of a user. */
bool gpu_share_is_used(void);
/* False: there is no CUPTI that we can use; *ret_missing is the function that it lacks, or NULL. */
bool gpu_share_open(const char **ret_missing);
/* From here on the other's calls are its own. */
void gpu_share_end(void);
void gpu_share_forked(void);

cupti_result gpu_share_subscribe(enum gpu_user who, cupti_subscriber *ret_subscriber);
cupti_result gpu_share_unsubscribe(enum gpu_user who);
bool gpu_share_has_subscribed(enum gpu_user who);
cupti_result gpu_share_callback(enum gpu_user who, bool on, int domain, uint32_t id);
/* Once for both: CUPTI's buffers are ours. */
cupti_result gpu_share_register(void);
cupti_result gpu_share_kind(enum gpu_user who, bool on, int kind);
bool gpu_share_wants(enum gpu_user who, uint32_t kind);
/* CUPTI has forgotten everything. */
void gpu_share_reset(void);

/* The other's callback and what it is called with, NULL. */
cupti_callback_function *gpu_share_their_callback(void **ret_user);
void gpu_share_set_their_callback(cupti_callback_function *callback, void *user);

#endif

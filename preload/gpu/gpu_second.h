/* SPDX-License-Identifier: MIT */
/*
 * Another user of CUPTI that comes by the second form (gpu_form.h). If we use the second form too,
 * each has its own subscription, and neither sees the other. If we use the first form, we give that
 * up, and return in the second once the other has subscribed. If we have not started, we will use
 * the second. If the other user allows nobody beside it, or asks for something that this CUPTI
 * cannot do for two, it gets all of CUPTI and we leave.
 *
 * Also the functions of the first form for a user that asks dlsym() for them while we use the
 * second form, because CUPTI then refuses its own.
 */
#ifndef PRELOAD_GPU_GPU_SECOND_H
#define PRELOAD_GPU_GPU_SECOND_H

#include <stdbool.h>

#include "preload/gpu/cupti_api.h"

/* True if another user has come by the second form. */
bool gpu_second_is_here(void);
cupti_result gpu_second_subscribe(cupti_subscriber *ret_subscriber,
				  cupti_callback_function *callback, void *user, void *parameters);
/*
 * Returns a replacement for a function of the first form that we do not export; NULL: none is
 * needed.
 */
void *gpu_second_instead(const char *name);

#endif

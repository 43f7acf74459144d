/* SPDX-License-Identifier: MIT */
/*
 * Another user of CUPTI who comes by the second form (gpu_form.h). Where we use it too each has its own, and neither sees
 * the other. Where we use the first, we give that up, and come back by the second once the other has subscribed. Where we have
 * not begun, we shall use the second. What allows nobody beside it, or asks for what this CUPTI cannot give to two, gets all of
 * CUPTI: we go.
 *
 * Also the functions of the first form for one who asks dlsym() for them while we use the second, as CUPTI refuses its own then.
 */
#ifndef PRELOAD_GPU_GPU_SECOND_H
#define PRELOAD_GPU_GPU_SECOND_H

#include <stdbool.h>

#include "preload/gpu/cupti_api.h"

/* Somebody else has come by it. */
bool gpu_second_is_here(void);
cupti_result gpu_second_subscribe(cupti_subscriber *ret_subscriber,
				  cupti_callback_function *callback, void *user, void *parameters);
/* In place of a function of the first form that we do not export, NULL: none is needed. */
void *gpu_second_instead(const char *name);

#endif

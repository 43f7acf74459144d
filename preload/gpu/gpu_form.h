/* SPDX-License-Identifier: MIT */
/*
 * The two forms of CUPTI's activity functions. The first form has one user per process. The second,
 * from CUPTI 13.3 on, takes a subscriber (cuptiSubscribe_v2(), cuptiActivityEnable_v2() and so on):
 * there are several subscribers, each with its own kinds, buffers and callbacks. CUPTI refuses one
 * form while the other is in use. So another user can have records beside us only if it uses the
 * same form as we do, or comes by our functions.
 *
 * We use the first form unless a profiler of the second form is found. That is the case if an
 * object of the process asks ld.so for cuptiSubscribe_v2() and none asks for the first form's
 * buffers, or if somebody has already subscribed by it. A profiler of the first form, such as the
 * released torch.profiler, may set CUPTI's clock, which CUPTI allows only in the first form.
 *
 * Any thread. A thread that subscribes has the turn of gpu_share.c. Nothing of ours is held.
 */
#ifndef PRELOAD_GPU_GPU_FORM_H
#define PRELOAD_GPU_GPU_FORM_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/base/hidden.h"
#include "preload/gpu/cupti_api.h"

/* True if this CUPTI has the second form. CUPTI itself says whether the driver supports it. */
bool gpu_form_has_second(void);
PRELOAD_HIDDEN extern _Atomic bool gpu_form_second;
static inline bool gpu_form_is_second(void)
{
	return atomic_load_explicit(&gpu_form_second, memory_order_acquire);
}
/* Another user has subscribed by the second form, before we do. */
void gpu_form_choose_second(void);
/* Nobody uses CUPTI any more. */
void gpu_form_forget(void);

/* Creates the one subscriber, ours, in the chosen form. */
cupti_result gpu_form_subscribe(void);
cupti_subscriber gpu_form_subscriber(void);
cupti_result gpu_form_unsubscribe(void);

/* In the form that is in use. */
cupti_result gpu_form_register(void);
cupti_result gpu_form_kind(bool on, int kind);
cupti_result gpu_form_next_record(uint8_t *buffer, size_t valid_bytes, void **record);
cupti_result gpu_form_timestamp(uint64_t *ret_ns);
/* Call at the end of a call, in its callback: in the second form CUPTI has no flush period. */
void gpu_form_flush_sometimes(void);
cupti_result gpu_form_dropped(void *context, uint32_t stream, size_t *ret_dropped);

#endif

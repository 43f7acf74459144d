/* SPDX-License-Identifier: MIT */
/*
 * The two forms of CUPTI's activity functions. The first has one user a process. The second, from CUPTI 13.3 on, takes a subscriber (cuptiSubscribe_v2(), cuptiActivityEnable_v2() and so on): several subscribe, each with kinds,
 * buffers and callbacks of its own. CUPTI refuses one form while the other is used. So whoever is to have records beside us must
 * use our form, or come by functions of ours.
 *
 * The first form is taken, unless a profiler of the second is in sight: an object of the process asks ld.so for cuptiSubscribe_v2()
 * and none for the first form's buffers, or somebody has subscribed by it already. A profiler of the first form, torch.profiler as
 * released, may set CUPTI's clock, which CUPTI allows in the first form only.
 *
 * Any thread; whoever subscribes has the turn of gpu_share.c. Nothing of ours is held.
 */
#ifndef PRELOAD_GPU_GPU_FORM_H
#define PRELOAD_GPU_GPU_FORM_H

#include <stdbool.h>

#include "preload/gpu/cupti_api.h"

/* This CUPTI has the second form. Whether it has a driver for it, it says itself. */
bool gpu_form_has_second(void);
bool gpu_form_is_second(void);
/* Somebody else has subscribed by it. Before we do. */
void gpu_form_choose_second(void);
/* Nobody uses CUPTI any more. */
void gpu_form_forget(void);

/* The one subscriber, ours, in the form that is to be used. */
cupti_result gpu_form_subscribe(void);
cupti_subscriber gpu_form_subscriber(void);
cupti_result gpu_form_unsubscribe(void);

/* Of the form that is used. */
cupti_result gpu_form_register(void);
cupti_result gpu_form_kind(bool on, int kind);
cupti_result gpu_form_next_record(uint8_t *buffer, size_t valid_bytes, void **record);
cupti_result gpu_form_timestamp(uint64_t *ret_ns);
/* At the end of a call, in its callback: in the second form CUPTI has no flush period. */
void gpu_form_flush_sometimes(void);
cupti_result gpu_form_dropped(void *context, uint32_t stream, size_t *ret_dropped);

#endif

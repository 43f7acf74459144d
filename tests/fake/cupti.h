/* SPDX-License-Identifier: MIT */
/*
 * The fake libcupti: callbacks and activity records of what the fake device does (device.h).
 *
 * Of CUPTI's own kinds there are calls of the runtime and of the driver (those that start work or
 * wait), the numbers that a user pushes for them, and an overhead of 700 ns with each 64th kernel.
 * A user's clock (RegisterTimestampCallback) counts for what is asked for from then on; what was
 * asked for before keeps CUPTI's.
 *
 * As the real one: callbacks come only for what was subscribed and enabled, records only of kinds
 * that are enabled; a kind's records are laid out as the version says, longer than their common
 * head; one subscriber at a time; RegisterCallbacks replaces, and may come after Enable (as Proton
 * has it). Records wait until the device is done with the work; then a full buffer, FlushAll or the
 * flush period (a thread) hands them out. A forked child gets nothing. From 13.3 on, over a driver
 * of 13.3 (FAKE_CUDA_DRIVER), several may subscribe, as NVIDIA's documentation has it
 * (cupti_second.c): by cuptiSubscribe_v2(), each with kinds and buffers of its own; functions of
 * the first form are refused then, as those of the second are while somebody uses the first.
 * Functions fail by FAKE_CUDA_FAIL (core.h), `others` of the JSON counts their calls. Environment
 * besides:
 *
 *   FAKE_CUPTI_VERSION   11.8, 12.1, 12.9, 13.0, 13.2 (the default), 13.3 or 13.5: lengths of
 *                        records, cuptiGetVersion()
 *   FAKE_CUPTI_CLOCK     nanoseconds that the device's clock is ahead of CLOCK_REALTIME
 *   FAKE_CUPTI_ORDER     reverse: each batch of records the other way round; late: only FlushAll(1)
 *                        hands out
 *   FAKE_CUPTI_THREADS   1: a buffer of each of four groups of threads, filled side by side
 *   FAKE_CUPTI_MIG       1: the devices are parts of GPUs
 *   FAKE_CUPTI_DROP      N: each Nth record is dropped and counted
 *   FAKE_CUPTI_HANG      1: FlushAll(1) never returns
 */
#ifndef TESTS_FAKE_CUPTI_H
#define TESTS_FAKE_CUPTI_H

#include "preload/gpu/cupti_api.h"
#include "tests/fake/device.h"
#include "tests/fake/entry.h"

/* --- cupti_own.c: the kinds that are no work of the device --- */

/* A call of the program has returned: its records and those of the numbers pushed for it. */
void cupti_call_done(const struct fake_call *call, int domain, uint64_t start_ns, int result);
/* Now, as records of calls have it. */
uint64_t cupti_call_now(void);
/* As the kind is asked for. */
void cupti_devices_tell(unsigned int client);
void cupti_overhead_sometimes(const struct fake_work *work);
bool cupti_has_their_clock(void);
/* From the device's times to those of the user's clock. */
void cupti_their_times(struct fake_work *work);

/* --- cupti_calls.c --- */

struct CUpti_Subscriber_st *cupti_subscribe(unsigned int client, cupti_callback_function *callback,
					    void *user);
/* The number of one who has subscribed, 0: nobody, or by the first form. */
unsigned int cupti_client_of(cupti_subscriber subscriber);
/* By the first form; by the second. */
bool cupti_first_is_used(void);
bool cupti_second_is_used(void);

/* --- cupti_records.c: queue and buffers --- */

bool cupti_kind_is_on(const struct fake_work *work);
/* Of anybody. */
bool cupti_has_kind(int kind);
#define CUPTI_CLIENTS 5u /* 0: of the functions without a subscriber */
bool cupti_client_has_kind(unsigned int client, int kind);
void cupti_kind_set(unsigned int client, int kind, bool on);
/* The first buffer is asked for by the call that has something to tell. */
void cupti_buffer_prepare(void);
void cupti_set_buffers(cupti_buffer_requested *requested, cupti_buffer_completed *completed);
void cupti_set_buffers_of(unsigned int client, cupti_buffer_requested_of *requested,
			  cupti_buffer_completed_of *completed);
bool cupti_has_buffers(void);
bool cupti_queue(const struct fake_work *work);
/* Hands out what is done; `all`: all that there is. */
void cupti_flush(bool all);
/* The same, but for buffers that are not full: what CUPTI does by itself once a period. */
void cupti_flush_full(void);
/* Where a launching thread helps: does nothing when somebody is at it. */
bool cupti_queue_is_long(void);
void cupti_flush_some(void);
size_t cupti_take_dropped(void);
uint32_t cupti_version(void);
int cupti_next_record(uint8_t *buffer, size_t valid_bytes, void **record);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Records for the other user of CUPTI: those that it asked for are copied, byte by byte, from our
 * buffers into its own. So CUPTI's buffers are always ours, and the other user gets a buffer only
 * if it contains something of its own. Otherwise it would get buffers after it has gone, and
 * torch.profiler, which counts its buffers, would stop after 128 MiB of records that it did not ask
 * for.
 *
 * If both want a kind, the other user gets the records whose calls were made while it wanted that
 * kind, by their correlation number.
 *
 * Callbacks of CUPTI, any thread; no lock. Nothing of ours is held while the other's functions run.
 */
#ifndef PRELOAD_GPU_GPU_COPY_H
#define PRELOAD_GPU_GPU_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/gpu/gpu_library.h"

/*
 * Takes its pair of functions from cuptiActivityRegisterCallbacks(). Open buffers are delivered to
 * the pair that they came from.
 */
void gpu_copy_register(cupti_buffer_requested *requested, cupti_buffer_completed *completed);
/*
 * The other user wants a kind from here on, or no longer. A first buffer is requested at once, as
 * CUPTI would do at the next call.
 */
void gpu_copy_kind(uint32_t kind, bool on);
/* Takes a buffer of ours that CUPTI has filled. */
void gpu_copy_take(void *context, uint32_t stream, uint8_t *buffer, size_t valid_bytes,
		   cupti_result (*next)(uint8_t *, size_t, void **));
/* The other user has set a flush period: copied records are delivered at once. */
void gpu_copy_set_prompt(bool on);
/* Delivers everything to the other user. Waits at most a second for threads that are copying. */
void gpu_copy_flush(void);
/*
 * gpu_copy_dropped() counts records that the other user did not get. The second function returns
 * those counted since its last call.
 */
void gpu_copy_dropped(size_t dropped);
size_t gpu_copy_take_dropped(void);
void gpu_copy_forked(void);

#endif

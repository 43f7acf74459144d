/* SPDX-License-Identifier: MIT */
/*
 * Records for the other user of CUPTI: out of our buffers into its own, those that it asked for,
 * byte by byte. So CUPTI's buffers are always ours, and the other has only such as hold something
 * of its own: it would else get buffers after it has gone, and torch.profiler, which counts its
 * buffers, would stop at 128 MiB of what it did not ask for.
 *
 * If both want a kind, the other user gets the records whose calls were made while it wanted that
 * kind, by their correlation number.
 *
 * Callbacks of CUPTI, any thread; no lock. Nothing of ours is held while the other's functions
 * run.
 */
#ifndef PRELOAD_GPU_GPU_COPY_H
#define PRELOAD_GPU_GPU_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/gpu/gpu_library.h"

/* Its pair of cuptiActivityRegisterCallbacks(); what the last pair began is handed to that one. */
void gpu_copy_register(cupti_buffer_requested *requested, cupti_buffer_completed *completed);
/* It wants a kind from here on, or no longer. A first buffer is asked for at once, as CUPTI would at the next call. */
void gpu_copy_kind(uint32_t kind, bool on);
/* A buffer of ours that CUPTI has filled. */
void gpu_copy_take(void *context, uint32_t stream, uint8_t *buffer, size_t valid_bytes,
		   cupti_result (*next)(uint8_t *, size_t, void **));
/* It has a flush period: what is copied is handed over at once. */
void gpu_copy_set_prompt(bool on);
/* It gets all that there is. Waits for those who are copying, a second at most. */
void gpu_copy_flush(void);
/*
 * Counts records that the other user did not get; the second call returns those since the last
 * time that it asked.
 */
void gpu_copy_dropped(size_t dropped);
size_t gpu_copy_take_dropped(void);
void gpu_copy_forked(void);

#endif

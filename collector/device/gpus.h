/* SPDX-License-Identifier: MIT */
/*
 * Which GPUs the recorded processes use, as their records tell while they are drained, and the last
 * sample of each (for INTERCEPT_METRICS). A process uses a GPU if CUPTI reports work on it, or if
 * it is the only one that the process can see. CUPTI names a process's GPUs with its first buffer,
 * which may take as long as that buffer needs to fill up. If it names none for GPUS_NAMED_NS after
 * the first launch, which one the process uses is not known.
 *
 * Bounded: GPUS_MAX pairs of process and GPU, GPUS_CALLERS processes without CUPTI; what has no
 * room is counted. Everything in records may be invalid. One thread; exists only while the family
 * `device` is recorded (common.gpus).
 */
#ifndef COLLECTOR_DEVICE_GPUS_H
#define COLLECTOR_DEVICE_GPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"

#define GPUS_MAX 256u
#define GPUS_CALLERS 64u
#define GPUS_CARDS 64u
#define GPUS_UUID_BYTES 48u
#define GPUS_NAMED_NS 15000000000ull

struct gpu_used {
	uint32_t process, device; /* numbers in the file, and of CUDA */
	bool is_visible, has_work;
	char uuid[GPUS_UUID_BYTES], part[GPUS_UUID_BYTES]; /* part: of MIG, "" if none */
};

struct gpus {
	struct gpu_used used[GPUS_MAX];
	uint32_t count, last; /* last: index of the one with the latest work */
	struct gpus_caller {  /* a process that launches kernels */
		uint32_t process;
		uint64_t since_ns;
	} caller[GPUS_CALLERS];
	uint32_t callers, last_caller;
	uint64_t refused;
	struct gpus_sample { /* by number of the card */
		bool is_known;
		char uuid[GPUS_UUID_BYTES];
		struct evt_device_sample sample;
		uint64_t time_ns;
	} card[GPUS_CARDS];
};

struct gpus *gpus_new(void);
void gpus_free(struct gpus *gpus);

/* Returns whether gpus_take() wants the event. */
bool gpus_want(uint32_t id);
/* Takes an event of the process with its fields, names as ids of `names`. */
void gpus_take(struct gpus *gpus, const struct names *names, uint32_t process, uint32_t id,
	       uint64_t ns, const uint64_t *value);
/* The process is gone. */
void gpus_forget(struct gpus *gpus, uint32_t process);

/* Returns whether the process uses it, so that its state is of interest. */
bool gpus_is_used(const struct gpus *gpus, const struct gpu_used *used);
/* Whether a process launches kernels on a GPU that CUPTI does not name: not yet, or not at all. */
enum gpus_unnamed { GPUS_NONE_UNNAMED, GPUS_NOT_YET_NAMED, GPUS_NEVER_NAMED };
enum gpus_unnamed gpus_find_unnamed(const struct gpus *gpus, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Serialises changes to what CUPTI does: one thread at a time. A caller from within CUPTI, which
 * may hold a lock of its own, must not wait for ever. It waits for a second at most, then goes
 * on without its turn. errno is preserved.
 */
#ifndef PRELOAD_GPU_GPU_TURN_H
#define PRELOAD_GPU_GPU_TURN_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/futex.h"

#define GPU_TURN_WAIT_NS 50000000u
#define GPU_TURN_WAITS 20u

struct gpu_turn {
	_Atomic uint32_t busy;
};

static inline void gpu_turn_take(struct gpu_turn *turn)
{
	int saved = errno;

	for (unsigned int i = 0; i < GPU_TURN_WAITS; i++) {
		uint32_t nobody = 0;

		if (atomic_compare_exchange_strong(&turn->busy, &nobody, 1))
			break;
		futex_wait(&turn->busy, 1, GPU_TURN_WAIT_NS);
	}
	errno = saved;
}

/* Returns false if it is another thread's turn. */
static inline bool gpu_turn_try(struct gpu_turn *turn)
{
	uint32_t nobody = 0;

	return atomic_compare_exchange_strong(&turn->busy, &nobody, 1);
}

static inline void gpu_turn_end(struct gpu_turn *turn)
{
	int saved = errno;

	atomic_store(&turn->busy, 0);
	futex_wake(&turn->busy);
	errno = saved;
}

/* In a forked child: the thread that had the turn does not exist. */
static inline void gpu_turn_forked(struct gpu_turn *turn)
{
	atomic_store(&turn->busy, 0);
}

#endif

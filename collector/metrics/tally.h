/* SPDX-License-Identifier: MIT */
/*
 * What INTERCEPT_METRICS shows of the records, added up while they are drained: steps and phases of
 * the loop, work of GPUs, collections, the heap. One struct tally a process; those beyond
 * TALLY_PROCESSES have none and are counted.
 *
 * Records of one thread come in order, those of different threads do not. So a phase is the time of
 * the thread that is in it. Everything in a record may be invalid; nothing here depends on it. One
 * thread; exists only while metrics are wanted (common.tallies).
 */
#ifndef COLLECTOR_METRICS_TALLY_H
#define COLLECTOR_METRICS_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "collector/metrics/busy.h"
#include "collector/metrics/heap_live.h"

#define TALLY_PROCESSES HEAP_LIVE_HEAPS
#define TALLY_DEVICES 16u
#define TALLY_GENERATIONS 3u
#define TALLY_LABELS 8u /* open at once on a thread */
#define TALLY_DEPTH 64u /* operators in each other on a thread */

/* A thread is in the first of its open ones. */
#define TALLY_PHASES(PHASE) \
	PHASE(data)         \
	PHASE(optimizer)    \
	PHASE(backward)
enum tally_phase {
#define PHASE(name) TALLY_PHASE_##name,
	TALLY_PHASES(PHASE)
#undef PHASE
		TALLY_PHASE_NONE,
};

/* Upper bounds of the classes of the histogram of steps, in microseconds. */
#define TALLY_STEP_BOUNDS                                                                    \
	{                                                                                    \
		500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000, \
			2000000, 5000000, 10000000, 30000000, 60000000                       \
	}
#define TALLY_STEP_CLASSES 17u /* the last one has no bound */
extern const uint32_t tally_step_bounds_us[TALLY_STEP_CLASSES - 1];

struct tally_device {
	uint32_t device;
	bool used;
	uint64_t kernels, kernel_ns, copies, copied_bytes;
	struct busy busy;
};

/* Whose tally it is. */
struct tally_owner {
	uint32_t process; /* its number in the file; 0: unused */
	uint32_t pid;     /* in the program's own pid namespace */
	uint64_t rank;    /* region_rank(), 0: none */
};

struct tally {
	struct tally_owner owner;
	uint64_t steps, step_ns, last_step_ns, step_number;
	uint64_t step_at_ns; /* when the one under way began; 0: none is */
	uint64_t step_class[TALLY_STEP_CLASSES];
	uint64_t phase_ns[TALLY_PHASE_NONE];
	bool operators_sampled; /* not all functions of backward passes are recorded */
	bool has_phases;
	uint64_t collections[TALLY_GENERATIONS], collection_ns;
	bool has_collections, has_heap;
	struct tally_device device[TALLY_DEVICES];
	uint64_t gpu_lost;
	uint32_t captures; /* times that recording began or stopped */
};

struct tally_thread {
	uint32_t stream, process;
	uint32_t captures; /* of the tally when its scopes began */
	struct tally *tally;
	enum tally_phase phase;
	uint64_t since_ns;               /* it is in the phase from then on */
	uint32_t open[TALLY_PHASE_NONE]; /* scopes */
	uint64_t is_backward;            /* one bit an open operator, the innermost is bit 0 */
	struct tally_label {
		uint64_t function; /* 0: unused */
		enum tally_phase phase;
	} label[TALLY_LABELS];
	uint64_t collection_at_ns, generation;
};

struct names;
struct tallies {
	struct tally tally[TALLY_PROCESSES];
	struct tally_thread *thread; /* one per ring */
	uint8_t *phase_of;           /* of names, by id: 1 + enum tally_phase, 0: none */
	uint32_t phase_room;
	struct heap_live heap;
	uint64_t refused; /* processes without a tally */
};

struct tallies *tallies_new(struct names *names, uint32_t rings);
void tallies_free(struct tallies *tallies);

/* The thread of the ring with that index begins; the claim of the ring has that number. */
void tally_begin_thread(struct tallies *tallies, uint32_t ring, uint32_t stream,
			const struct tally_owner *owner);
/* NULL if its process has no tally. */
static inline struct tally_thread *tally_thread_at(struct tallies *tallies, uint32_t ring)
{
	struct tally_thread *thread = &tallies->thread[ring];

	return thread->tally && thread->tally->owner.process == thread->process ? thread : NULL;
}
/* The process is gone and its last figures are written. */
void tally_forget(struct tallies *tallies, struct tally *tally);
/* No work that began before that is expected any more. */
void tallies_settle(struct tallies *tallies, uint64_t upto_ns);

/* True for the events that tally_take() looks at. */
extern const uint8_t tally_wants[EVT_ID_LIMIT];
/* Takes an event of a thread with its fields. Not for the heap. */
void tally_take(struct tallies *tallies, struct tally_thread *thread, uint32_t id, uint64_t ns,
		const uint64_t *value);

static inline unsigned int tally_heap(const struct tallies *tallies,
				      const struct tally_thread *thread)
{
	return (unsigned int)(thread->tally - tallies->tally);
}

static inline void tally_born(struct tallies *tallies, const struct tally_thread *thread,
			      uint64_t address, uint64_t bytes)
{
	thread->tally->has_heap = true;
	heap_live_born(&tallies->heap, tally_heap(tallies, thread), address, bytes);
}

static inline void tally_dies(struct tallies *tallies, const struct tally_thread *thread,
			      uint64_t address)
{
	heap_live_dies(&tallies->heap, tally_heap(tallies, thread), address);
}

#endif

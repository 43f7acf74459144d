/* SPDX-License-Identifier: MIT */
/*
 * Samples the Python threads of all live processes from outside, at a fixed average rate. The
 * programs do nothing for it and are never stopped.
 *
 * A thread that has not run since its last sample is not read again. Samples are pending here until
 * the next frame is written. The pause between two samples is random, so that no program can be in
 * step with it, and grows if sampling takes more than a twentieth of the collector's time. One
 * thread.
 */
#ifndef COLLECTOR_SAMPLES_SAMPLES_H
#define COLLECTOR_SAMPLES_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/processes/processes.h"
#include "collector/samples/codes.h"
#include "collector/samples/memory.h"
#include "collector/samples/places.h"
#include "collector/samples/prompt.h"
#include "collector/samples/stack.h"
#include "collector/samples/thread_look.h"

#define SAMPLES_THREADS_MAX 4096u
#define SAMPLES_WAITING_MAX 65536u
#define SAMPLE_WEIGHT 64u /* the weight of a sample that surely found its thread on a CPU */

struct sample {
	uint64_t time_ns;
	uint32_t stream, order;
	uint32_t place, state, cpu_us, ready_us, looks;
	uint32_t holder, holder_place;     /* of the GIL, as python_sample has them */
	uint32_t call, owner, owner_place; /* the same */
	bool is_unclear;
	/* its part in the thread's CPU time beside the other samples, 0 to SAMPLE_WEIGHT */
	uint8_t weight;
	bool calls; /* it ran C code that was called by its innermost line */
};

/* How a thread is treated when its process is sampled. */
enum sample_plan {
	PLAN_NONE,  /* it has ended, or its CPU time cannot be read */
	PLAN_SKIP,  /* it has been idle for long: this look leaves it out */
	PLAN_BEGIN, /* the first look at it */
	PLAN_REST,  /* it has not run since its last sample: its stack is the same */
	PLAN_WATCH, /* the same so far, but it may get a CPU before its stack is read */
	PLAN_WALK,
};

struct sampled_thread {
	uint32_t process, tid; /* process: its number in the file */
	uint32_t stream;       /* in the file */
	uint64_t address, gil; /* addresses of its thread state and of the GIL that it needs */
	struct thread_files files;
	struct thread_look look; /* the last one */
	enum sample_plan plan;
	struct memory_hints hints;
	struct stack_known known;
	uint64_t cpu_ns, ready_ns; /* reported so far */
	uint64_t owed_us;          /* CPU time of these that no sample stands for yet */
	struct sample last;        /* looks 0: none is pending */
	/*
	 * The last sample that was written, with the CPU time that it and those before it have, as
	 * far as no sample of a running thread came after; looks 0: none
	 */
	struct sample told;
	bool has_begun;
	struct thread_moment moment; /* when its stack was read */
	struct stack_mark mark;      /* just before */
	uint64_t early_ns, late_ns;  /* steady, when what the kernel had counted was known */
	uint64_t read_ns;            /* steady, when its stack was read */
	uint32_t waited;             /* place where it waited last */
	uint32_t unseen; /* looks in a row that found it able to run, but not on a CPU */
	uint32_t idle;   /* looks since it last ran */
	uint32_t skip;   /* looks to leave out before the next one */
	/* looks that were left out while `last` was no sample yet */
	uint32_t left_out;
	uint64_t seen; /* number of the last look at its process that listed it */
};

struct sampled_process {
	uint32_t number, serial;     /* 0: none */
	struct python_layout layout; /* minor 0: not known */
	struct memory_hints hints;
	struct evt_python_sampling told, now;
	uint64_t seen;
	uint64_t base_ns;   /* CPU time of the process before its first look; 0: none yet */
	uint64_t told_ns;   /* of its threads since */
	uint64_t region_at; /* address of our region in it; 0: not known */
	uint32_t failures;  /* looks in a row that could not be made */
	bool was_read;
};

struct samples {
	struct common *common;
	struct processes *processes;
	uint32_t *stream_numbers; /* where numbers of streams come from */
	struct memory memory;
	struct places places;
	struct codes codes;
	struct sampled_process process[REGION_PROCESSES];
	struct sampled_thread *thread;
	uint32_t thread_count, thread_room;
	struct sample *waiting;
	uint32_t waiting_count, waiting_room;
	uint64_t next_ns;   /* steady; 0: there is nothing to sample */
	uint64_t looked_ns; /* steady time of the last look that found a process; 0: none */
	uint64_t since_ns;  /* from that to this look; 0: it is the first */
	/* when we got our CPU for this look, by thread_switched_ns(); 0: the look is late */
	uint64_t switched_ns;
	bool is_prompt;   /* this look came when it was due */
	bool is_blind;    /* the kernel does not tell whether it did */
	bool is_late;     /* we had to wait until another thread gave up its CPU */
	uint64_t cpu_ns;  /* of the collector, at the end of the last look */
	uint64_t read_ns; /* steady, when the stacks of a process were read */
	struct prompt prompt;
	uint64_t random, looks;
	uint32_t rest; /* looks that are left out before the next one, as all threads skip them */
	bool is_ready;
	/* tells threads on a CPU from queued ones; off in tests, whose threads share our CPU */
	bool sees_queues;
};

/* Returns -1 if there is no memory; then there are no samples. */
int samples_init(struct samples *samples, struct common *common, struct processes *processes,
		 uint32_t *stream_numbers);
void samples_release(struct samples *samples);

/* Takes a sample of all threads if it is time. `steady_ns`: now. */
void samples_take(struct samples *samples, uint64_t steady_ns);

/* Makes the threads' last looks samples of the next frame; reports counters that have changed. */
void samples_settle(struct samples *samples, uint64_t now_ns);
/* Puts pending samples into blocks of their streams; returns how many. */
uint32_t samples_write(struct samples *samples, struct frame_writer *fw);

/* Puts the last sample of each thread into blocks of its stream. Returns false without room. */
bool samples_write_told(const struct samples *samples, struct frame_writer *fw);

/* Makes the thread's last look a sample. */
void samples_settle_thread(struct samples *samples, struct sampled_process *process,
			   struct sampled_thread *thread);
/*
 * Returns the thread, or NULL if it is not sampled. The search begins at *next, because
 * interpreters list threads in the same order each time.
 */
struct sampled_thread *samples_thread_of(struct samples *samples, uint32_t process, uint32_t tid,
					 uint32_t *next);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Samples the Python threads of all live processes from outside, at a fixed average rate. The
 * programs do nothing for it and are never stopped.
 *
 * A thread that has not run since its last sample is not read again. Samples wait here until the
 * next frame is written. The pause between two samples varies, so that no program can be in step
 * with it, and grows when sampling takes more than a twentieth of the collector's time. One
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
#define SAMPLE_WEIGHT 64u /* of one that surely found its thread on a CPU */

struct sample {
	uint64_t time_ns;
	uint32_t stream, order;
	uint32_t place, state, cpu_us, ready_us, looks;
	uint32_t holder, holder_place;     /* of the GIL, as python_sample has them */
	uint32_t call, owner, owner_place; /* the same */
	bool is_unclear;
	uint8_t weight; /* of it among those of its thread that share in the CPU time, 0 to SAMPLE_WEIGHT */
	bool calls; /* it ran C code that its innermost line had called */
};

/* How a thread is treated when its process is sampled. */
enum sample_plan {
	PLAN_NONE,  /* it has gone, or has no CPU time that can be read */
	PLAN_SKIP,  /* it has done nothing for long */
	PLAN_BEGIN, /* the first look: whether it has run is asked then */
	PLAN_REST,  /* it has not run: all is as it was */
	PLAN_WATCH, /* the same so far, but it may get a CPU before its stack is read */
	PLAN_WALK,
};

struct sampled_thread {
	uint32_t process, tid; /* process: its number in the file */
	uint32_t stream;       /* in the file */
	uint64_t address, gil; /* of its state in the process, and of the lock that it needs */
	struct thread_files files;
	struct thread_look look; /* the last one */
	enum sample_plan plan;
	struct memory_hints hints;
	struct stack_known known;
	uint64_t cpu_ns, ready_ns; /* told so far */
	uint64_t owed_us;          /* of that, CPU time that no sample stands for yet */
	struct sample last;        /* looks 0: none is to be told */
	bool has_begun;
	struct thread_moment moment; /* when its stack was read */
	struct stack_mark mark;      /* just before */
	uint64_t early_ns, late_ns;  /* steady, when what the kernel had counted was known */
	uint64_t read_ns;            /* steady, when its stack was read */
	uint32_t waited;             /* place where it waited last */
	uint32_t unseen; /* looks that found it able to run and not on a CPU, in a row */
	uint32_t idle;   /* looks since it last ran */
	uint32_t skip;   /* looks that are left out before the next one */
	uint64_t seen;   /* the look at its process that it was in */
};

struct sampled_process {
	uint32_t number, serial;     /* 0: none */
	struct python_layout layout; /* minor 0: not known */
	struct memory_hints hints;
	struct evt_python_sampling told, now;
	uint64_t seen;
	uint64_t base_ns;  /* CPU time of the process before its first look; 0: none yet */
	uint64_t told_ns;  /* of its threads since */
	uint32_t failures; /* looks in a row that could not be made */
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
	uint64_t next_ns;   /* steady; 0: nothing to be looked at */
	uint64_t looked_ns; /* steady, of the last look that saw a process; 0: none */
	uint64_t since_ns;  /* from that to this look; 0: it is the first */
	uint64_t
		switched_ns; /* when we got our CPU for this look, thread_switched_ns(); 0: it came late */
	bool is_prompt;   /* this look came when it was due */
	bool is_blind;    /* the kernel does not tell that */
	bool is_late;     /* we had to wait for our CPU until another gave it up */
	uint64_t cpu_ns;  /* of the collector, at the end of the last look */
	uint64_t read_ns; /* steady, when the stacks of a process were read */
	struct prompt prompt;
	uint64_t random, looks;
	bool is_ready;
	bool sees_queues; /* tells threads on a CPU from those in a queue; tests, whose threads share ours, do without */
};

/* -1: no memory; then there are no samples. */
int samples_init(struct samples *samples, struct common *common, struct processes *processes,
		 uint32_t *stream_numbers);
void samples_release(struct samples *samples);

/* When it is time. Steady times. */
void samples_take(struct samples *samples, uint64_t steady_ns);

/* Writes what is known of threads with the next frame, then the counters that have changed. */
void samples_settle(struct samples *samples, uint64_t now_ns);
/* Puts what waits into blocks of its streams; returns how many. */
uint32_t samples_write(struct samples *samples, struct frame_writer *fw);

/* What was seen of the thread last is a sample from now on. */
void samples_settle_thread(struct samples *samples, struct sampled_process *process,
			   struct sampled_thread *thread);
/* *next is where the search begins: interpreters list threads in the same order each time. NULL: it was not looked at. */
struct sampled_thread *samples_thread_of(struct samples *samples, uint32_t process, uint32_t tid,
					 uint32_t *next);

/* The pause after a look that took so long. */
uint64_t samples_period_ns(unsigned int hz, uint64_t spent_ns);

#endif

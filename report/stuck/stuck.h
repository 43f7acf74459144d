/* SPDX-License-Identifier: MIT */
/*
 * What a program does that does not go on: of each process since when nothing has changed, in
 * which collective it is, and which it never entered; and sentences about that.
 *
 * A process stands still if its loop's thread (that which marks the steps, else the main thread)
 * stays at one line without CPU time, and neither a step nor a collective of the process begins or
 * ends. It is stuck if it stands still for STUCK_NS at the end of what was recorded, and for
 * STUCK_STEPS times its longest step. A rank that left, by its end or by a crash, does not stand
 * still. Sentences say what was seen; who is to blame only where the data leave no choice
 * (stuck_calls.c).
 *
 * Everything belongs to the run and to `struct stuck`. To be used by one thread, once all is read.
 */
#ifndef REPORT_STUCK_STUCK_H
#define REPORT_STUCK_STUCK_H

#include "report/advice/wait_places.h"
#include "report/stuck/full_writes.h"
#include "report/stuck/last_looks.h"
#include "report/stuck/open_waits.h"
#include "report/torch/collectives.h"

#define STUCK_NS 5000000000u
#define STUCK_STEPS 3u
#define STUCK_BY_DEBUGGER 2u /* source_process.stopped */
#define STUCK_NAME_BYTES 96u
#define STUCK_PLACE_BYTES 600u

/* A collective as a process sees it: how often it began, and the oldest call that did not end. */
struct stuck_call {
	uint32_t name, process; /* indices */
	uint64_t begun, ended;
	uint64_t
		/* begin of the oldest open call, which is number ended + 1; 0: none is open */
		open_ns;
	uint64_t moved_ns; /* when one of them began or ended last */
};

struct stuck_process {
	const struct source_process *process;
	uint64_t rank;                /* UINT64_MAX: none */
	const struct last_look *main; /* NULL: it was not sampled */
	uint64_t until_ns;            /* up to then it is known what it did */
	uint64_t moved_ns;            /* when anything changed last */
	bool left;                    /* it ended while others went on, or by itself */
	bool is_idle;                 /* its loop's thread waits for requests or tasks */
	bool is_stuck;
};

struct stuck {
	struct source *source;
	const struct last_looks *looks;
	const struct samples *samples;
	const struct collectives *collectives;
	const struct full_writes *writes;
	const struct open_waits *waits;
	struct own own;
	/* by the filters: all is as of the last look that counts, and no end is known */
	bool is_cut;
	bool has_cycle; /* threads wait for each other's locks: certain, in whatever program */
	struct stuck_process *process; /* of all processes, by index */
	size_t process_count;
	struct stuck_call *call; /* sorted by name, then process; only calls of ranks */
	size_t call_count;
	uint64_t until_ns; /* the latest of all processes */
	char **sentence;   /* in `texts`; the first one is the verdict */
	size_t sentence_count, sentence_room;
	struct text_store texts;
};

struct options;
/*
 * Of a rank, or of a process that has steps: of others it is not known whether they have anything
 * to do.
 */
bool stuck_is_training(const struct stuck *stuck);

/* Wants what is read; stuck_find() is called once all is read. */
void stuck_want(struct stuck *stuck, struct run *run);
void stuck_find(struct stuck *stuck, const struct options *options);
void stuck_release(struct stuck *stuck);

/* For stuck_find(): counts the collectives of ranks; finds who has not entered one, and says so. */
void stuck_calls_find(struct stuck *stuck);
void stuck_calls_say(struct stuck *stuck);
/* Says which rank had ended without an error before `failed` did, but in fewer collectives. */
void stuck_calls_say_left(struct stuck *stuck, const struct stuck_process *failed);
/* The call of that process that has been open for the longest time; NULL: none is open. */
const struct stuck_call *stuck_call_of(const struct stuck *stuck, uint32_t process);

/* Of processes without Python: threads that wait for each other; what the main thread is in. */
void stuck_open_say_cycles(struct stuck *stuck);
void stuck_open_say_main(struct stuck *stuck);

/* printf() of one more sentence. */
void stuck_say(struct stuck *stuck, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sentences on what the process waits for, if that is in it or in a child of it. */
void stuck_say_around(struct stuck *stuck, uint32_t process);
/* "rank 2", "process 4711"; "process 4711 of rank 2" if that rank is another one, its parent. */
const char *stuck_name(const struct stuck *stuck, uint32_t process, char text[STUCK_NAME_BYTES]);
/* "train.py:15 (load), waiting for a lock ..."; of a thread that runs without what it waits for. */
void stuck_place_text(const struct stuck *stuck, const struct last_look *look,
		      char text[STUCK_PLACE_BYTES]);
/* How it ended: "was killed by SIGKILL", "ended with status 3" */
const char *stuck_end_text(const struct source_process *process, char text[STUCK_NAME_BYTES]);
/*
 * Adds to the last sentence, which says how that process ended, what the OOM killer did then, if
 * anything is known.
 */
void stuck_say_oom(struct stuck *stuck, const struct source_process *process);
/* What it waits for, in words; NULL: it runs. */
const char *stuck_waits_for(const struct stuck *stuck, const struct last_look *look,
			    char text[STUCK_PLACE_BYTES]);
/* The thread that holds the lock, or the GIL, that this one waits for; 0: not known. */
uint32_t stuck_holder(const struct stuck *stuck, const struct last_look *look);

#endif

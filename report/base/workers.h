/* SPDX-License-Identifier: MIT */
/*
 * Threads that run jobs in the order in which they were submitted, besides the one thread that
 * submits and waits for them. A job belongs to these threads from workers_put() until
 * workers_wait() or workers_take_back() returns. Meanwhile nobody else may touch what it works on.
 */
#ifndef REPORT_BASE_WORKERS_H
#define REPORT_BASE_WORKERS_H

/* The number of threads of a run in all, at most four. 1: everything is done by one. */
#define WORKERS_VARIABLE "PROF_REPORT_THREADS"

struct workers;

struct job {
	void (*run)(struct job *job);
	/* private to workers.c */
	enum job_state { JOB_IDLE, JOB_WAITS, JOB_RUNS, JOB_DONE } state;
	struct job *next;
};

/* Returns what the variable says; 0: it is not set, or is no such number. */
unsigned int workers_asked(void);
/*
 * Starts as many threads as the variable says, or one for each core but the caller's, at most a
 * few. NULL: one thread is enough, or none could be started.
 */
struct workers *workers_new(void);
unsigned int workers_threads(const struct workers *workers);
/* No job may be submitted or waited for any more. NULL is allowed. */
void workers_free(struct workers *workers);

void workers_put(struct workers *workers, struct job *job);
/* Returns when the job is done: by a worker, or by this call if no worker has begun it. */
void workers_wait(struct workers *workers, struct job *job);
/* The job belongs to the caller again: it was not begun, or it is done. */
void workers_take_back(struct workers *workers, struct job *job);

#endif

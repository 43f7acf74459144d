/* SPDX-License-Identifier: MIT */
/*
 * Threads that run jobs in the order in which they were put, beside the one thread that puts them and
 * waits for them. A job belongs to a thread of these from workers_put() until workers_wait() or
 * workers_take_back() returns; in between nobody else may touch what it works on.
 */
#ifndef REPORT_BASE_WORKERS_H
#define REPORT_BASE_WORKERS_H

struct workers;

struct job {
	void (*run)(struct job *job);
	/* of workers.c */
	enum job_state { JOB_IDLE, JOB_WAITS, JOB_RUNS, JOB_DONE } state;
	struct job *next;
};

/* One thread for each core but the caller's, at most a few. NULL: there is one core, or no thread. */
struct workers *workers_new(void);
unsigned int workers_count(const struct workers *workers);
/* No job may be put any more or be waited for. NULL is fine. */
void workers_free(struct workers *workers);

void workers_put(struct workers *workers, struct job *job);
/* The job has been done: by a worker, or here and now when none has begun it. */
void workers_wait(struct workers *workers, struct job *job);
/* The job is nobody's: it was not begun, or it is done. */
void workers_take_back(struct workers *workers, struct job *job);

#endif

/* SPDX-License-Identifier: MIT */
/* A list of jobs under one lock, which suffices because there are a few hundred jobs per second. */
#include "report/base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#define THREADS_MAX 3u

struct workers {
	pthread_mutex_t lock;
	pthread_cond_t put, done;
	struct job *first, *last; /* waiting jobs */
	bool ends;
	pthread_t thread[THREADS_MAX];
	unsigned int thread_count;
};

static void jobs_append(struct workers *workers, struct job *job)
{
	job->next = NULL;
	if (workers->first)
		workers->last->next = job;
	else
		workers->first = job;
	workers->last = job;
}

static void jobs_remove(struct workers *workers, const struct job *job)
{
	struct job *before = NULL;

	for (struct job *at = workers->first; at != job; at = at->next)
		before = at;
	if (before)
		before->next = job->next;
	else
		workers->first = job->next;
	if (workers->last == job)
		workers->last = before;
}

static void *worker_run(void *argument)
{
	struct workers *workers = argument;

	pthread_mutex_lock(&workers->lock);
	while (!workers->ends) {
		struct job *job = workers->first;

		if (!job) {
			pthread_cond_wait(&workers->put, &workers->lock);
			continue;
		}
		jobs_remove(workers, job);
		job->state = JOB_RUNS;
		pthread_mutex_unlock(&workers->lock);
		job->run(job);
		pthread_mutex_lock(&workers->lock);
		job->state = JOB_DONE;
		pthread_cond_broadcast(&workers->done);
	}
	pthread_mutex_unlock(&workers->lock);
	return NULL;
}

static unsigned int cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned int)CPU_COUNT(&set);
}

unsigned int workers_asked(void)
{
	const char *text = getenv(WORKERS_VARIABLE);
	char *end = NULL;
	unsigned long threads = text ? strtoul(text, &end, 10) : 0;

	if (!text || end == text || *end || !threads)
		return 0;
	return threads <= THREADS_MAX ? (unsigned int)threads : THREADS_MAX + 1;
}

/* Signals are handled by the main thread. */
static void workers_start(struct workers *workers, unsigned int count)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (workers->thread_count < count &&
	       !pthread_create(&workers->thread[workers->thread_count], NULL, worker_run, workers))
		workers->thread_count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct workers *workers_new(void)
{
	unsigned int asked = workers_asked(), count = (asked ? asked : cores()) - 1;
	struct workers *workers = count ? calloc(1, sizeof(*workers)) : NULL;

	if (!workers)
		return NULL;
	pthread_mutex_init(&workers->lock, NULL);
	pthread_cond_init(&workers->put, NULL);
	pthread_cond_init(&workers->done, NULL);
	workers_start(workers, count < THREADS_MAX ? count : THREADS_MAX);
	if (workers->thread_count)
		return workers;
	workers_free(workers);
	return NULL;
}

unsigned int workers_threads(const struct workers *workers)
{
	return workers->thread_count;
}

void workers_free(struct workers *workers)
{
	if (!workers)
		return;
	pthread_mutex_lock(&workers->lock);
	workers->ends = true;
	pthread_cond_broadcast(&workers->put);
	pthread_mutex_unlock(&workers->lock);
	for (unsigned int i = 0; i < workers->thread_count; i++)
		pthread_join(workers->thread[i], NULL);
	pthread_cond_destroy(&workers->done);
	pthread_cond_destroy(&workers->put);
	pthread_mutex_destroy(&workers->lock);
	free(workers);
}

void workers_put(struct workers *workers, struct job *job)
{
	pthread_mutex_lock(&workers->lock);
	job->state = JOB_WAITS;
	jobs_append(workers, job);
	pthread_cond_signal(&workers->put);
	pthread_mutex_unlock(&workers->lock);
}

/* True if a worker has done it, false if it had not begun. */
static bool job_join(struct workers *workers, struct job *job)
{
	bool begun;

	pthread_mutex_lock(&workers->lock);
	begun = job->state != JOB_WAITS;
	if (!begun)
		jobs_remove(workers, job);
	while (job->state == JOB_RUNS)
		pthread_cond_wait(&workers->done, &workers->lock);
	job->state = JOB_IDLE;
	pthread_mutex_unlock(&workers->lock);
	return begun;
}

void workers_wait(struct workers *workers, struct job *job)
{
	if (!job_join(workers, job))
		job->run(job);
}

void workers_take_back(struct workers *workers, struct job *job)
{
	job_join(workers, job);
}

/* SPDX-License-Identifier: MIT */
/*
 * Each thread is examined once. The number of threads is what /proc/PID/task has as its number of
 * links, so a look at a process whose threads stay costs one stat().
 */
#include "collector/drain/silent_threads.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "collector/processes/proc.h"

#define FOLDER_LINKS 2u /* of a folder without folders in it */
#define NEW_THREADS 16u /* that a look examines, about 15 us each */
#define VISITS 8u       /* threads that are read at a time, about 10 us each */
#define BORN_TRIES 8    /* readings, if the collector is preempted within them */

bool thread_born_read(const struct common *common, uint32_t pid, uint32_t tid,
		      uint64_t *ret_born_ns, uint64_t *ret_tick_ns)
{
	uint64_t age_ns = 0, before_ns, after_ns = 0;

	for (int i = 0; i < BORN_TRIES; i++) {
		before_ns = clockmap_ns(&common->clock, clockmap_now(&common->clock));
		if (!proc_thread_age(pid, tid, &age_ns, ret_tick_ns))
			return false;
		after_ns = clockmap_ns(&common->clock, clockmap_now(&common->clock));
		if (after_ns - before_ns < *ret_tick_ns / 2)
			break;
	}
	*ret_born_ns = after_ns > age_ns ? after_ns - age_ns : 0;
	return true;
}

static struct silent_thread *silent_find(struct silent_threads *silent, uint32_t pid, uint32_t tid)
{
	for (uint32_t i = 0; i < silent->count; i++)
		if (silent->thread[i].tid == tid && silent->thread[i].pid == pid)
			return &silent->thread[i];
	return NULL;
}

static bool silent_note(struct silent_threads *silent, const struct common *common, uint32_t pid,
			uint32_t tid)
{
	struct silent_thread thread = { .pid = pid, .tid = tid, .look = silent->look };

	if (silent->count == SILENT_THREADS_MAX ||
	    !thread_born_read(common, pid, tid, &thread.born_ns, &thread.tick_ns))
		return false;
	silent->thread[silent->count++] = thread;
	return true;
}

/* Forgets the threads of a process that the last look has not met. */
static void silent_drop(struct silent_threads *silent, uint32_t pid)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < silent->count; i++)
		if (silent->thread[i].pid != pid || silent->thread[i].look == silent->look)
			silent->thread[kept++] = silent->thread[i];
	silent->count = kept;
}

/* Returns whether all of them were noted. */
static bool silent_read(struct silent_threads *silent, const struct common *common, uint32_t pid,
			DIR *folder)
{
	const struct dirent *entry;
	uint32_t added = 0;

	silent->look++;
	while (added < NEW_THREADS && (entry = readdir(folder))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		struct silent_thread *known = silent_find(silent, pid, tid);

		if (known)
			known->look = silent->look;
		else if (tid && tid != pid)
			added += silent_note(silent, common, pid, tid);
	}
	if (added < NEW_THREADS)
		silent_drop(silent, pid);
	return added < NEW_THREADS;
}

void silent_threads_look(struct silent_threads *silent, const struct common *common,
			 struct process *process, bool all)
{
	char path[PROC_PATH_BYTES];
	struct stat status;
	uint32_t threads;
	DIR *folder;

	proc_path(process->pid, "task", path, sizeof(path));
	if (stat(path, &status) || status.st_nlink < FOLDER_LINKS)
		return;
	threads = (uint32_t)status.st_nlink - FOLDER_LINKS;
	if ((!all && threads == process->threads_seen) || threads > SILENT_THREADS_MAX)
		return;
	folder = opendir(path);
	if (!folder)
		return;
	process->threads_seen = silent_read(silent, common, process->pid, folder) ? threads : 0;
	closedir(folder);
}

bool silent_threads_born(struct silent_threads *silent, uint32_t pid, uint32_t tid,
			 uint64_t *ret_born_ns, uint64_t *ret_tick_ns)
{
	const struct silent_thread *thread = silent_find(silent, pid, tid);

	if (!thread)
		return false;
	*ret_born_ns = thread->born_ns;
	*ret_tick_ns = thread->tick_ns;
	return true;
}

static void silent_read_sched(struct silent_thread *thread)
{
	struct thread_sched now = thread->last;

	if (!thread_sched_read(thread->pid, thread->tid, &now) ||
	    !thread_sched_is_later(&now, &thread->last))
		return;
	if (now.looks++ % SCHED_STATUS_LOOKS == 0)
		thread_sched_read_switches(thread->pid, thread->tid, &now);
	if (!thread->last.looks)
		thread->first = now;
	thread->last = now;
}

void silent_threads_visit(struct silent_threads *silent)
{
	uint32_t visits = 0;

	for (uint32_t i = 0; i < silent->count && visits < VISITS; i++) {
		struct silent_thread *thread = &silent->thread[silent->visit++ % silent->count];

		if (thread->records)
			continue;
		silent_read_sched(thread);
		visits++;
	}
}

bool silent_threads_take_sched(struct silent_threads *silent, uint32_t pid, uint32_t tid,
			       struct thread_sched ret_seen[2])
{
	struct silent_thread *thread = silent_find(silent, pid, tid);

	if (!thread || thread->records)
		return false;
	thread->records = true;
	if (!thread->last.looks)
		return false;
	ret_seen[0] = thread->first;
	ret_seen[1] = thread->last;
	return true;
}

void silent_threads_forget(struct silent_threads *silent, uint32_t pid)
{
	silent->look++;
	silent_drop(silent, pid);
}

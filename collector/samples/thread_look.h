/* SPDX-License-Identifier: MIT */
/*
 * What the kernel says of a thread at this moment: its CPU time, the time that it waited for a CPU, and whether it
 * runs or what it waits for (/proc/PID/task/TID/schedstat, syscall and, where that may not be read, stat).
 * A thread that the kernel calls running may be in a queue for a CPU: it has got one as often as it gave one up (status). Where it
 * stands then says nothing of where it spends its time: threads are put into the queue at calls that wake others up.
 * The files stay open while the thread is followed, for the first THREAD_LOOK_FILES threads.
 */
#ifndef COLLECTOR_SAMPLES_THREAD_LOOK_H
#define COLLECTOR_SAMPLES_THREAD_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/events.h"

#define THREAD_LOOK_FILES 128u /* of one kind */

/* What it waits in. */
struct thread_wait {
	uint32_t call;  /* number of the system call plus 1; 0: none, or not known */
	uint64_t mutex; /* address of what may be a mutex of the C library; 0: it is none */
};

struct thread_look {
	uint64_t cpu_ns, ready_ns;
	uint64_t turns; /* times that it got a CPU */
	enum evt_python_state state;
	struct thread_wait wait;
};

/* Times that a thread gave a CPU up: because it waited, and because another one was to have it. */
struct thread_switches {
	uint64_t to_wait, to_others;
};

struct thread_files {
	uint32_t pid, tid;
	int schedstat, call, status; /* -1: not open */
	bool is_counted;
};

void thread_files_init(struct thread_files *files, uint32_t pid, uint32_t tid);
void thread_files_close(struct thread_files *files);

/*
 * `look` is the one before, or zeroed: a thread that waited then and has not got a CPU since waits for the same.
 * `gil`: address of the interpreter's lock in the process, 0 unknown. False: there is no such thread (any more).
 */
bool thread_look(struct thread_files *files, uint64_t gil, struct thread_look *look);

/* Its times alone, as thread_look() has them. */
bool thread_times(struct thread_files *files, struct thread_look *ret_look);

/*
 * What the kernel had counted around a moment, in the order in which it is read. `begin` and `end` are as close as can be. A thread
 * that waits has given up its CPU as often as it got one, so its status is read only if it gets one meanwhile.
 */
struct thread_moment {
	bool is_known;                /* the kernel tells all of this */
	uint64_t turns_before;        /* the look's */
	struct thread_switches early; /* thread_moment_begin() */
	uint64_t turns_after;         /* thread_moment_end() */
	struct thread_switches late;
};
void thread_moment_begin(struct thread_files *files, const struct thread_look *look,
			 struct thread_moment *moment);
void thread_moment_end(struct thread_files *files, struct thread_moment *moment);

/* Where a thread was at the moment. */
enum thread_place {
	THREAD_ON_CPU,  /* also where the kernel does not tell */
	THREAD_OFF_CPU, /* before and after: it waited, or was in a queue for one */
	THREAD_ARRIVED, /* it got one so close to the moment that it may have been before or after */
	THREAD_LEFT,    /* the same of one that it gave up */
};
/* It has not got a CPU since the moment, so whatever it did since was before it gave its CPU up. */
bool thread_has_stayed(struct thread_files *files, const struct thread_moment *moment);
/* It had a CPU when thread_moment_begin() was called. */
bool thread_moment_had_cpu(const struct thread_moment *moment);
/* It had given its CPU up by the end. */
bool thread_has_left(const struct thread_moment *moment);
enum thread_place thread_place_at(const struct thread_moment *moment);
bool thread_switches_of(const char *status, struct thread_switches *ret_switches);

/*
 * When a thread that has no CPU gave it up, by a clock of the CPU that it had; of the calling thread, when it got the one that it
 * has. Who takes a CPU from another has the same time. 0: the kernel does not tell.
 */
uint64_t thread_switched_ns(uint32_t pid, uint32_t tid);
uint64_t thread_switched_of(const char *sched);

/* A line of /proc/PID/task/TID/schedstat, of syscall, or stat's letter of the state: for tests. */
bool thread_times_of(const char *line, struct thread_look *look);
enum evt_python_state thread_state_of_call(const char *line, uint64_t gil,
					   struct thread_wait *ret_wait);
enum evt_python_state thread_state_of_letter(char letter);

#endif

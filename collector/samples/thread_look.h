/* SPDX-License-Identifier: MIT */
/*
 * What the kernel says about a thread at this moment: its CPU time, its time in run queues, and
 * whether it runs or what it waits for. The sources are schedstat and syscall of
 * /proc/PID/task/TID, and stat if it waits (it may be stopped) or syscall may not be read.
 *
 * A thread that the kernel calls running may be in a run queue. In that case it has been given a
 * CPU as often as it gave one up (status). Its place then says nothing about where it spends its
 * time, because threads enter the queue at calls that wake others. The files of the first
 * THREAD_LOOK_FILES threads stay open while those are followed.
 */
#ifndef COLLECTOR_SAMPLES_THREAD_LOOK_H
#define COLLECTOR_SAMPLES_THREAD_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/events.h"

#define THREAD_LOOK_FILES 128u /* open files of each kind */

/* What a thread waits for. */
struct thread_wait {
	uint32_t call;  /* number of the system call plus 1; 0: none, or not known */
	uint64_t mutex; /* address of what may be a mutex of the C library; 0: none */
	uint64_t futex; /* address of what it sleeps on; 0: it does not */
};

struct thread_look {
	uint64_t cpu_ns, ready_ns;
	uint64_t turns; /* how often it got a CPU */
	enum evt_python_state state;
	struct thread_wait wait;
};

/* How often a thread gave up a CPU: to wait, and because it was preempted. */
struct thread_switches {
	uint64_t to_wait, to_others;
};

struct thread_files {
	uint32_t pid, tid;
	int schedstat, call, status, stat; /* -1: not open */
	/*
	 * our region in the process: a thread that waits there has records to hand over and waits
	 * for the collector, which is no wait of the program's
	 */
	uint64_t ours_at, ours_bytes;
	bool is_counted;
};

void thread_files_init(struct thread_files *files, uint32_t pid, uint32_t tid);
void thread_files_close(struct thread_files *files);

/*
 * On entry `look` is the thread's previous look, or zeroed: a thread that waited then and has had
 * no CPU since still waits for the same. `gil` is the address of the interpreter's lock in the
 * process, 0 if unknown. Returns false if the thread does not exist (any more).
 */
bool thread_look(struct thread_files *files, uint64_t gil, struct thread_look *look);

/* Reads only the thread's times, as thread_look() does. */
bool thread_times(struct thread_files *files, struct thread_look *ret_look);

/*
 * The kernel's counters around a moment, in the order in which they are read. Call `begin` and
 * `end` directly before and after it. A waiting thread has given up its CPU as often as it got one,
 * so its status is only read if it gets a CPU meanwhile.
 */
struct thread_moment {
	bool is_known;                /* the kernel provides all of these */
	uint64_t turns_before;        /* the look's */
	struct thread_switches early; /* thread_moment_begin() */
	uint64_t turns_after;         /* thread_moment_end() */
	struct thread_switches late;
};
void thread_moment_begin(struct thread_files *files, const struct thread_look *look,
			 struct thread_moment *moment);
void thread_moment_end(struct thread_files *files, struct thread_moment *moment);

/* Where a thread was at that moment. */
enum thread_place {
	THREAD_ON_CPU,  /* also if the kernel does not tell */
	THREAD_OFF_CPU, /* before and after the moment: waiting, or in a run queue */
	/* it got a CPU so close to the moment that this may have been before or after it */
	THREAD_ARRIVED,
	THREAD_LEFT, /* likewise, it gave up its CPU */
};
/* Returns whether the thread has got no CPU since the moment, so that it is still there. */
bool thread_has_stayed(struct thread_files *files, const struct thread_moment *moment);
/* Returns whether the thread had a CPU when thread_moment_begin() was called. */
bool thread_moment_had_cpu(const struct thread_moment *moment);
/* Returns whether the thread had given up its CPU by the end. */
bool thread_has_left(const struct thread_moment *moment);
enum thread_place thread_place_at(const struct thread_moment *moment);
bool thread_switches_of(const char *status, struct thread_switches *ret_switches);

/*
 * Returns when a thread without a CPU gave it up, by that CPU's clock; for the calling thread, when
 * it got its CPU. A thread that preempts another has the same time as that one. 0: the kernel does
 * not tell.
 */
uint64_t thread_switched_ns(uint32_t pid, uint32_t tid);
uint64_t thread_switched_of(const char *sched);

/* Parsers of schedstat, of syscall, and of the state's letter in stat. */
bool thread_times_of(const char *line, struct thread_look *look);
enum evt_python_state thread_state_of_call(const char *line, uint64_t gil,
					   struct thread_wait *ret_wait);
enum evt_python_state thread_state_of_letter(char letter);

#endif

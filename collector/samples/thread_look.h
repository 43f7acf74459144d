/* SPDX-License-Identifier: MIT */
/*
 * What the kernel says of a thread at this moment: its CPU time, the time that it waited for a CPU, and whether it
 * runs or what it waits for (/proc/PID/task/TID/schedstat, syscall and, where that may not be read, stat).
 * A thread that the kernel calls running may be in a queue for a CPU: it has got one as often as it gave one up (status).
 * The files stay open while the thread is followed, for the first THREAD_LOOK_FILES threads.
 */
#ifndef COLLECTOR_SAMPLES_THREAD_LOOK_H
#define COLLECTOR_SAMPLES_THREAD_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/events.h"

#define THREAD_LOOK_FILES 128u /* of one kind */

struct thread_look {
	uint64_t cpu_ns, ready_ns;
	uint64_t turns; /* times that it got a CPU */
	enum evt_python_state state;
};

/* Times that a thread gave a CPU up: because it waited, and because another one was to have it. */
struct thread_switches {
	uint64_t to_wait, to_others;
};

struct thread_files {
	uint32_t pid, tid;
	struct thread_switches switches; /* as they were read last */
	int schedstat, call;             /* -1: not open */
	bool is_counted;
};

void thread_files_init(struct thread_files *files, uint32_t pid, uint32_t tid);
void thread_files_close(struct thread_files *files);

/*
 * `look` is the one before, or zeroed: a thread that waited then and has not got a CPU since waits for the same.
 * `gil`: address of the interpreter's lock in the process, 0 unknown. False: there is no such thread (any more).
 */
bool thread_look(struct thread_files *files, uint64_t gil, struct thread_look *look);

/*
 * Of one that runs by `look`, just made: whether it is in a queue for a CPU. It was put there where it waited, or by others where it
 * ran; which of the two is certain only if nobody has put it there since this was asked last. On a CPU also where the kernel does not say.
 */
enum thread_place { THREAD_ON_CPU, THREAD_QUEUED, THREAD_WOKEN };
enum thread_place thread_place_of(struct thread_files *files, const struct thread_look *look);
bool thread_switches_of(const char *status, struct thread_switches *ret_switches);

/* A line of /proc/PID/task/TID/schedstat, of syscall, or stat's letter of the state: for tests. */
bool thread_times_of(const char *line, struct thread_look *look);
enum evt_python_state thread_state_of_call(const char *line, uint64_t gil);
enum evt_python_state thread_state_of_letter(char letter);

#endif

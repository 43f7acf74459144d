/* SPDX-License-Identifier: MIT */
/*
 * What the kernel says of a thread at this moment: its CPU time, the time that it waited for a CPU, and whether it
 * runs or what it waits for (/proc/PID/task/TID/schedstat, syscall and, where that may not be read, stat).
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

struct thread_files {
	uint32_t pid, tid;
	int schedstat, call; /* -1: not open */
	bool is_counted;
};

void thread_files_init(struct thread_files *files, uint32_t pid, uint32_t tid);
void thread_files_close(struct thread_files *files);

/*
 * `look` is the one before, or zeroed: a thread that waited then and has not got a CPU since waits for the same.
 * `gil`: address of the interpreter's lock in the process, 0 unknown. False: there is no such thread (any more).
 */
bool thread_look(struct thread_files *files, uint64_t gil, struct thread_look *look);

/* A line of /proc/PID/task/TID/schedstat, of syscall, or stat's letter of the state: for tests. */
bool thread_times_of(const char *line, struct thread_look *look);
enum evt_python_state thread_state_of_call(const char *line, uint64_t gil);
enum evt_python_state thread_state_of_letter(char letter);

#endif

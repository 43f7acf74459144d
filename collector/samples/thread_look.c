/* SPDX-License-Identifier: MIT */
/*
 * Parses the one-line files of /proc/PID/task/TID. Whether a thread was on a CPU is computed from
 * two counters that are read around the moment: how often it got one (schedstat) and how often it
 * gave one up (status).
 */
#include "collector/samples/thread_look.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/arch/calls.h"
#include "collector/format/calls.h"
#include "collector/processes/proc.h"
#include "collector/region/python_layout.h"

#define LINE_ROOM 512
#define STATUS_ROOM 4096
#define SCHED_ROOM 512        /* bytes that are read of `sched` */
#define CALLS_MAX 4096        /* larger numbers are no system calls */
#define MUTEX_IS_CONTENDED 2u /* glibc's lock word of a mutex that a thread waits for */

static uint32_t files_open;

void thread_files_init(struct thread_files *files, uint32_t pid, uint32_t tid)
{
	*files = (struct thread_files){
		.pid = pid, .tid = tid, .schedstat = -1, .call = -1, .status = -1, .stat = -1
	};
	files->is_counted = files_open < THREAD_LOOK_FILES;
	files_open += files->is_counted;
}

void thread_files_close(struct thread_files *files)
{
	if (files->schedstat >= 0)
		close(files->schedstat);
	if (files->call >= 0)
		close(files->call);
	if (files->status >= 0)
		close(files->status);
	if (files->stat >= 0)
		close(files->stat);
	files_open -= files->is_counted;
	files->is_counted = false;
	files->schedstat = files->call = files->status = files->stat = -1;
}

/* Reads the start of the file and terminates it. Returns its length, 0 if there is nothing. */
static size_t read_file(const struct thread_files *files, const char *name, int *fd, char *text,
			size_t room)
{
	char path[PROC_PATH_BYTES];
	ssize_t length;
	int file = *fd;

	if (file < 0) {
		proc_thread_path(files->pid, files->tid, name, path, sizeof(path));
		file = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (file < 0)
		return 0;
	length = pread(file, text, room - 1, 0);
	if (files->is_counted)
		*fd = file;
	else
		close(file);
	text[length > 0 ? length : 0] = 0;
	return length > 0 ? (size_t)length : 0;
}

static size_t thread_look_read_line(const struct thread_files *files, const char *name, int *fd,
				    char *line)
{
	return read_file(files, name, fd, line, LINE_ROOM);
}

enum evt_python_state thread_state_of_letter(char letter)
{
	if (letter == 'R')
		return EVT_PYTHON_RUNS;
	if (letter == 'T' || letter == 't')
		return EVT_PYTHON_STOPPED;
	return letter == 'D' ? EVT_PYTHON_IO : EVT_PYTHON_WAITS;
}

static enum evt_python_state state_of_number(long number)
{
	switch (number) {
#define WAIT(call, state) \
	case CALL_##call: \
		return EVT_PYTHON_##state;
#include "collector/format/waits.def"
	default:
		return EVT_PYTHON_WAITS;
	}
}

/*
 * Takes the arguments of futex(ADDRESS, OPERATION, VALUE). Returns the address if waiters of a
 * mutex wait this way, else 0; mutex_owner_of() checks that it is a mutex.
 */
static uint64_t mutex_of(uint64_t address, const char *arguments)
{
	char *end;
	uint64_t operation = strtoull(arguments, &end, 16) & FUTEX_CMD_MASK;
	uint64_t value = strtoull(end, NULL, 16);
	bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;

	return waits && value == MUTEX_IS_CONTENDED && address % sizeof(uint32_t) == 0 ? address
										       : 0;
}

/* "running", "-1 SP PC" where it waits outside of a call, or "NUMBER 0xARGUMENT ..." */
enum evt_python_state thread_state_of_call(const char *line, uint64_t gil,
					   struct thread_wait *ret_wait)
{
	enum evt_python_state state;
	uint64_t argument;
	char *end;
	long number;

	*ret_wait = (struct thread_wait){ .call = 0 };
	if (strncmp(line, "running", 7) == 0)
		return EVT_PYTHON_RUNS;
	number = strtol(line, &end, 10);
	number = number < 0 ? number : arch_call_number(number);
	if (end == line || number < 0)
		return EVT_PYTHON_WAITS;
	if (number < CALLS_MAX)
		ret_wait->call = (uint32_t)number + 1;
	argument = strtoull(end, &end, 16);
	state = state_of_number(number);
	if (state == EVT_PYTHON_LOCK)
		ret_wait->mutex = mutex_of(argument, end);
	if (state == EVT_PYTHON_LOCK)
		ret_wait->futex = argument;
	if (state == EVT_PYTHON_LOCK && gil && argument - gil < PYTHON_GIL_BYTES)
		return EVT_PYTHON_GIL;
	if ((number == CALL_select || number == CALL_pselect6) &&
	    argument == 0) /* time.sleep() before 3.11 */
		return EVT_PYTHON_SLEEP;
	return state;
}

static enum evt_python_state state_by_stat(struct thread_files *files)
{
	char line[LINE_ROOM];
	const char *at;

	if (!thread_look_read_line(files, "stat", &files->stat, line))
		return EVT_PYTHON_WAITS;
	at = strrchr(line, ')');
	return thread_state_of_letter(at && at[1] ? at[2] : '?');
}

/* Parses "CPU_NS READY_NS TURNS". Returns false and changes nothing if the line is another. */
bool thread_times_of(const char *line, struct thread_look *look)
{
	uint64_t number[3] = { 0 };

	for (unsigned int i = 0; i < 3; i++) {
		if (*line < '0' || *line > '9')
			return false;
		while (*line >= '0' && *line <= '9')
			number[i] = number[i] * 10 + (uint64_t)(*line++ - '0');
		line += *line == ' ';
	}
	look->cpu_ns = number[0];
	look->ready_ns = number[1];
	look->turns = number[2];
	return true;
}

static bool is_waiting(enum evt_python_state state)
{
	return state != EVT_PYTHON_RUNS && state != EVT_PYTHON_READY;
}

bool thread_times(struct thread_files *files, struct thread_look *ret_look)
{
	char line[LINE_ROOM];

	return thread_look_read_line(files, "schedstat", &files->schedstat, line) &&
	       thread_times_of(line, ret_look);
}

/* A thread that waits for room in its ring would run if the collector had had a CPU. */
static enum evt_python_state state_without_us(const struct thread_files *files, const char *line,
					      uint64_t gil, struct thread_wait *ret_wait)
{
	enum evt_python_state state = thread_state_of_call(line, gil, ret_wait);

	if (!ret_wait->futex || ret_wait->futex - files->ours_at >= files->ours_bytes)
		return state;
	*ret_wait = (struct thread_wait){ .call = 0 };
	return EVT_PYTHON_RUNS;
}

bool thread_look(struct thread_files *files, uint64_t gil, struct thread_look *look)
{
	const struct thread_look before = *look;
	char line[LINE_ROOM];

	if (!thread_look_read_line(files, "schedstat", &files->schedstat, line) ||
	    !thread_times_of(line, look))
		return false;
	if (look->turns && look->turns == before.turns && look->cpu_ns == before.cpu_ns &&
	    is_waiting(before.state))
		return true;
	if (!thread_look_read_line(files, "syscall", &files->call, line)) {
		look->state = state_by_stat(files);
		look->wait = (struct thread_wait){ .call = 0 };
		return true;
	}
	look->state = state_without_us(files, line, gil, &look->wait);
	/* a thread that is stopped seems to wait where it was stopped, in a call or not */
	if (is_waiting(look->state) && state_by_stat(files) == EVT_PYTHON_STOPPED) {
		look->state = EVT_PYTHON_STOPPED;
		look->wait = (struct thread_wait){ .call = 0 };
	}
	return true;
}

static bool number_behind(const char *text, const char *name, uint64_t *ret_number)
{
	const char *at = strstr(text, name);
	char *end;

	if (!at)
		return false;
	at += strlen(name);
	*ret_number = strtoull(at, &end, 10);
	return end != at;
}

bool thread_switches_of(const char *status, struct thread_switches *ret_switches)
{
	return number_behind(status, "\nvoluntary_ctxt_switches:", &ret_switches->to_wait) &&
	       number_behind(status, "\nnonvoluntary_ctxt_switches:", &ret_switches->to_others);
}

static bool thread_look_read_switches(struct thread_files *files,
				      struct thread_switches *ret_switches)
{
	char status[STATUS_ROOM];

	return read_file(files, "status", &files->status, status, sizeof(status)) &&
	       thread_switches_of(status, ret_switches);
}

/* Returns 0 if it cannot be read. */
static uint64_t read_turns(struct thread_files *files)
{
	struct thread_look look = { .turns = 0 };
	char line[LINE_ROOM];

	return thread_look_read_line(files, "schedstat", &files->schedstat, line) &&
			       thread_times_of(line, &look)
		       ? look.turns
		       : 0;
}

void thread_moment_begin(struct thread_files *files, const struct thread_look *look,
			 struct thread_moment *moment)
{
	*moment = (struct thread_moment){ .turns_before = look->turns,
					  .early.to_wait = look->turns,
					  .is_known = look->turns != 0 };
	if (!is_waiting(look->state))
		moment->is_known = moment->is_known &&
				   thread_look_read_switches(files, &moment->early);
}

static uint64_t switches(const struct thread_switches *of)
{
	return of->to_wait + of->to_others;
}

void thread_moment_end(struct thread_files *files, struct thread_moment *moment)
{
	if (!moment->is_known)
		return;
	moment->turns_after = read_turns(files);
	moment->late = moment->early;
	if (switches(&moment->early) < moment->turns_after)
		moment->is_known = thread_look_read_switches(files, &moment->late);
}

/* A thread has a CPU if it has got one more often than it gave one up. */
enum thread_place thread_place_at(const struct thread_moment *moment)
{
	uint64_t early = switches(&moment->early), late = switches(&moment->late);
	uint64_t turns = moment->turns_before;

	if (!moment->is_known)
		return THREAD_ON_CPU;
	if (early >= moment->turns_after)
		return THREAD_OFF_CPU;
	if (moment->turns_after != turns)
		return THREAD_ARRIVED;
	return late + 1 == turns ? THREAD_ON_CPU : THREAD_LEFT;
}

bool thread_moment_had_cpu(const struct thread_moment *moment)
{
	return switches(&moment->early) < moment->turns_before;
}

bool thread_has_left(const struct thread_moment *moment)
{
	return switches(&moment->late) >= moment->turns_after;
}

bool thread_has_stayed(struct thread_files *files, const struct thread_moment *moment)
{
	return read_turns(files) == moment->turns_after;
}

/* "se.exec_start : MILLISECONDS.NANOSECONDS" */
uint64_t thread_switched_of(const char *sched)
{
	const char *at = strstr(sched, "se.exec_start");
	uint64_t ms, ns;
	char *end;

	at = at ? strchr(at, ':') : NULL;
	if (!at)
		return 0;
	ms = strtoull(at + 1, &end, 10);
	if (*end != '.' || ms > UINT64_MAX / 1000000 - 1)
		return 0;
	at = end + 1;
	ns = strtoull(at, &end, 10);
	return end - at == 6 ? ms * 1000000 + ns : 0;
}

uint64_t thread_switched_ns(uint32_t pid, uint32_t tid)
{
	char path[PROC_PATH_BYTES], text[SCHED_ROOM];
	size_t length;

	proc_thread_path(pid, tid, "sched", path, sizeof(path));
	length = proc_read_file(path, text, sizeof(text) - 1);
	text[length] = 0;
	return thread_switched_of(text);
}

/* SPDX-License-Identifier: MIT */
/* See thread_look.h. */
#include "collector/samples/thread_look.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/processes/proc.h"
#include "collector/region/python_layout.h"

#define LINE_ROOM 512
#define STATUS_ROOM 4096

static uint32_t files_open;

void thread_files_init(struct thread_files *files, uint32_t pid, uint32_t tid)
{
	*files = (struct thread_files){ .pid = pid, .tid = tid, .schedstat = -1, .call = -1 };
	files->is_counted = files_open < THREAD_LOOK_FILES;
	files_open += files->is_counted;
}

void thread_files_close(struct thread_files *files)
{
	if (files->schedstat >= 0)
		close(files->schedstat);
	if (files->call >= 0)
		close(files->call);
	files_open -= files->is_counted;
	files->is_counted = false;
	files->schedstat = files->call = -1;
}

/* What is at the start of the file, terminated; 0: nothing. */
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

static size_t read_line(const struct thread_files *files, const char *name, int *fd, char *line)
{
	return read_file(files, name, fd, line, LINE_ROOM);
}

enum evt_python_state thread_state_of_letter(char letter)
{
	if (letter == 'R')
		return EVT_PYTHON_RUNS;
	return letter == 'D' ? EVT_PYTHON_IO : EVT_PYTHON_WAITS;
}

static enum evt_python_state state_of_number(long number)
{
	switch (number) {
#define WAIT(call, state) \
	case SYS_##call:  \
		return EVT_PYTHON_##state;
#include "collector/samples/waits.def"
	default:
		return EVT_PYTHON_WAITS;
	}
}

/* "running", "-1 SP PC" where it waits outside of a call, or "NUMBER 0xARGUMENT ..." */
enum evt_python_state thread_state_of_call(const char *line, uint64_t gil)
{
	enum evt_python_state state;
	uint64_t argument;
	char *end;
	long number;

	if (strncmp(line, "running", 7) == 0)
		return EVT_PYTHON_RUNS;
	number = strtol(line, &end, 10);
	if (end == line || number < 0)
		return EVT_PYTHON_WAITS;
	argument = strtoull(end, NULL, 16);
	state = state_of_number(number);
	if (state == EVT_PYTHON_LOCK && gil && argument - gil < PYTHON_GIL_BYTES)
		return EVT_PYTHON_GIL;
	if ((number == SYS_select || number == SYS_pselect6) &&
	    argument == 0) /* time.sleep() before 3.11 */
		return EVT_PYTHON_SLEEP;
	return state;
}

/* Where `syscall` is not to be had. */
static enum evt_python_state state_by_stat(const struct thread_files *files)
{
	char line[LINE_ROOM];
	const char *at;
	int none = -1;
	struct thread_files once = *files;

	once.is_counted = false;
	if (!read_line(&once, "stat", &none, line))
		return EVT_PYTHON_WAITS;
	at = strrchr(line, ')');
	return thread_state_of_letter(at && at[1] ? at[2] : '?');
}

/* "CPU_NS READY_NS TURNS"; false, and nothing changes: it is something else. */
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

bool thread_look(struct thread_files *files, uint64_t gil, struct thread_look *look)
{
	const struct thread_look before = *look;
	char line[LINE_ROOM];

	if (!read_line(files, "schedstat", &files->schedstat, line) || !thread_times_of(line, look))
		return false;
	if (look->turns && look->turns == before.turns && look->cpu_ns == before.cpu_ns &&
	    is_waiting(before.state))
		return true;
	if (read_line(files, "syscall", &files->call, line))
		look->state = thread_state_of_call(line, gil);
	else
		look->state = state_by_stat(files);
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

/* Neither has changed: it was on no CPU in between. */
static bool is_where_it_was(struct thread_files *files, const struct thread_look *look)
{
	struct thread_look again = { .turns = 0 };
	char line[LINE_ROOM];

	return read_line(files, "schedstat", &files->schedstat, line) &&
	       thread_times_of(line, &again) && again.turns == look->turns &&
	       again.cpu_ns == look->cpu_ns;
}

enum thread_place thread_place_of(struct thread_files *files, const struct thread_look *look)
{
	struct thread_files once = *files;
	struct thread_switches before = files->switches, now;
	char status[STATUS_ROOM];
	int none = -1;

	once.is_counted = false;
	if (!look->turns || !read_file(&once, "status", &none, status, sizeof(status)) ||
	    !thread_switches_of(status, &now))
		return THREAD_ON_CPU;
	files->switches = now;
	if (now.to_wait + now.to_others != look->turns || now.to_wait == before.to_wait ||
	    !is_where_it_was(files, look))
		return THREAD_ON_CPU; /* or it has not waited: it stands where it ran */
	return now.to_others == before.to_others ? THREAD_WOKEN : THREAD_QUEUED;
}

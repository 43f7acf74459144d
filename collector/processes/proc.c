/* SPDX-License-Identifier: MIT */
/*
 * Small reads of /proc. Nothing is kept here.
 */
#include "collector/processes/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STAT_ROOM 1024
#define STATUS_ROOM 4096
#define MAPS_HEAD 4096u /* in bytes */
#define NS_PER_S 1000000000ull
#define PENDING_KILL (1u << (SIGKILL - 1))
#define FLAG_EXITING 4u /* PF_EXITING of the kernel, unchanged since 2.6 */

/*
 * Numbers of the fields of /proc/PID/stat after the command's closing parenthesis, proc(5) minus 3.
 */
enum stat_field {
	STAT_PARENT = 4 - 3,
	STAT_FLAGS = 9 - 3,
	STAT_MAJOR_FAULTS = 12 - 3,
	STAT_UTIME = 14 - 3,
	STAT_STIME = 15 - 3,
	STAT_CHILDREN_UTIME = 16 - 3,
	STAT_CHILDREN_STIME = 17 - 3,
	STAT_THREADS = 20 - 3,
	STAT_START = 22 - 3,
	STAT_STACK = 28 - 3,
	STAT_PENDING = 31 - 3,
	STAT_EXIT_CODE = 52 - 3,
	STAT_FIELDS = STAT_EXIT_CODE + 1,
};

size_t proc_read_file(const char *path, char *bytes, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;

	if (fd < 0)
		return 0;
	while (length < room) {
		ssize_t n = read(fd, bytes + length, room - length);

		if (n <= 0)
			break;
		length += (size_t)n;
	}
	close(fd);
	return length;
}

enum proc_owner { PROC_UNKNOWN, PROC_OURS, PROC_OTHERS };

/* /proc/self leads to our number in the pid namespace of the mounted /proc. */
bool proc_is_ours(void)
{
	static atomic_int known = PROC_UNKNOWN;
	int owner = atomic_load_explicit(&known, memory_order_relaxed);

	if (owner == PROC_UNKNOWN) {
		char text[24];
		ssize_t n = readlink("/proc/self", text, sizeof(text) - 1);

		text[n > 0 ? n : 0] = 0;
		owner = strtol(text, NULL, 10) == getpid() ? PROC_OURS : PROC_OTHERS;
		atomic_store_explicit(&known, owner, memory_order_relaxed);
	}
	return owner == PROC_OURS;
}

void proc_path(uint32_t pid, const char *file, char *path, size_t room)
{
	path[0] = 0;
	if (pid == PROC_SELF)
		snprintf(path, room, "/proc/self/%s", file);
	else if (proc_is_ours())
		snprintf(path, room, "/proc/%u/%s", pid, file);
}

void proc_thread_path(uint32_t pid, uint32_t tid, const char *file, char *path, size_t room)
{
	path[0] = 0;
	if (proc_is_ours())
		snprintf(path, room, "/proc/%u/task/%u/%s", pid, tid, file);
}

size_t proc_command(uint32_t pid, char *text, size_t room)
{
	char path[PROC_PATH_BYTES];
	size_t length;

	proc_path(pid, "cmdline", path, sizeof(path));
	length = proc_read_file(path, text, room);
	while (length && !text[length - 1])
		length--;
	for (size_t i = 0; i < length; i++) {
		if (!text[i])
			text[i] = ' ';
	}
	return length;
}

size_t proc_executable(uint32_t pid, char *text, size_t room)
{
	char path[PROC_PATH_BYTES];
	ssize_t n;

	proc_path(pid, "exe", path, sizeof(path));
	n = readlink(path, text, room);
	return n > 0 ? (size_t)n : 0;
}

size_t proc_thread_name(uint32_t pid, uint32_t tid, char *text, size_t room)
{
	char path[PROC_PATH_BYTES];
	size_t length;

	proc_thread_path(pid, tid, "comm", path, sizeof(path));
	length = proc_read_file(path, text, room);
	return length && text[length - 1] == '\n' ? length - 1 : length;
}

/* Splits the fields from the state on. Returns false if there are fewer than needed. */
static bool stat_split(char *line, uint64_t *ret_field, char *ret_state)
{
	char *at = strrchr(line, ')');

	if (!at || at[1] != ' ')
		return false;
	*ret_state = at[2];
	at += 3;
	for (int i = 1; i < STAT_FIELDS; i++) {
		char *end;

		ret_field[i] = strtoull(at, &end, 10);
		if (end == at)
			return i > STAT_START;
		at = end;
	}
	return true;
}

static bool stat_read(const char *path, struct proc_stat *ret_stat)
{
	uint64_t field[STAT_FIELDS] = { 0 };
	char line[STAT_ROOM];
	long per_second = sysconf(_SC_CLK_TCK);
	uint64_t tick_ns = per_second > 0 ? NS_PER_S / (uint64_t)per_second : 0;
	size_t length;
	char state;

	length = proc_read_file(path, line, sizeof(line) - 1);
	line[length] = 0;
	if (!length || !tick_ns || !stat_split(line, field, &state))
		return false;
	/* a main thread that has ended by pthread_exit() is a zombie while others run */
	*ret_stat = (struct proc_stat){
		.zombie = (state == 'Z' || state == 'X') && field[STAT_THREADS] <= 1,
		.leaving = field[STAT_FLAGS] & FLAG_EXITING,
		.killed = field[STAT_PENDING] & PENDING_KILL,
		.stopped = state == 'T'   ? 1
			   : state == 't' ? 2
					  : 0,
		.parent_pid = (uint32_t)field[STAT_PARENT],
		.wait_status = state == 'Z' ? (int)field[STAT_EXIT_CODE] : -1,
		.cpu_ns = (field[STAT_UTIME] + field[STAT_STIME]) * tick_ns,
		.children_ns = (field[STAT_CHILDREN_UTIME] + field[STAT_CHILDREN_STIME]) * tick_ns,
		.major_faults = field[STAT_MAJOR_FAULTS],
		.start_ticks = field[STAT_START],
		.stack_start = field[STAT_STACK],
	};
	return true;
}

bool proc_stat(uint32_t pid, struct proc_stat *ret_stat)
{
	char path[PROC_PATH_BYTES];

	proc_path(pid, "stat", path, sizeof(path));
	return stat_read(path, ret_stat);
}

bool proc_thread_age(uint32_t pid, uint32_t tid, uint64_t *ret_age_ns, uint64_t *ret_tick_ns)
{
	char path[PROC_PATH_BYTES];
	long per_second = sysconf(_SC_CLK_TCK);
	struct proc_stat stat;
	struct timespec now;
	uint64_t now_ns, born_ns;

	proc_thread_path(pid, tid, "stat", path, sizeof(path));
	if (per_second <= 0 || !stat_read(path, &stat) || clock_gettime(CLOCK_BOOTTIME, &now))
		return false;
	*ret_tick_ns = NS_PER_S / (uint64_t)per_second;
	now_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
	born_ns = stat.start_ticks * *ret_tick_ns;
	if (!stat.start_ticks || stat.start_ticks > UINT64_MAX / *ret_tick_ns || born_ns > now_ns)
		return false;
	*ret_age_ns = now_ns - born_ns;
	return true;
}

bool proc_stat_numbered(uint32_t number, struct proc_stat *ret_stat)
{
	char path[PROC_PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%u/stat", number);
	return stat_read(path, ret_stat);
}

/* Returns the number after the name at the start of a line; false if there is none. */
static bool line_number(const char *text, const char *name, uint64_t *ret_number)
{
	const char *at = strstr(text, name);

	if (!at)
		return false;
	*ret_number = strtoull(at + strlen(name), NULL, 10);
	return true;
}

bool proc_disk(uint32_t pid, struct proc_disk *ret_disk)
{
	char path[PROC_PATH_BYTES], text[STAT_ROOM];
	uint64_t read_bytes, written_bytes, cancelled_bytes = 0;
	size_t length;

	proc_path(pid, "io", path, sizeof(path));
	length = proc_read_file(path, text, sizeof(text) - 1);
	text[length] = 0;
	if (!line_number(text, "\nread_bytes: ", &read_bytes) ||
	    !line_number(text, "\nwrite_bytes: ", &written_bytes))
		return false;
	/* bytes of files that were truncated or deleted before they were written */
	line_number(text, "\ncancelled_write_bytes: ", &cancelled_bytes);
	*ret_disk = (struct proc_disk){
		.read_bytes = read_bytes,
		.written_bytes = written_bytes > cancelled_bytes ? written_bytes - cancelled_bytes
								 : 0,
	};
	return true;
}

uint64_t proc_cpu_ns(uint32_t pid)
{
	struct proc_stat stat;
	struct timespec cpu;
	clockid_t clock;

	if (clock_getcpuclockid((pid_t)pid, &clock) == 0 && clock_gettime(clock, &cpu) == 0)
		return (uint64_t)cpu.tv_sec * NS_PER_S + (uint64_t)cpu.tv_nsec;
	return proc_stat(pid, &stat) ? stat.cpu_ns : 0;
}

uint64_t proc_memory_bytes(uint32_t pid)
{
	char path[PROC_PATH_BYTES], line[128];
	unsigned long long total, resident;
	size_t length;

	proc_path(pid, "statm", path, sizeof(path));
	length = proc_read_file(path, line, sizeof(line) - 1);
	line[length] = 0;
	if (sscanf(line, "%llu %llu", &total, &resident) != 2)
		return 0;
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Returns the line's value in bytes; 0 if there is none. */
static uint64_t status_bytes(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at ? strtoull(at + strlen(line), NULL, 10) * 1024 : 0;
}

bool proc_memory(uint32_t pid, struct proc_memory *ret_memory)
{
	char path[PROC_PATH_BYTES], text[STATUS_ROOM];
	size_t length;

	proc_path(pid, "status", path, sizeof(path));
	length = proc_read_file(path, text, sizeof(text) - 1);
	text[length] = 0;
	*ret_memory = (struct proc_memory){
		.peak_bytes = status_bytes(text, "\nVmHWM:"),
		.resident_bytes = status_bytes(text, "\nVmRSS:"),
		.anonymous_bytes = status_bytes(text, "\nRssAnon:"),
		.file_bytes = status_bytes(text, "\nRssFile:"),
		.shared_bytes = status_bytes(text, "\nRssShmem:"),
	};
	return ret_memory->resident_bytes != 0;
}

/*
 * [heap] follows the program's own segments, which are few. So only the first lines are requested
 * from the kernel.
 */
uint64_t proc_brk_bytes(uint32_t pid)
{
	char path[PROC_PATH_BYTES], text[MAPS_HEAD];
	unsigned long long from, to;
	size_t length;
	char *at;

	proc_path(pid, "maps", path, sizeof(path));
	length = proc_read_file(path, text, sizeof(text) - 1);
	text[length] = 0;
	at = strstr(text, " [heap]\n");
	while (at && at > text && at[-1] != '\n')
		at--;
	if (!at || sscanf(at, "%llx-%llx ", &from, &to) != 2 || to < from)
		return 0;
	return to - from;
}

uint64_t proc_memory_peak_bytes(uint32_t pid)
{
	struct proc_memory memory;

	(void)proc_memory(pid, &memory);
	return memory.peak_bytes;
}

bool proc_process_exists(uint32_t pid)
{
	return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

bool proc_thread_exists(uint32_t pid, uint32_t tid)
{
	return syscall(SYS_tgkill, pid, tid, 0) == 0 || errno != ESRCH;
}

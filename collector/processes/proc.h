/* SPDX-License-Identifier: MIT */
/*
 * Facts about a process and its threads, from /proc and the kernel's clocks. Each of them may be
 * missing: no /proc, another user's process, a process that is gone.
 */
#ifndef COLLECTOR_PROCESSES_PROC_H
#define COLLECTOR_PROCESSES_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROC_COMMAND_BYTES 4096u
/* enough for any path below, except for a file that the process itself names */
#define PROC_PATH_BYTES 64u
#define PROC_NAME_BYTES 16u

struct proc_stat {
	bool zombie;
	bool leaving;     /* its main thread is ending, or has ended */
	bool killed;      /* SIGKILL was sent, which it has not noticed yet */
	uint32_t stopped; /* 1: by a signal, 2: by a debugger */
	uint32_t parent_pid;
	int wait_status;      /* for a zombie, in the form of wait(2); -1 if unknown */
	uint64_t cpu_ns;      /* to a hundredth of a second */
	uint64_t children_ns; /* the same for children that were waited for */
	uint64_t major_faults;
	uint64_t start_ticks; /* since boot; together with the pid it identifies the process */
	uint64_t stack_start; /* changes with exec; 0 if unknown */
};

/* From /proc/PID/status; 0 if an older kernel does not report it. */
struct proc_memory {
	uint64_t peak_bytes, resident_bytes;                /* maximum so far, and now */
	uint64_t anonymous_bytes, file_bytes, shared_bytes; /* parts of what is resident now */
};

/* Bytes that the kernel has read from block devices for a process, and that it will write there. */
struct proc_disk {
	uint64_t read_bytes, written_bytes;
};

/*
 * Makes "/proc/PID/FILE" and "/proc/PID/task/TID/FILE". The result is "", which cannot be opened,
 * if /proc belongs to another pid namespace (`unshare --pid` without a /proc of its own), whose
 * numbers mean other processes. Any thread.
 */
void proc_path(uint32_t pid, const char *file, char *path, size_t room);
void proc_thread_path(uint32_t pid, uint32_t tid, const char *file, char *path, size_t room);
/* True if /proc exists and numbers processes as this process does. */
bool proc_is_ours(void);

/* Returns the length of the text put into `text` (not terminated), 0 if it is unknown. */
size_t proc_command(uint32_t pid, char *text, size_t room);
size_t proc_executable(uint32_t pid, char *text, size_t room);
size_t proc_thread_name(uint32_t pid, uint32_t tid, char *text, size_t room);

#define PROC_SELF 0u /* as a pid: this process, whichever number /proc gives it */

/* Returns false if there is no such process, or no /proc. */
bool proc_stat(uint32_t pid, struct proc_stat *ret_stat);
/*
 * The same for the process that /proc has under that number, in whatever namespace: for names found
 * in the folder itself.
 */
bool proc_stat_numbered(uint32_t number, struct proc_stat *ret_stat);

/* Returns false if it is unknown, for example because the process may not be traced. */
bool proc_disk(uint32_t pid, struct proc_disk *ret_disk);

/* CPU time of all threads, 0 if it is unknown. */
uint64_t proc_cpu_ns(uint32_t pid);
uint64_t proc_memory_bytes(uint32_t pid);
/* Maximum memory since the process became this program; 0 if it is unknown. */
uint64_t proc_memory_peak_bytes(uint32_t pid);

/* Returns false if resident memory is unknown: no such process, a zombie, no /proc. */
bool proc_memory(uint32_t pid, struct proc_memory *ret_memory);

/*
 * Returns the time since the thread began, rounded up to the kernel's resolution (*ret_tick_ns);
 * false if it is unknown.
 */
bool proc_thread_age(uint32_t pid, uint32_t tid, uint64_t *ret_age_ns, uint64_t *ret_tick_ns);

/*
 * Returns the length of its brk() area ([heap] of /proc/PID/maps); 0 if it has none, or it is
 * unknown.
 */
uint64_t proc_brk_bytes(uint32_t pid);

/* True if the process or thread exists, as far as a signal could reach it. */
bool proc_process_exists(uint32_t pid);
bool proc_thread_exists(uint32_t pid, uint32_t tid);

/* Reads at most `room` bytes of a small file; 0 if it cannot be read. */
size_t proc_read_file(const char *path, char *bytes, size_t room);

#endif

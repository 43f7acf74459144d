/* SPDX-License-Identifier: MIT */
/*
 * Facts about a process and its threads, from /proc and the kernel's clocks. Every one of them may be
 * missing: no /proc, another user's process, a process that is gone.
 */
#ifndef COLLECTOR_PROCESSES_PROC_H
#define COLLECTOR_PROCESSES_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROC_COMMAND_BYTES 4096u
#define PROC_PATH_BYTES 64u /* room for any path below but that of a file of the process' own */
#define PROC_NAME_BYTES 16u

struct proc_stat {
	bool zombie;
	uint32_t parent_pid;
	int wait_status;      /* of a zombie, as wait(2) gives it; -1 where it is not told */
	uint64_t cpu_ns;      /* to a hundredth of a second */
	uint64_t children_ns; /* the same, of children that were waited for */
	uint64_t major_faults;
	uint64_t start_ticks; /* since boot: with the pid the identity of the process */
	uint64_t stack_start; /* changes with exec; 0 where it is not told */
};

/* From /proc/PID/status; 0 where an older kernel does not report it. */
struct proc_memory {
	uint64_t peak_bytes, resident_bytes;                /* the most it had, and now */
	uint64_t anonymous_bytes, file_bytes, shared_bytes; /* of what is resident now */
};

/* Bytes that the kernel read from block devices for a process, and will write there. */
struct proc_disk {
	uint64_t read_bytes, written_bytes;
};

/*
 * "/proc/PID/FILE" and "/proc/PID/task/TID/FILE"; "", which nothing opens, where /proc is another pid
 * namespace's (`unshare --pid` without a /proc of its own): its numbers are other processes' than ours.
 * Any thread.
 */
void proc_path(uint32_t pid, const char *file, char *path, size_t room);
void proc_thread_path(uint32_t pid, uint32_t tid, const char *file, char *path, size_t room);
/* Whether /proc is there and numbers processes as this one does. */
bool proc_is_ours(void);

/* Length of the text put into `text` (not terminated), 0 when it cannot be known. */
size_t proc_command(uint32_t pid, char *text, size_t room);
size_t proc_executable(uint32_t pid, char *text, size_t room);
size_t proc_thread_name(uint32_t pid, uint32_t tid, char *text, size_t room);

#define PROC_SELF 0u /* for a pid: this process, whichever number /proc has for it */

/* False: no such process, or no /proc. */
bool proc_stat(uint32_t pid, struct proc_stat *ret_stat);
/* The same of what /proc has under that number, whoever it is: a name found in the folder itself. */
bool proc_stat_numbered(uint32_t number, struct proc_stat *ret_stat);

/* False: it cannot be known, as of a process that may not be traced. */
bool proc_disk(uint32_t pid, struct proc_disk *ret_disk);

/* CPU time of all threads, 0 when it cannot be known. */
uint64_t proc_cpu_ns(uint32_t pid);
uint64_t proc_memory_bytes(uint32_t pid);
/* The most it had since it became this program; 0 when it cannot be known. */
uint64_t proc_memory_peak_bytes(uint32_t pid);

/* False if resident memory is unknown: no such process, a zombie, no /proc. */
bool proc_memory(uint32_t pid, struct proc_memory *ret_memory);

/* Time since the thread began, rounded up to what the kernel tells (*ret_tick_ns); false when it cannot be known. */
bool proc_thread_age(uint32_t pid, uint32_t tid, uint64_t *ret_age_ns, uint64_t *ret_tick_ns);

/* Length of what brk() has given it ([heap] of /proc/PID/maps); 0 when it has none, or that is not known. */
uint64_t proc_brk_bytes(uint32_t pid);

/* Whether the process or thread exists, as far as a signal could reach it. */
bool proc_process_exists(uint32_t pid);
bool proc_thread_exists(uint32_t pid, uint32_t tid);

/* At most `room` bytes of a small file; 0 when it cannot be read. */
size_t proc_read_file(const char *path, char *bytes, size_t room);

#endif

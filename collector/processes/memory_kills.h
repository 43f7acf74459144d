/* SPDX-License-Identifier: MIT */
/*
 * How many processes the kernel's OOM killer ends where a process lives: in its memory cgroup, or
 * if none counts them, on the machine. Looked at while the process lives, and once more when it has
 * ended, so that a report can say whether the OOM killer was at work when the process died. Beside
 * that, how much memory the process may have.
 *
 * It costs two small files of /proc and /sys a look, and the limit a few more each ten seconds.
 * One thread.
 */
#ifndef COLLECTOR_PROCESSES_MEMORY_KILLS_H
#define COLLECTOR_PROCESSES_MEMORY_KILLS_H

#include <stdbool.h>
#include <stdint.h>

/* The kernel counts a process before it has ended, so a look from shortly before says nothing. */
#define MEMORY_KILLS_SURE_NS 4000000000u

struct memory_look {
	uint64_t count;
	uint64_t looked_ns; /* time of the file */
};

struct memory_kills {
	char *file; /* that counts them; NULL: it is not known */
	/* of that file; `before` is MEMORY_KILLS_SURE_NS or more before `last`, or the first one */
	struct memory_look before, last;
	uint64_t limit_bytes, limit_ns; /* as memory_limit_bytes() had it, and when */
};

/* What happened between the look `before` and the end. */
struct memory_kills_end {
	uint64_t kills; /* plus one; 0: unknown, or none and the look was too late to be sure */
	uint64_t within_ns;
	bool is_machine; /* of the whole machine, not of its cgroup */
};

void memory_kills_look(struct memory_kills *kills, uint32_t pid, uint64_t now_ns);
/* For a process that is gone. */
struct memory_kills_end memory_kills_since(const struct memory_kills *kills, uint64_t end_ns);
void memory_kills_release(struct memory_kills *kills);

#endif

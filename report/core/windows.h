/* SPDX-License-Identifier: MIT */
/*
 * Stretches of time of single processes, from `from_ns` to before `to_ns`: what --step lets through.
 *
 * Who knows of such stretches (steps of a loop) is a line WINDOW_KIND(name) in its family's family.def and a
 * struct window_kind window_kind_<name>; option --<name> of all reports asks for them by their number.
 *
 * Processes are named by file and by their number in it. One thread. Memory grows with windows.
 */
#ifndef REPORT_CORE_WINDOWS_H
#define REPORT_CORE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;

struct window {
	uint32_t file, process; /* indices, and number in the file */
	uint32_t pid;
	uint64_t number; /* which of the process's it is */
	uint64_t from_ns, to_ns;
};

/* All zeros is empty. */
struct windows {
	struct window *window;
	size_t count, room;
};

void windows_release(struct windows *windows);
void windows_add(struct windows *windows, const struct window *window);
/* Once all are there, before windows_hold(): sorts them and joins those that touch. */
void windows_settle(struct windows *windows);
bool windows_hold(const struct windows *windows, uint32_t file, uint32_t process, uint64_t time_ns);

struct window_kind {
	const char *name;
	/* Wants the analyses that know of them; what it returns is handed to put(). */
	const void *(*start)(struct run *run);
	/* Once all is read: each whole one. */
	void (*put)(const void *state, const struct run *run, struct windows *windows);
};

#define WINDOW_KIND(name) extern const struct window_kind window_kind_##name;
#include "report/families.def"

#endif

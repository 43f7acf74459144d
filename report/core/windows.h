/* SPDX-License-Identifier: MIT */
/*
 * Windows: spans of time of single processes, from `from_ns` to before `to_ns`. --step selects
 * them.
 *
 * A family that knows such windows (steps of a loop) has a line WINDOW_KIND(name) in its family.def
 * and a struct window_kind window_kind_<name>; option --<name> of all reports selects them by
 * number.
 *
 * Processes are identified by file and by their number in it. To be used by one thread. Memory
 * grows with windows.
 */
#ifndef REPORT_CORE_WINDOWS_H
#define REPORT_CORE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;

struct window {
	uint32_t file, process; /* indices; `process` is the number in the file */
	uint32_t pid;
	uint32_t thread; /* thread id; 0: all threads of the process */
	uint64_t number; /* its number among the windows of the process */
	uint64_t from_ns, to_ns;
};

/* All zeros is empty. */
struct windows {
	struct window *window;
	size_t count, room;
};

void windows_release(struct windows *windows);
void windows_add(struct windows *windows, const struct window *window);
/* By file, process and time. */
void windows_sort(struct windows *windows);
/*
 * To be called once all are there and before windows_hold(): sorts them and joins those that touch.
 */
void windows_settle(struct windows *windows);
bool windows_hold(const struct windows *windows, uint32_t file, uint32_t process, uint64_t time_ns);
/* The same for an event of that thread: windows of the thread hold it, too. */
bool windows_hold_thread(const struct windows *windows, uint32_t file, uint32_t process,
			 uint32_t thread, uint64_t time_ns);

struct window_kind {
	const char *name;
	/*
	 * Wants the analyses that know the windows; its result is passed to put(). `by_marks`: they
	 * may read only events that digests of segments have.
	 */
	const void *(*start)(struct run *run, bool by_marks);
	/* Called once all is read: puts each complete window. */
	void (*put)(const void *state, const struct run *run, struct windows *windows);
};

#define WINDOW_KIND(name) extern const struct window_kind window_kind_##name;
#include "report/families.def"

#endif

/* SPDX-License-Identifier: MIT */
/*
 * When a family of events is called, besides its hooks. Cold paths only; hooks go straight to
 * the recorder.
 *
 * A family that wants any of these calls defines `const struct family family_NAME` and has a
 * line in preload/families.def; members that it does not set are NULL. Families are called in
 * the order of that list.
 */
#ifndef PRELOAD_RECORD_FAMILY_H
#define PRELOAD_RECORD_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#define FAMILY_FLUSH_NS 200000000u /* for the flush() of all families together */

struct family {
	/* In the constructor, whether the process will record or stay dormant; not when we were opened by
	 * dlopen(), nor where children are not recorded. Single-threaded. */
	void (*loaded)(void);
	/* The recorder is open in this process, its gates still shut: recording is about to begin. Again in a
	 * forked child that gets a region of its own. In the constructor, or in the hook that woke the program. */
	void (*start)(void);
	/* The gates have opened: at the start, and with every capture range. Any thread, signal handlers too. */
	void (*opened)(void);
	/* In a forked child, before its first event, its gates shut: nothing of the parent's other threads runs
	 * here. Within malloc() perhaps: no lock, no allocation (`make lint` follows it). */
	void (*forked)(void);
	/* The CUDA driver starts in this process, which records: within its cuInit(), which may be within any
	 * CUDA call, on the thread that makes it. `is_late`: it was found to have started unseen, behind a call that
	 * succeeded (driver.h). Of threads that come at once each may call. */
	void (*driver_starts)(bool is_late);
	/* exit(): what is still held back is recorded now or never; the gates are open if they were. Returns
	 * before CLOCK_MONOTONIC is `until_ns`. Not called at _exit(), which a signal handler may call. */
	void (*flush)(uint64_t until_ns);
	/* Python's os._exit() and os.exec*(): the same, where threads may be made and memory allocated. Not at any other
	 * _exit() or exec, which a signal handler may call, nor in a child of vfork(). Returns within a second. An exec
	 * that fails comes back, and the program goes on. */
	void (*leaves)(void);
};

#endif

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

#define FAMILY_FLUSH_NS 200000000u /* time limit for the flush() of all families together */

struct family {
	/*
	 * In the constructor, whether the process will record or stay dormant. Not called if we
	 * were opened by dlopen(), or where children are not recorded. Single-threaded.
	 */
	void (*loaded)(void);
	/*
	 * The recorder is open in this process, but its gates are still shut: recording is about to
	 * begin. Called again in a forked child that gets a region of its own. Runs in the
	 * constructor, or in the hook that woke the program.
	 */
	void (*start)(void);
	/*
	 * The gates have opened: at the start, and with every capture range. Any thread, signal
	 * handlers too.
	 */
	void (*opened)(void);
	/*
	 * In a forked child, before its first event, with its gates shut. The parent's other
	 * threads do not exist here. It may run within malloc(), so no lock and no allocation
	 * (`make lint` checks it).
	 */
	void (*forked)(void);
	/*
	 * The CUDA driver starts in this process, which records. Runs within cuInit(), which may be
	 * inside any CUDA call, on the thread that makes the call. `is_late`: the driver had
	 * started unnoticed, and a successful call showed it (driver.h). If several threads come at
	 * once, each may call this.
	 */
	void (*driver_starts)(bool is_late);
	/*
	 * In exit(): events that are still held back must be recorded now. The gates are open if
	 * they were before. Returns before CLOCK_MONOTONIC is `until_ns`. Not called in _exit(),
	 * which a signal handler may call.
	 */
	void (*flush)(uint64_t until_ns);
	/*
	 * In Python's os._exit() and os.exec*(): as flush(), at a point where threads and memory
	 * may be created. Not called in any other _exit() or exec, which a signal handler may call,
	 * nor in a child of vfork(). Returns within a second. An exec that fails returns, and the
	 * program goes on.
	 */
	void (*leaves)(void);
};

#endif

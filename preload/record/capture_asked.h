/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_CAPTURE=trigger: the collector says through the region when to record (struct
 * region_asked), and this process follows. It notices at the next hook, without a system call: a
 * word of the region is compared while the gates are shut, and now and then while they are open.
 *
 * A hook of the heap only sets the gates. Libraries are called (PyTorch's callbacks, CUPTI) at the
 * next capture_asked_look(), where no lock of theirs is held.
 *
 * Any thread; no lock, no allocation.
 */
#ifndef PRELOAD_RECORD_CAPTURE_ASKED_H
#define PRELOAD_RECORD_CAPTURE_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/family.h"

/* The setting. Set before recording begins. */
extern bool capture_is_asked PRELOAD_HIDDEN;

extern const struct family family_capture_asked PRELOAD_HIDDEN;

/* Call before recording begins. */
void capture_asked_init(bool is_asked);

void capture_asked_follow(void);

/*
 * Call where libraries may be called: in their callbacks for users, not within malloc() or CUPTI.
 */
static inline void capture_asked_look(void)
{
	if (__builtin_expect(capture_is_asked, 0))
		capture_asked_follow();
}

/* Step `number` of this process begins. */
void capture_asked_step(uint64_t number);
/* The same where nothing is asked for: only tells the collector of it, for its rules. */
void capture_asked_count_step(uint64_t number);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Acts only if recording is open, CPython's own code is the caller and no hook is running on this
 * thread. Then each family records what it still holds (families_leave()), and the thread's name is
 * noted: a DataLoader worker names itself, and its parent has waited for it before the collector
 * looks.
 */
#include "preload/life/departure.h"

#include <stdbool.h>

#include "preload/base/interpreter.h"
#include "preload/life/families.h"
#include "preload/record/entry.h"
#include "preload/record/last_name.h"
#include "preload/record/recorder.h"

/* True if no hook of ours is running on this thread, and none was left by longjmp(). */
static bool is_outside_hooks(void)
{
	return recorder_self.lane[0].owner < RECORDER_BUSY_MIN &&
	       recorder_self.lane[1].owner < RECORDER_BUSY_MIN;
}

void departure_flush(const void *caller)
{
	if (!recorder_is_open() || !entry_is_own() || !recorder_gates->generation ||
	    !is_outside_hooks() || !interpreter_calls(caller))
		return;
	families_leave();
	last_name_note();
}

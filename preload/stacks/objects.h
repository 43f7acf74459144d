/* SPDX-License-Identifier: MIT */
/*
 * Objects that dlopen() has loaded: which of them are gone is recorded (RECORD_UNLOADED), with all that tells what they were. The
 * collector reads /proc/PID/maps now and then, and sees neither what came and went in between nor when.
 *
 * Any thread. No lock: one thread looks at a time, and looks again for those that came meanwhile. Takes ld.so's lock, as
 * dlclose() does itself. errno is changed.
 */
#ifndef PRELOAD_STACKS_OBJECTS_H
#define PRELOAD_STACKS_OBJECTS_H

#include "preload/base/hidden.h"

/* What is loaded now was loaded before the program began, and stays. While all gates are shut. */
PRELOAD_HIDDEN void objects_start(void);

/* Before an object may go: takes note of what is loaded. */
PRELOAD_HIDDEN void objects_note(void);

/* After it may have gone: records what is no longer there. */
PRELOAD_HIDDEN void objects_record_gone(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Records which objects loaded by dlopen() are gone (RECORD_UNLOADED), with all that identifies
 * them. The collector reads /proc/PID/maps now and then. It does not see what was loaded and
 * unloaded in between, nor when.
 *
 * Any thread. One thread looks at a time, and looks again for others that came meanwhile, which
 * wait for it. Takes ld.so's lock, as dlclose() itself does. errno is changed.
 */
#ifndef PRELOAD_STACKS_OBJECTS_H
#define PRELOAD_STACKS_OBJECTS_H

#include "preload/base/hidden.h"

/*
 * What is loaded now was loaded before the program began, and stays. Call while all gates are shut.
 */
PRELOAD_HIDDEN void objects_start(void);

/* Call before an object may be unloaded: notes what is loaded. */
PRELOAD_HIDDEN void objects_note(void);

/* Call after an object may have been unloaded: records what is no longer there. */
PRELOAD_HIDDEN void objects_record_gone(void);

#endif

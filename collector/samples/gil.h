/* SPDX-License-Identifier: MIT */
/*
 * The GIL of a sampled process: which thread has it at a look. An interpreter's lock says whether it is locked, and by which
 * thread's state it was taken last; a state that the interpreter does not list is nobody.
 */
#ifndef COLLECTOR_SAMPLES_GIL_H
#define COLLECTOR_SAMPLES_GIL_H

#include "collector/region/python_layout.h"
#include "collector/samples/memory.h"

/* Address of the state of the thread that has it; 0: nobody, or it cannot be read. `gil`: its address, 0: not known. */
uint64_t gil_holder(struct memory *memory, const struct python_layout *layout, uint64_t gil);

#endif

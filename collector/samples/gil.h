/* SPDX-License-Identifier: MIT */
/*
 * Which thread of a sampled process holds the GIL at a sample. The interpreter's lock says
 * whether it is locked, and which thread's state took it last. A state that the interpreter does
 * not list counts as nobody.
 */
#ifndef COLLECTOR_SAMPLES_GIL_H
#define COLLECTOR_SAMPLES_GIL_H

#include "collector/region/python_layout.h"
#include "collector/samples/memory.h"

/*
 * Returns the address of the state of the thread that holds it; 0: nobody does, or it cannot be
 * read. `gil`: its address, 0: not known.
 */
uint64_t gil_holder(struct memory *memory, const struct python_layout *layout, uint64_t gil);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Asks the session's nursery for a collector (collector/region/nursery.h), so that the program below a
 * process that adopts orphans leaves it none.
 *
 * Programs that see the same files, processes and users under the same names share a nursery: the others could not
 * be served by it. No thread, no allocation, no descriptor left but the one that is asked for.
 */
#ifndef PRELOAD_LIFE_NURSERY_H
#define PRELOAD_LIFE_NURSERY_H

#include <stdbool.h>

#include "collector/region/region.h"

/*
 * True when a collector has the region. Otherwise the caller has to start it, and ret_listen is the socket
 * that it is to listen at as the session's nursery, close-on-exec, or -1 when there can be none.
 * Waits for an answer for one second at most. `collector`: path of the program that the caller would start.
 */
bool nursery_ask(const char *collector, int region_fd, struct region_header *header,
		 int *ret_listen);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Asks the session's nursery for a collector (collector/region/nursery.h), so that a process that
 * adopts orphans does not find collectors among its children.
 *
 * Programs share a nursery if they see the same files, processes and users under the same names; it
 * could not serve others. Creates no thread, allocates nothing, and leaves no descriptor open but
 * the one that is returned.
 */
#ifndef PRELOAD_LIFE_NURSERY_H
#define PRELOAD_LIFE_NURSERY_H

#include <stdbool.h>

#include "collector/region/region.h"

/*
 * Returns true if a collector has taken the region. Otherwise the caller has to start a collector.
 * ret_listen is then the socket (close-on-exec) at which that collector shall listen as the
 * session's nursery, or -1 if there can be none. Waits at most one second for an answer.
 * `collector` is the path of the program that the caller would start.
 */
bool nursery_ask(const char *collector, int region_fd, struct region_header *header,
		 int *ret_listen);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A file that changes its name while it is written, or after: one that was begun beside, because another session's
 * stood at the name that was asked for, takes that name, gets a number, or goes. Only its own writer does that.
 *
 * One thread. `path` (PATH_MAX bytes) is the file's name before and after. Under the lock on the folder; none waits.
 */
#ifndef COLLECTOR_OUTPUT_HANDOVER_H
#define COLLECTOR_OUTPUT_HANDOVER_H

#include "collector/output/output_name.h"
#include "collector/output/rotation.h"

/* request->output everywhere: what it leads to, as output_name_open() has it in ret_output. */
struct rotation_standing handover_look(const struct output_name_request *request);

/* Takes request->output, if that is free or a finished recording's, which moves; false: not now. */
bool handover_take(const struct output_name_request *request, char *path);

/* The file at request->output gets the name that it would have had beside; false: it stays. */
bool handover_leave(const struct output_name_request *request, char *path);

/* The file gets the number 1 of those that were before. */
bool handover_number(const struct output_name_request *request, char *path);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A file that changes its name while it is written, or afterwards. It was begun under another name,
 * because another session's file had the wanted name. Later it takes the wanted name, gets a
 * number, or is removed. Only its own writer does this.
 *
 * One thread. `path` (PATH_MAX bytes) is the file's name before and after. Call with the folder
 * locked; nothing waits here.
 */
#ifndef COLLECTOR_OUTPUT_HANDOVER_H
#define COLLECTOR_OUTPUT_HANDOVER_H

#include "collector/output/output_name.h"
#include "collector/output/rotation.h"

/* request->output is always the resolved path, as output_name_open() returns it in ret_output. */
struct rotation_standing handover_look(const struct output_name_request *request);

/*
 * Takes request->output if it is free, or belongs to a finished recording, which is moved. Returns
 * false if that is not possible now.
 */
bool handover_take(const struct output_name_request *request, char *path);

/* Gives the file at request->output the name that it would have had otherwise. False: it stays. */
bool handover_leave(const struct output_name_request *request, char *path);

/* Gives the file the number 1, as the latest of the earlier recordings. */
bool handover_number(const struct output_name_request *request, char *path);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Where the file goes: the name asked for, an earlier run's file moved out of the way, or a name
 * beside it. Opens; writes nothing.
 *
 * A file that is being written is known by its writer's lock (open file description lock on all of
 * it) and is never touched. Only regular files are moved, and only files of ours are removed.
 */
#ifndef COLLECTOR_PLACE_H
#define COLLECTOR_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/file.h"

struct place_request {
	const char *output; /* absolute */
	const char *session;
	const char *host;
	uint32_t pid;
	uint64_t start_s; /* with host and pid the name beside */
	uint32_t keep;    /* finished files of earlier runs */
	bool beside;      /* do not take `output` itself */
};

/*
 * Creates and locks the file; ret_path (PATH_MAX bytes) is its name. Returns the descriptor or -1 with
 * errno set and ret_path naming what could not be created.
 */
int place_open(const struct place_request *request, char *ret_path);

#endif

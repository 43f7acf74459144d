/* SPDX-License-Identifier: MIT */
/*
 * Decides the name of the file: the wanted name, perhaps after moving an earlier run's file, or
 * another name beside it. Opens the file; writes nothing.
 *
 * A file that is being written is never touched, nor one of a session that still has a process:
 * rotation.h.
 *
 * A link stands for its target (link.h): the files that are moved, and those written beside it, are
 * in the target's folder. What is no regular file, and everything in /dev and /proc, is refused.
 */
#ifndef COLLECTOR_OUTPUT_OUTPUT_NAME_H
#define COLLECTOR_OUTPUT_OUTPUT_NAME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/file.h"

struct output_name_request {
	const char *output; /* absolute */
	const char *session;
	const char *host;
	uint32_t pid;
	/* with host and pid it makes the other name */
	uint64_t start_s;
	uint64_t began_ns;                               /* see rotation.h; 0: unknown */
	uint32_t keep;                                   /* finished files of earlier runs */
	bool beside;                                     /* do not take `output` itself */
	bool (*lives)(const char *session, bool afresh); /* see rotation.h; may be NULL */
	/* name of the program's file; NULL: unknown */
	const char *program;
	bool plain; /* it uses neither Python, CUDA nor NVTX, as far as is known */
	/* a descriptor to keep open while the file is written, or -1; may be NULL */
	int *ret_guard;
	char *ret_output; /* PATH_MAX bytes: the resolved `output`; may be NULL */
};

/*
 * Creates and locks the file; ret_path (PATH_MAX bytes) is its name. Returns the descriptor. On
 * failure it returns -1: ret_path is what could not be created, and *ret_why a sentence that says
 * why, or NULL if errno does.
 */
int output_name_open(const struct output_name_request *request, char *ret_path,
		     const char **ret_why);

/*
 * Locks the folder of a path against collectors that move files in it. -1: not locked, continue
 * without.
 */
int output_name_lock_folder(const char *path);

/* Makes the other name beside `output`, with that number. False if it is too long. */
bool output_name_beside(const struct output_name_request *request, unsigned int number,
			char *ret_path);

/*
 * The file of this session at request->output is complete, `bytes` long. Of the files that made way
 * for such files, `keep` stay, see earlier_prune().
 */
void output_name_settle(const struct output_name_request *request, uint64_t bytes);

#endif

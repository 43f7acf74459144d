/* SPDX-License-Identifier: MIT */
/*
 * Where the file goes: the name asked for, an earlier run's file moved out of the way, or a name
 * beside it. Opens; writes nothing.
 *
 * A file that is being written is never touched, nor one of a session that has a process: rotation.h.
 *
 * A link means what it leads to (link.h): that, the files moved out of its way and those beside are all
 * there. What is no file, and whatever lies in /dev and /proc, is refused.
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
	uint64_t start_s;                                /* with host and pid the name beside */
	uint32_t keep;                                   /* finished files of earlier runs */
	bool beside;                                     /* do not take `output` itself */
	bool (*lives)(const char *session, bool afresh); /* see rotation.h; may be NULL */
	const char *program;                             /* name of its file; NULL: unknown */
	bool plain; /* it uses neither Python, CUDA nor NVTX, as far as is known */
	int *ret_guard; /* descriptor to be held open as long as the file is written, or -1; may be NULL */
	char *ret_output; /* PATH_MAX bytes: what `output` leads to; may be NULL */
};

/*
 * Creates and locks the file; ret_path (PATH_MAX bytes) is its name. Returns the descriptor, or -1 with
 * ret_path naming what could not be created, and *ret_why a sentence that says why, or NULL: errno does.
 */
int output_name_open(const struct output_name_request *request, char *ret_path,
		     const char **ret_why);

/* The folder of a path, locked against collectors that move files in it at this moment; -1: best effort. */
int output_name_lock_folder(const char *path);

/* The name beside `output`, the one of that number; false when it is too long. */
bool output_name_beside(const struct output_name_request *request, unsigned int number,
			char *ret_path);

/* The file of this session at request->output is complete, `bytes` long: of those that made way for such files `keep`
 * stay, see earlier_prune(). */
void output_name_settle(const struct output_name_request *request, uint64_t bytes);

#endif

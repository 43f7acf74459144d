/* SPDX-License-Identifier: MIT */
/*
 * The file that has the requested name, and how it makes room: a finished file of an earlier run
 * becomes NAME.1, that NAME.2 and so on. Whoever calls holds the lock on the folder
 * (output_name.c).
 *
 * A file is left where it is while it is written, and while its session has a process: a writer
 * has the lock on its bytes, the other collectors of the session share a lock behind the end of
 * the session's first file, and of processes that are not recorded `lives` knows. Only regular
 * files are moved, and only files of ours removed.
 */
#ifndef COLLECTOR_OUTPUT_ROTATION_H
#define COLLECTOR_OUTPUT_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/file.h"

struct rotation {
	const char *output;  /* absolute */
	const char *session; /* that asks */
	uint32_t keep;       /* finished files of earlier runs */
	/* Whether a session has a process; `afresh`: now, not at the last question. NULL: nobody knows. */
	bool (*lives)(const char *session, bool afresh);
	const char *program; /* that asks, NULL: unknown */
	bool plain;          /* it uses neither Python, CUDA nor NVTX: see rotation_clear() */
	bool in_a_hurry;     /* what stands there is not waited for, if it is just ending */
};

/* What stands at `output`. */
struct rotation_standing {
	bool own;      /* a recording of this session */
	bool other;    /* of another one */
	bool finished; /* whose writer has gone */
	bool interest; /* of a program that uses Python, CUDA or NVTX */
	uint64_t bytes;
};

/* Locks a file that was just made, for its writer; and lets it go when it is complete. */
void rotation_lock(int fd);
void rotation_unlock(int fd);

/*
 * Makes `output` free when it may be. For a plain program only what is small and plain as well, or of the same program,
 * moves: what it records may be nothing (`ls` in a shell that has LD_PRELOAD exported), which is known later.
 */
bool rotation_clear(const struct rotation *rotation);

struct rotation_standing rotation_look(const struct rotation *rotation);

/* Gives the file at `path` the number 1; those that have numbers move up. */
bool rotation_insert(const struct rotation *rotation, const char *path);

/* True if a recording of `ours` bytes may displace one of `bytes`. */
bool rotation_outweighs(uint64_t ours, uint64_t bytes);

/*
 * A descriptor of `output`, whose plain program is asked to leave the name to one that is of interest, as long as it is
 * open; -1 when there is nobody to ask. The writer of the file asks whether it is asked.
 */
int rotation_ask(const struct rotation *rotation);
bool rotation_is_asked(int fd);

/*
 * A descriptor whose lock keeps `output` where it is, when that is a file of this session; else -1. For a
 * collector of the session whose own file is another.
 */
int rotation_guard(const struct rotation *rotation);

/* The header of a recording and its length; false: it is none. */
bool rotation_read(const char *path, struct file_header *ret_header, uint64_t *ret_bytes);

/* The recording at `path` is another session's, which is over. */
bool rotation_is_over(const struct rotation *rotation, const char *path, bool afresh);

#endif

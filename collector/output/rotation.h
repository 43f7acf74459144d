/* SPDX-License-Identifier: MIT */
/*
 * The file that has the wanted name, and how it makes room: a finished file of an earlier run
 * becomes NAME.1, that one NAME.2 and so on. The caller holds the lock on the folder
 * (output_name.c).
 *
 * A file is left where it is while it is written, and while its session has a process. Three things
 * show that. A writer has the lock on the file's bytes. The other collectors of the session share a
 * lock behind the end of the session's first file. `lives` knows of processes that are not
 * recorded. Only regular files are moved, and only files of ours are removed.
 */
#ifndef COLLECTOR_OUTPUT_ROTATION_H
#define COLLECTOR_OUTPUT_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/file.h"

struct rotation {
	const char *output;  /* absolute */
	const char *session; /* session of the caller */
	uint32_t keep;       /* finished files of earlier runs */
	/*
	 * True if a session has a process. `afresh`: now, not at the last call. NULL: nobody knows.
	 */
	bool (*lives)(const char *session, bool afresh);
	const char *program; /* program of the caller; NULL: unknown */
	bool plain;          /* it uses neither Python, CUDA nor NVTX: see rotation_clear() */
	bool in_a_hurry;     /* do not wait for a file whose session is just ending */
	/*
	 * CLOCK_REALTIME at the start of a program of interest. A small, plain recording that was
	 * written after that is of a program that ran beside it (`tee` in a pipe), and is removed
	 * instead of moved. 0: none is removed.
	 */
	uint64_t began_ns;
};

/* What has the name `output`. */
struct rotation_standing {
	bool own;      /* a recording of this session */
	bool other;    /* of another session */
	bool finished; /* its writer is gone */
	bool interest; /* of a program that uses Python, CUDA or NVTX */
	bool asked;    /* a program of interest asks for the name: rotation_ask() */
	uint64_t bytes;
};

/* Lock a file that was just made, for its writer, and unlock it when it is complete. */
void rotation_lock(int fd);
void rotation_unlock(int fd);

/*
 * Makes `output` free if possible. For a plain program, only a recording that is small and plain as
 * well, or of the same program, is moved. What it records may turn out to be nothing (`ls` in a
 * shell that has LD_PRELOAD exported).
 */
bool rotation_clear(const struct rotation *rotation);

struct rotation_standing rotation_look(const struct rotation *rotation);

/* Gives the file at `path` the number 1; files with numbers move up. */
bool rotation_insert(const struct rotation *rotation, const char *path);

/* True if a recording of `ours` bytes may displace one of `bytes`. */
bool rotation_outweighs(uint64_t ours, uint64_t bytes);

/*
 * Asks the plain program that has `output` to leave the name to a program of interest. Returns a
 * descriptor; the request lasts as long as it is open. -1: there is nobody to ask. The second
 * function tells the writer of the file whether it is asked.
 */
int rotation_ask(const struct rotation *rotation);
bool rotation_is_asked(int fd);

/*
 * Returns a descriptor whose lock keeps `output` in its place, if it is a file of this session;
 * else -1. For a collector of the session that writes another file.
 */
int rotation_guard(const struct rotation *rotation);

/* Reads the header of a recording and its length. False: it is no recording. */
bool rotation_read(const char *path, struct file_header *ret_header, uint64_t *ret_bytes);

/* True if the recording at `path` belongs to another session, which is over. */
bool rotation_is_over(const struct rotation *rotation, const char *path, bool afresh);

#endif

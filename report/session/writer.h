/* SPDX-License-Identifier: MIT */
/*
 * Finds, in /proc, the writer of a file that is being recorded, and which of the recorded programs
 * are still running: a process called intercept-coll that has the file open, and processes that map
 * the memory that it shares with them. They may be invisible from here: another host, container or
 * user.
 */
#ifndef REPORT_SESSION_WRITER_H
#define REPORT_SESSION_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WRITER_COMMAND_BYTES 64

struct writer {
	uint32_t pid;                       /* of the collector, 0: not found */
	uint64_t device, inode;             /* of the shared memory; inode 0: unknown */
	uint32_t program_pid;               /* a recorded program that is alive; 0: none */
	char command[WRITER_COMMAND_BYTES]; /* its command, safe to print, cut */
};

/* Looks for the writer of descriptor `fd`, first at those found before. Takes some milliseconds. */
void writer_look(struct writer *writer, int fd);

/*
 * True if a collector of this machine lives that has not opened its file yet. Its program may have
 * been killed by then. Goes through all of /proc.
 */
bool writer_is_starting(void);

/*
 * Finds the recording of the process with that pid, of one of its descendants, or of a collector
 * with that pid. Its path is put into `ret_path`, PATH_MAX bytes. False: there is none, or it is
 * invisible from here. Goes through all of /proc.
 */
bool writer_find_file(uint32_t pid, char *ret_path);

#endif

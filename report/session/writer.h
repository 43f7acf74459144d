/* SPDX-License-Identifier: MIT */
/*
 * Who writes a file that is being recorded, and which of the programs that it records still run, as
 * /proc shows them: a process called intercept-coll that has the file open, and those that map the memory
 * that it shares with them. Nothing of it may be to be seen: another host, container or user.
 */
#ifndef REPORT_SESSION_WRITER_H
#define REPORT_SESSION_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WRITER_COMMAND_BYTES 64

struct writer {
	uint32_t pid;                       /* of the collector, 0: not found */
	uint64_t device, inode;             /* of the memory it shares; inode 0: unknown */
	uint32_t program_pid;               /* one that it records and that lives; 0: none */
	char command[WRITER_COMMAND_BYTES]; /* of that one, safe to print, cut */
};

/* Looks anew, first at those found before: the file of descriptor `fd`. Takes some milliseconds. */
void writer_look(struct writer *writer, int fd);

/*
 * The recording of the process with that pid, of one that descends from it, or that such a collector writes: its path in
 * `ret_path`, PATH_MAX bytes. False: there is none, or it is not to be seen. Looks at all of /proc.
 */
bool writer_find_file(uint32_t pid, char *ret_path);

#endif

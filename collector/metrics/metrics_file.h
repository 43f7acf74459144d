/* SPDX-License-Identifier: MIT */
/*
 * The file of INTERCEPT_METRICS: replaced as a whole, so that a reader never sees a part of it.
 * Only a file that has intercept's metrics, or none at all, is replaced. If another collector has
 * replaced it, this one goes on beside it, with the pid in the name.
 */
#ifndef COLLECTOR_METRICS_METRICS_FILE_H
#define COLLECTOR_METRICS_METRICS_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define METRICS_FILE_WHY_BYTES 160u

struct metrics_file {
	char path[PATH_MAX]; /* "": none is wanted */
	uint32_t pid;        /* for the name beside */
	bool is_beside;
	dev_t device; /* of what was written last; inode 0: nothing yet */
	ino_t inode;
};

void metrics_file_init(struct metrics_file *file, const char *path, uint32_t pid);
/* The name is another program's: train.prom becomes train.PID.prom. */
void metrics_file_move_beside(struct metrics_file *file);
/* Returns 0, or -1 with a reason. What was there then stays. */
int metrics_file_replace(struct metrics_file *file, const char *text, size_t length,
			 char why[METRICS_FILE_WHY_BYTES]);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Collectors that run on this machine, and how they are asked (collector/control/control.h). The
 * kernel refuses the control of another user's collector. What a control says is not trusted: it is
 * copied, and its texts are terminated.
 */
#ifndef REPORT_ASK_COLLECTORS_H
#define REPORT_ASK_COLLECTORS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/control/control.h"

struct asked_collector {
	uint32_t pid;
	int fd; /* of its control */
	uint64_t asked;
	struct control seen; /* as last read */
	char path[PATH_MAX]; /* of its recording */
};

struct collectors {
	struct asked_collector *collector;
	size_t count, room;
};

/*
 * Finds the collector of a process (its pid, or that of a program that started it), or with a file
 * the collectors of its whole session. Returns 0, or -1 with one line in `message`.
 */
int collectors_find(struct collectors *collectors, const char *what, char *message,
		    size_t message_bytes);
void collectors_release(struct collectors *collectors);

/* Hands the request over. Returns 0 when it is answered in `seen`, or -1 with one line. */
int collector_ask(struct asked_collector *collector, const char *request, char *message,
		  size_t message_bytes);
/* Reads `seen` again. False: the collector has ended. */
bool collector_look(struct asked_collector *collector);

#endif

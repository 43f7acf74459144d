/* SPDX-License-Identifier: MIT */
/*
 * The collector's side of collector/control/control.h: makes the memory, takes requests out of it
 * and puts answers in. It does not know what a request means.
 *
 * Where memfd_create() is refused, nobody can ask. One thread; no system call but at the start.
 */
#ifndef COLLECTOR_CAPTURES_DOOR_H
#define COLLECTOR_CAPTURES_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/control/control.h"

struct door {
	struct control *control; /* NULL: there is none */
	int fd;
	uint64_t seen; /* the last request that was taken */
};

void door_open(struct door *door, const char *session);
void door_close(struct door *door);

/* True if there is a new request, which is copied, terminated. */
bool door_take(struct door *door, char ret_request[CONTROL_TEXT_BYTES]);
/* Answers the request that was taken last. `text` may be "". */
void door_answer(struct door *door, enum control_answer answer, uint32_t number, const char *text);

/* What became of the newest capture. */
struct door_news {
	uint32_t number, how;
	uint64_t begin_ns, end_ns;
	enum control_phase phase;
};
void door_tell(struct door *door, const struct door_news *news);

#endif

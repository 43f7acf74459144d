/* SPDX-License-Identifier: MIT */
/*
 * Closing a frame: a consistent cut through all rings, the collector's own events, compression, the
 * write, and what follows from it for processes and rings.
 */
#ifndef COLLECTOR_TURN_EPOCH_H
#define COLLECTOR_TURN_EPOCH_H

#include "collector/turn/collector.h"

enum epoch_kind {
	/* the frame is full: cut at its newest record; EPOCH_NOW if a process is leaving */
	EPOCH_FULL,
	EPOCH_NOW,  /* cut at this moment; processes that are leaving are ended */
	EPOCH_LAST, /* as EPOCH_NOW, and it ends the file */
};

void epoch_close(struct collector *c, enum epoch_kind kind);

/* Frees the entries of processes whose end was recorded and that are gone, with all their rings. */
void epoch_free_entries(struct collector *c);

/* True if anything waits to be written. */
bool epoch_is_pending(const struct collector *c);

#endif

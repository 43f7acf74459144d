/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_CAPTURE=range:NAME, nvtx:NAME, label:NAME: the recorder's gates are open while at least one range of that name is open in
 * the process, on whichever thread. Who has ranges says so here: NVTX, the torch callback (labels), Lightning's actions.
 * NAME alone is a range of any NVTX domain; NAME@DOMAIN one of that domain (a range whose whole name is "NAME@DOMAIN" counts as
 * well).
 *
 * Any thread, signal handlers too; no lock, no allocation.
 */
#ifndef PRELOAD_STEPS_CAPTURE_RANGE_H
#define PRELOAD_STEPS_CAPTURE_RANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/family.h"
#include "preload/record/strings.h"

/* NVTX ranges, or labels and actions, open the gates: true from capture_range_init() on, if at all. */
extern bool capture_range_nvtx PRELOAD_HIDDEN, capture_range_labels PRELOAD_HIDDEN;
/* Ranges that were opened with a key are open. */
extern _Atomic uint32_t capture_range_held PRELOAD_HIDDEN;

extern const struct family family_capture_range PRELOAD_HIDDEN;

/* Takes the setting over; may be called again. */
void capture_range_init(void);
/* `name` and `domain` are hashes; a label has no domain (0). */
bool capture_range_matches(uint64_t name, uint64_t domain);
/* A range that matches opens: before it is recorded itself. */
void capture_range_open(void);
/* It closes: after it is recorded. */
void capture_range_close(void);
/* The same for a range that is known by a key, never 0; closing one that captures nothing does nothing. */
void capture_range_open_key(uint64_t key);
void capture_range_close_key(uint64_t key);

#endif

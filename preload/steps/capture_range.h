/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_CAPTURE=range:NAME, nvtx:NAME, label:NAME: the recorder's gates are open while at least
 * one range of that name is open in the process, on any thread. NVTX, the torch callback (labels)
 * and Lightning's actions report their ranges here. NAME alone is a range of any NVTX domain,
 * NAME@DOMAIN a range of that domain (or a range whose whole name is "NAME@DOMAIN").
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

/* True if NVTX ranges, or labels and actions, open the gates. Set by capture_range_init(). */
extern bool capture_range_nvtx PRELOAD_HIDDEN, capture_range_labels PRELOAD_HIDDEN;
/* Number of open ranges that were opened with a key. */
extern _Atomic uint32_t capture_range_held PRELOAD_HIDDEN;

extern const struct family family_capture_range PRELOAD_HIDDEN;

/* Takes the setting over; may be called again. */
void capture_range_init(void);
/* `name` and `domain` are hashes; a label has no domain (0). */
bool capture_range_matches(uint64_t name, uint64_t domain);
/* A range that matches opens: call before the range is recorded. */
void capture_range_open(void);
/* The range closes: call after its end is recorded. */
void capture_range_close(void);
/*
 * As capture_range_open(), for a range that is identified by a key, never 0. Closing a range that
 * captures nothing does nothing.
 */
void capture_range_open_key(uint64_t key);
void capture_range_close_key(uint64_t key);

#endif

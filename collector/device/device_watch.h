/* SPDX-License-Identifier: MIT */
/*
 * A thread that asks NVML for the state of GPUs every DEVICE_WATCH_NS. A call of NVML may block for
 * seconds, or for ever: then the collector goes on without it, and says so. NVML is opened when the
 * first card is wanted, and shut down when none is, so that it does not keep a GPU awake that
 * nobody uses.
 *
 * The functions are for the collector's thread; none of them waits for NVML. Notes are events with
 * texts, DEVICE_NOTES at most; those without room are counted. A thread that hangs when the watch
 * ends keeps its memory.
 */
#ifndef COLLECTOR_DEVICE_DEVICE_WATCH_H
#define COLLECTOR_DEVICE_DEVICE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/clockmap.h"
#include "collector/device/gpus.h"
#include "collector/device/nvml_api.h"

#define DEVICE_WATCH_NS 1000000000ull
#define DEVICE_CARDS GPUS_CARDS
#define DEVICE_NOTES 512u
#define DEVICE_NOTE_WORDS 24u
#define DEVICE_NOTE_TEXTS 4u
#define DEVICE_PATH_BYTES 4096u

/* Which cards are wanted. */
struct device_wish {
	/* of a GPU that CUPTI does not name: all that NVML lists, or at first the only one */
	enum gpus_unnamed unnamed;
	uint32_t count;
	struct device_wish_card {
		char uuid[GPUS_UUID_BYTES], part[GPUS_UUID_BYTES];
	} card[DEVICE_CARDS];
};

/* An event that the thread has made. */
struct device_note {
	uint32_t event; /* enum evt_id */
	uint32_t words;
	uint64_t ticks; /* as in records */
	uint64_t word[DEVICE_NOTE_WORDS];
	uint32_t texts;
	struct device_note_text {
		uint32_t word; /* that has its name */
		char text[NVML_NAME_BYTES];
	} text[DEVICE_NOTE_TEXTS];
};

struct device_watch;

/*
 * Starts the thread. `beside`: see nvml_open(). NULL: there is no memory, or no thread can be
 * started.
 */
struct device_watch *device_watch_new(const struct clockmap *clock, const char *beside);
/* Ends the thread without waiting for NVML. */
void device_watch_free(struct device_watch *watch);

/* Holds from the next round on. */
void device_watch_set(struct device_watch *watch, const struct device_wish *wish);
/* Takes the next note. Returns false if there is none. */
bool device_watch_take(struct device_watch *watch, struct device_note *ret_note);
/* True if there is a note. */
bool device_watch_has_note(const struct device_watch *watch);
/* Notes that found no room since the last call. */
uint64_t device_watch_take_dropped(struct device_watch *watch);
/* The function of NVML that has not returned, and since when (CLOCK_MONOTONIC); NULL: none. */
const char *device_watch_now(const struct device_watch *watch, uint64_t *ret_since_ns);

#endif

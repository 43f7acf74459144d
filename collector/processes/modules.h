/* SPDX-License-Identifier: MIT */
/*
 * The files mapped with code into one process: module and module_end events from /proc/PID/maps,
 * or where that is too late from what the process left of its start (start_map.h), and the answer
 * to "is this address in one that the file knows?".
 *
 * The program reports what it unloads itself (RECORD_UNLOADED), with the time. That takes
 * precedence over the maps, which are read only now and then. A reading is later than what has
 * been drained of the rings: where it does not find a module, or finds another in its place, it is
 * believed only if the next one says so, too, as the program's word may be on its way.
 *
 * One thread. Which mappings are one object: objects.h.
 */
#ifndef COLLECTOR_PROCESSES_MODULES_H
#define COLLECTOR_PROCESSES_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/processes/images.h"
#include "collector/processes/maps.h"
#include "collector/processes/module_ends.h"

#define MODULES_MAX 16384u /* of one process */

struct modules {
	struct module {
		uint64_t start, end;
		uint64_t device, inode;
		uint64_t bias, path, build_id; /* as told; the last two are names */
		uint32_t image;                /* number of images.h */
		bool file;                     /* else anonymous code, known but not told */
		bool seen;                     /* in the reading that is under way */
		uint64_t missing_ns; /* of the first reading that did not find it; 0: it is there */
	} * module;                  /* sorted by start */
	uint32_t count;
	uint32_t room;
	uint64_t left_out; /* found modules that are not in the list, the most at one time */
	bool missed;       /* an address was asked for that is in none */
	uint64_t read_ns;  /* steady time of the last reading, 0 before the first */
	uint64_t told_ns;  /* the same on the file's clock */
	struct module_ends ends;
	uint64_t
		pause_ns; /* until the next reading for a miss; grows while readings find nothing */
};

struct modules_reading {
	struct common *common;
	struct images *images;
	uint32_t pid;     /* as the collector sees it */
	uint32_t process; /* its number in the file */
	uint64_t time_ns; /* of this reading, on the file's clock */
	uint64_t from_ns; /* modules found by the first reading are there since then */
	uint64_t steady_ns;
	bool is_last; /* nothing more will be drained: it is believed at once */
	struct maps_file
		region; /* who does not map it is another program; inode 0: cannot be told */
};

/* The program has unloaded an object. */
void modules_note_end(struct modules *modules, const struct module_end *end);

/* Journals what was noted. All rings are drained up to a time. Returns whether there was anything. */
bool modules_settle_ends(struct modules *modules, const struct modules_reading *reading);

/* Reads the maps and journals what has changed. False when they cannot be read, or are another program's. */
bool modules_read(struct modules *modules, const struct modules_reading *reading);

/*
 * For a process that cannot be read and has no modules yet: takes those that it had when its
 * recording began (start_map.h).
 */
bool modules_take_start(struct modules *modules, const struct modules_reading *reading);

/* Journals a forked child's modules: its parent's, until a reading shows others. */
void modules_inherit(struct modules *modules, const struct modules *parent,
		     const struct modules_reading *reading);

/* Whether the last reading may be repeated for a miss by now. */
bool modules_want_reading(const struct modules *modules, uint64_t steady_ns);

/* Notes a miss when `address` lies in no module. */
void modules_ask(struct modules *modules, uint64_t address);

void modules_release(struct modules *modules);

#endif

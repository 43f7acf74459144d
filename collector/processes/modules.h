/* SPDX-License-Identifier: MIT */
/*
 * The files mapped with code into one process: module and module_end events from /proc/PID/maps. If
 * it is too late for that, they come from what the process left at its start (start_map.h). Also
 * answers whether an address is in a module that the file knows.
 *
 * A process also reports what it unloads (RECORD_UNLOADED), with the time. Looks at the maps and
 * these reports are taken in the order of time, so a look waits until the rings are drained up to
 * its end. A look says nothing about a range that was unloaded while it lasted. A module that a
 * look does not find, without a report, stays until the next look, because the report may come
 * late.
 *
 * One thread. objects.h decides which mappings are one object.
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
/* path of what was mapped where it may have been one or the other */
#define MODULES_UNKNOWN "[unknown]"

struct module {
	uint64_t start, end;
	uint64_t device, inode;
	uint64_t bias, path, build_id; /* as recorded; the last two are names */
	uint64_t seen_ns;              /* start of the last look that found it */
	uint64_t missing_ns; /* start of the first look that did not find it; 0: it is there */
	uint32_t image;      /* number of images.h */
	uint64_t next_device, next_inode,
		/*
		 * what the first look that missed it found in its place, and since when that is
		 * there
		 */
		next_ns;
	uint64_t end_ns; /* up to when it was there for certain then; 0: nothing was in its place */
	bool file;       /* else anonymous code, known but not told */
	bool is_loader;  /* ld.so */
	bool is_told_end; /* its end is in the journal */
	bool seen;        /* by the look that is being taken */
};

/* What the maps contained between two times. */
struct modules_look {
	struct module *module; /* NULL: there is no look */
	uint32_t count;
	uint64_t from_ns, to_ns;
};

/*
 * When ld.so allocated memory, which it does for each object that it loads: the first and the last
 * time; 0: never.
 */
struct modules_loads {
	uint64_t first_ns, last_ns;
};

struct modules {
	struct module *module; /* sorted by start */
	uint32_t count;
	/* maximum number of files at once that had no place in the list */
	uint64_t left_out;
	bool missed;             /* the maps may have changed since the last look */
	uint64_t read_ns;        /* steady time of the last look, 0 before the first */
	uint64_t told_ns;        /* start of the last look that was taken, on the file's clock */
	uint64_t told_before_ns; /* start of the one before */
	/* pause until the next look; grows while looks find nothing new */
	uint64_t pause_ns;
	struct module_ends ends;           /* reported, not taken yet */
	struct modules_look look;          /* not taken yet */
	uint64_t loader_start, loader_end; /* of ld.so; 0: not known yet */
	struct modules_loads loads,
		later; /* since the last look that was taken, before this one and after it */
};

struct modules_reading {
	struct common *common;
	struct images *images;
	uint32_t pid;     /* as the collector sees it */
	uint32_t process; /* its number in the file */
	uint64_t time_ns; /* rings are drained up to here, on the file's clock */
	uint64_t from_ns; /* modules found by the first look have been there since then */
	uint64_t steady_ns;
	bool is_last; /* nothing more will be drained: everything known is taken now */
	/* a process that does not map it runs another program; inode 0: not known */
	struct maps_file region;
};

/*
 * The process has unloaded an object. Without a name: something else was mapped there, or nothing
 * is there any more.
 */
void modules_note_end(struct modules *modules, const struct module_end *end);

/* The process has unmapped a range itself: modules completely inside of it are gone. */
void modules_note_unmapped(struct modules *modules, uint64_t time_ns, uint64_t start,
			   uint64_t bytes);

/* Looks at the maps. Returns false if they cannot be read, or belong to another program. */
bool modules_look(struct modules *modules, const struct modules_reading *reading);

/* Adds to the journal what is known up to reading->time_ns. Returns whether there was anything. */
bool modules_settle(struct modules *modules, const struct modules_reading *reading);

/*
 * For a process that cannot be read and has no modules yet: takes the modules that it had when its
 * recording began (start_map.h).
 */
bool modules_take_start(struct modules *modules, const struct modules_reading *reading);

/* A forked child has its parent's modules until a look says otherwise: adds them to the journal. */
void modules_inherit(struct modules *modules, const struct modules *parent,
		     const struct modules_reading *reading);

/* True if the next look is due: an address was in no module, and the pause is over. */
bool modules_want_look(const struct modules *modules, uint64_t steady_ns);

static inline bool modules_is_loader(const struct modules *modules, uint64_t address)
{
	return address - modules->loader_start < modules->loader_end - modules->loader_start;
}

/*
 * An allocation was made at `address`. Returns whether that may have been ld.so, for which the maps
 * may have changed then.
 */
bool modules_note_allocation(struct modules *modules, uint64_t address, uint64_t time_ns);

/* Notes a miss if `address` is in no module. */
void modules_ask(struct modules *modules, uint64_t address);

void modules_release(struct modules *modules);

#endif

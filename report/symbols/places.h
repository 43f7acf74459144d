/* SPDX-License-Identifier: MIT */
/*
 * What is known of an address of a recording, by the names that compilers gave. The first of these
 * that knows anything is used:
 *   the recording itself, if `prof-report symbolize` has written it there;
 *   what an earlier run has found out (symbol_cache.h);
 *   the recorded file of code (object.h); for the vDSO, this machine's;
 *   for code in no file, the program's perf map (perf_map.h).
 *
 * A file is opened when the first address is asked for that nothing else knows. Everybody who asks
 * about one recording shares the results, because libraries and their symbols are large:
 * places_hold(). One thread.
 */
#ifndef REPORT_SYMBOLS_PLACES_H
#define REPORT_SYMBOLS_PLACES_H

#include "report/base/map.h"
#include "report/session/source.h"
#include "report/symbols/object.h"

struct places {
	const struct source *source; /* NULL: not shared */
	struct places *next;         /* next shared one */
	size_t holders;
	struct map objects;   /* from the hash of path and build-id to `object` */
	struct map changes;   /* from the address of a path to when the file was last changed */
	struct map processes; /* from the address of a process to `jit` */
	struct map files;     /* addresses of files whose symbol frames were read */
	struct map stored;    /* from the hash of the subject to the first of `answers` */
	struct places_object *object;
	size_t objects_count, object_room;
	/* of the last request, by the addresses of its texts; NULL: none */
	const char *last_path, *last_build_id;
	bool last_is_changed;
	size_t last_object;
	struct places_jit *jit;
	size_t jit_count, jit_room;
	struct places_stored *answers;
	size_t answers_count, answers_room;
};

/*
 * What could not be answered because a file is missing; other users of the same places may lack
 * other files.
 */
struct places_missed {
	struct map seen;
	size_t *object, *jit; /* numbers, in the order in which they were missed */
	size_t objects, object_room, jits, jit_room;
	/* the first process of which no module is known, and the number of such processes */
	uint32_t bare_pid;
	size_t bare;
	size_t asked;           /* addresses in files that exist */
	size_t nameless;        /* those of them that no symbol covers */
	struct map nameless_of; /* from an object's number + 1 to how many */
};

void places_init(struct places *places);
/* Keeps the results for the next run. */
void places_release(struct places *places);

/*
 * Returns the places of the source, new if nobody holds them. Drop them before the source is
 * closed. A report that never began has NULL.
 */
struct places *places_hold(const struct source *source);
void places_drop(struct places *places);

void places_missed_init(struct places_missed *missed);
void places_missed_release(struct places_missed *missed);

/*
 * `module`: the one that contains the address, NULL: none. `address`: the module's file's, or
 * without a module the process's. Texts live as long as the places. No frames: nothing is known.
 */
void places_find(struct places *places, const struct source_process *process,
		 const struct source_module *module, uint64_t address, struct places_missed *missed,
		 struct object_place *ret_place);

/* Memory that only looks like a file's: code may be made in it, which belongs to the process. */
bool places_is_memory(const struct source_module *module);

/* Files that are not those of the recording, in one line for people; "" if there were none. */
void places_missing(const struct places *places, const struct places_missed *missed, char *ret_text,
		    size_t bytes);

/*
 * Name of the file with most of the addresses without a function, if these are more than half of
 * all; else NULL.
 */
const char *places_nameless(const struct places *places, const struct places_missed *missed);

#endif

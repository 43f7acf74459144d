/* SPDX-License-Identifier: MIT */
/*
 * What is known of an address of a recording, as compilers have named it: from the first that knows anything of
 *   the recording itself, where `prof-report symbolize` has put it there
 *   what an earlier run has found out (symbol_cache.h)
 *   the file of code that was recorded (object.h); of the vDSO this machine's
 *   for code that no file holds the program's perf map (perf_map.h)
 *
 * Each file is opened when the first address of it is asked for that nobody else knows. All who ask about one recording share
 * what was found out, as libraries and what is known of them are large: places_hold(). One thread.
 */
#ifndef REPORT_SYMBOLS_PLACES_H
#define REPORT_SYMBOLS_PLACES_H

#include "report/base/map.h"
#include "report/session/source.h"
#include "report/symbols/object.h"

struct places {
	const struct source *source; /* NULL: not shared */
	struct places *next;         /* of those that are shared */
	size_t holders;
	struct map objects;   /* hash of path and build-id: to `object` */
	struct map changes;   /* address of a path: when the file was changed last */
	struct map processes; /* address of a process: to `jit` */
	struct map files;     /* address of a file whose symbol frames are read */
	struct map stored;    /* hash of what they are about: to the first of `answers` */
	struct places_object *object;
	size_t objects_count, object_room;
	/* that was asked for last, by where its texts are; NULL: none */
	const char *last_path, *last_build_id;
	bool last_is_changed;
	size_t last_object;
	struct places_jit *jit;
	size_t jit_count, jit_room;
	struct places_stored *answers;
	size_t answers_count, answers_room;
};

/*
 * What could not be told to this asker because a file is missing; other holders of the same places
 * may lack other files.
 */
struct places_missed {
	struct map seen;
	size_t *object, *jit; /* numbers, in the order in which they were missed */
	size_t objects, object_room, jits, jit_room;
	uint32_t
		bare_pid; /* of the first process of which no module is known, and how many there are */
	size_t bare;
	size_t asked;           /* addresses in files that were there */
	size_t nameless;        /* those of them that no symbol covers */
	struct map nameless_of; /* by number of an object + 1: how many */
};

void places_init(struct places *places);
/* Keeps what was found out for the next run. */
void places_release(struct places *places);

/* Those of the source, new if nobody holds them. To be dropped before the source is closed; a report that never began has NULL. */
struct places *places_hold(const struct source *source);
void places_drop(struct places *places);

void places_missed_init(struct places_missed *missed);
void places_missed_release(struct places_missed *missed);

/*
 * `module`: where the address lies, NULL in none. `address`: as the module's file has it, without one as it is in the
 * process. Texts live as long as the places. No frames: nothing is known.
 */
void places_find(struct places *places, const struct source_process *process,
		 const struct source_module *module, uint64_t address, struct places_missed *missed,
		 struct object_place *ret_place);

/* Memory that only looks as if it were a file's: code may be made in it, which is the process'. */
bool places_is_memory(const struct source_module *module);

/* Files that were not what the recording speaks of, in one line for people; "" when there were none. */
void places_missing(const struct places *places, const struct places_missed *missed, char *ret_text,
		    size_t bytes);

/* Name of the file that has most of the addresses without a function, where those are more than half of all; else NULL. */
const char *places_nameless(const struct places *places, const struct places_missed *missed);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Which function and line a return address belongs to: modules of the recording, joined with the files of this machine
 * (object.h). Each file is opened when the first address of it is asked for, and each place in it is looked up once.
 *
 * A return address is where a call comes back to, behind the call: the byte before it is looked up, or it would be the
 * next line's, or the next function's where the call never returns.
 *
 * Texts live as long as the symbols. Not thread-safe.
 */
#ifndef REPORT_SYMBOLS_SYMBOLS_H
#define REPORT_SYMBOLS_SYMBOLS_H

#include <stdbool.h>

#include "report/base/demangle.h"
#include "report/base/map.h"
#include "report/session/callers.h"
#include "report/session/source.h"
#include "report/symbols/places.h"

/* The choices of option --names. */
enum symbol_form {
	SYMBOLS_FULL,
	SYMBOLS_SHORT, /* no namespaces, template arguments and parameters */
	SYMBOLS_MANGLED,
};

/* The choices of option --symbols. */
enum symbol_source {
	SYMBOLS_AUTO,
	SYMBOLS_OFF,
};

struct symbol {
	const char *function; /* NULL: unknown */
	const char *
		exact; /* the whole name, by which functions differ; in whatever form was asked for */
	uint64_t function_hash; /* symbols_hash(exact); 0: nobody knows it yet */
	const char *brief;      /* the same without parameters, where they were asked for */
	const char *plain;      /* demangled, without parameters, in whatever form was asked for */
	const char *file;       /* NULL: unknown */
	uint32_t line;          /* 0: unknown */
	uint64_t
		offset; /* of the address in the function; UINT64_MAX: unknown, as in inlined ones */
	const char *module; /* the file's name, without its folder; NULL: unknown */
	const char *path;   /* the file; NULL: unknown */
	uint64_t
		address; /* as the module's file has it; where that is unknown the address itself */
	bool is_python;  /* a function of Python; module and path are NULL */
	bool is_inlined; /* in the function of the next frame outwards, which has the same address */
};

/* Of a text; NULL is the empty one. Never 0. */
uint64_t symbols_hash(const char *text);

struct symbols {
	enum symbol_form form;
	bool is_off; /* modules are all that is known */
	struct demangler demangler;
	struct text_store texts;
	struct places *found; /* shared */
	struct places_missed missed;
	struct map files; /* hash of a file's name: to its text */
	struct map names; /* hash of a name as compilers have it: to `name` */
	struct symbols_name *name;
	size_t names_count, name_room;
	struct map places; /* module and address: to `place` */
	struct symbols_place *place;
	size_t places_count, place_room;
	struct symbol *frame; /* of all places */
	size_t frames_count, frame_room;
	struct symbol call; /* of symbols_of_call() */
};

/* To be released before the source is closed. */
void symbols_init(struct symbols *symbols, const struct source *source, enum symbol_form form);
void symbols_release(struct symbols *symbols);

/*
 * The functions that an address of a stack is in, the innermost first: those that are inlined there, then the one that they
 * are inlined in. At least one, of which little may be known; at most `room`, so that the outermost ones are left out, and
 * never more than OBJECT_INLINED_MAX. `flags`: of collector/format/frame_flags.h; without FRAME_IS_EXACT it is where a call
 * comes back to.
 */
size_t symbols_frames_of(struct symbols *symbols, const struct source_process *process,
			 uint64_t address, uint32_t flags, uint64_t time_ns,
			 struct symbol *ret_frames, size_t room);

/* The innermost one of a call that comes back to that address at that time. Valid until the next call. */
const struct symbol *symbols_of_call(struct symbols *symbols, const struct source_process *process,
				     uint64_t address, uint64_t time_ns);

/*
 * For people: "FUNCTION (FILE:LINE)" or "FUNCTION+0xOFFSET"; NULL where the function is unknown: then
 * the caller's own text is all there is.
 */
const char *symbols_text(struct symbols *symbols, const struct symbol *symbol);

/* Files that were not what the recording speaks of, in one line for people; "" when there were none. */
struct symbols_missing {
	char text[512];
};
const char *symbols_missing(const struct symbols *symbols, struct symbols_missing *missing);
/* The same about processes of which no library is known, so that nothing can be looked up. */
const char *symbols_bare(const struct symbols *symbols, struct symbols_missing *missing);
/* The same about a file without symbols that most of what was looked up lies in, and what to do about it. */
const char *symbols_nameless(const struct symbols *symbols, struct symbols_missing *missing);

#endif

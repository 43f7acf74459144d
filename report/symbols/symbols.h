/* SPDX-License-Identifier: MIT */
/*
 * Which function and line a return address belongs to: modules of the recording, combined with the
 * files of this machine (object.h). A file is opened when its first address is asked for, and each
 * place in it is looked up once.
 *
 * A return address is where a call returns to, after the call. So the byte before it is looked up;
 * otherwise it could belong to the next line, or, if the call never returns, to the next function.
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
		/*
		 * the full name, by which functions are distinguished, whatever form was requested
		 */
		exact;
	uint64_t function_hash; /* symbols_hash(exact); 0: not known yet */
	const char *brief;      /* the same without parameters, if they were requested */
	const char *plain;      /* demangled, without parameters, whatever form was requested */
	const char *file;       /* NULL: unknown */
	uint32_t line;          /* 0: unknown */
	/* of the address in the function; UINT64_MAX: unknown, for example if it is inlined */
	uint64_t offset;
	const char *module; /* the file's name, without its directory; NULL: unknown */
	const char *path;   /* the file; NULL: unknown */
	uint64_t address; /* the module's file's address; if that is unknown, the address itself */
	bool is_python;   /* a Python function; module and path are NULL */
	/* inlined in the function of the next frame outwards, which has the same address */
	bool is_inlined;
};

/* Hash of a text; NULL is the empty text. Never 0. */
uint64_t symbols_hash(const char *text);

struct symbols {
	enum symbol_form form;
	bool is_off; /* only modules are known */
	struct demangler demangler;
	struct text_store texts;
	struct places *found; /* shared */
	struct places_missed missed;
	struct map files; /* from the hash of a file's name to its text */
	struct map names; /* from the hash of a compiler's name to `name` */
	struct symbols_name *name;
	size_t names_count, name_room;
	struct map places; /* from module and address to `place` */
	struct symbols_place *place;
	size_t places_count, place_room;
	struct symbol *frame; /* for all places */
	size_t frames_count, frame_room;
	struct symbol call; /* result of symbols_of_call() */
};

/* Release it before the source is closed. */
void symbols_init(struct symbols *symbols, const struct source *source, enum symbol_form form);
void symbols_release(struct symbols *symbols);

/*
 * Returns the functions of an address in a stack, innermost first: those inlined there, then the
 * one that they are inlined in. At least one, of which little may be known, and at most `room`,
 * without the outermost ones; never more than OBJECT_INLINED_MAX. `flags`: of
 * collector/format/frame_flags.h; without FRAME_IS_EXACT it is a return address.
 */
size_t symbols_frames_of(struct symbols *symbols, const struct source_process *process,
			 uint64_t address, uint32_t flags, uint64_t time_ns,
			 struct symbol *ret_frames, size_t room);

/*
 * Returns the innermost function of a call that returns to that address at that time. Valid until
 * the next call.
 */
const struct symbol *symbols_of_call(struct symbols *symbols, const struct source_process *process,
				     uint64_t address, uint64_t time_ns);

/*
 * For people: "FUNCTION (FILE:LINE)" or "FUNCTION+0xOFFSET". NULL if the function is unknown: then
 * there is only the caller's own text.
 */
const char *symbols_text(struct symbols *symbols, const struct symbol *symbol);

/* Files that are not those of the recording, in one line for people; "" if there were none. */
struct symbols_missing {
	char text[512];
};
const char *symbols_missing(const struct symbols *symbols, struct symbols_missing *missing);
/* The same about processes of which no library is known, so that nothing can be looked up. */
const char *symbols_bare(const struct symbols *symbols, struct symbols_missing *missing);
/*
 * The same about a file without symbols that contains most of the addresses, and what to do about
 * it.
 */
const char *symbols_nameless(const struct symbols *symbols, struct symbols_missing *missing);

#endif

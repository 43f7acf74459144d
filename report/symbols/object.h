/* SPDX-License-Identifier: MIT */
/*
 * The symbols of one file of code, an ELF file: which function, and which line of the source, an
 * address belongs to. No other file uses elfutils: .symtab and .dynsym, .gnu_debugdata, DWARF, and
 * separate debug files by build-id and debug link. A debuginfod server is used only if the user has
 * set DEBUGINFOD_URLS.
 *
 * A file counts only if it has the recorded build-id, because another build has other functions at
 * the same addresses. What no symbol covers is unknown, never the nearest symbol.
 *
 * Not thread-safe. Texts of a place live as long as the object.
 */
#ifndef REPORT_SYMBOLS_OBJECT_H
#define REPORT_SYMBOLS_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Frames per address; if there are more, some are left out, and a frame says so. */
#define OBJECT_INLINED_MAX 64u
#define OBJECT_VDSO "[vdso]" /* path of the kernel's own library, which is in no file */

struct object;

enum object_state {
	OBJECT_FOUND,
	OBJECT_MISSING,     /* there is no such file */
	OBJECT_OTHER_BUILD, /* there is one with another build-id */
	/* no build-id was recorded, and the file is younger: perhaps another build */
	OBJECT_CHANGED,
	OBJECT_UNREADABLE, /* no ELF file, or no permission */
};

/*
 * `build_id`: in hex, "" if none was recorded: then the file must have none. Returns NULL with a
 * reason.
 */
struct object *object_open(const char *path, const char *build_id, enum object_state *ret_state);
/* Name of its file of debug information, without a directory; "" if it names none. */
const char *object_debug_link(struct object *object);
/* NULL is allowed. */
void object_close(struct object *object);

/* A function, and the position of the address, or of what is inlined in it. */
struct object_frame {
	const char *function; /* as the compiler named it: mangled; NULL: unknown */
	const char *file;     /* with its directory if that is known; NULL: unknown */
	uint32_t line;        /* 0: unknown */
};

struct object_place {
	struct object_frame
		frame[OBJECT_INLINED_MAX]; /* innermost first; the last one is not inlined */
	size_t frames;                     /* 0: unknown */
	uint64_t offset; /* of the address in the last frame's function; UINT64_MAX: unknown */
	bool is_split;   /* more is in a .dwo file that is missing now: do not keep the result */
};

/* `address` is the file's. */
void object_find(struct object *object, uint64_t address, struct object_place *ret_place);

#endif

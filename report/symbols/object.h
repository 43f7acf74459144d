/* SPDX-License-Identifier: MIT */
/*
 * The symbols of one file of code, an ELF file: which function, and which line of the source, an address belongs to.
 * The one place that uses elfutils: .symtab and .dynsym, .gnu_debugdata, DWARF, and separate debug files by
 * build-id and debug link, from a debuginfod server only where the user has set DEBUGINFOD_URLS.
 *
 * A file counts only when it has the build-id that was recorded: another build has other functions at the same
 * addresses. What no symbol covers is unknown, never the nearest one.
 *
 * Not thread-safe. Texts of a place live as long as the object.
 */
#ifndef REPORT_SYMBOLS_OBJECT_H
#define REPORT_SYMBOLS_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Frames of one address; of more some are left out, and a frame says so. */
#define OBJECT_INLINED_MAX 64u
#define OBJECT_VDSO "[vdso]" /* path of the kernel's own library, which is in no file */

struct object;

enum object_state {
	OBJECT_FOUND,
	OBJECT_MISSING,     /* there is no such file */
	OBJECT_OTHER_BUILD, /* there is one, of another build-id */
	OBJECT_CHANGED,     /* none was recorded, and the file is younger: maybe another build */
	OBJECT_UNREADABLE,  /* no ELF file, or not allowed */
};

/* `build_id`: in hex, "" when none was recorded: then the file must have none. NULL with a reason. */
struct object *object_open(const char *path, const char *build_id, enum object_state *ret_state);
/* Name of its file of debug information, without a folder; "" when it names none. */
const char *object_debug_link(struct object *object);
/* NULL is accepted. */
void object_close(struct object *object);

/* A function, and where the address, or what is inlined in it, stands in it. */
struct object_frame {
	const char *function; /* as the compiler made it: mangled; NULL: unknown */
	const char *file;     /* whole where its folder is known; NULL: unknown */
	uint32_t line;        /* 0: unknown */
};

struct object_place {
	struct object_frame
		frame[OBJECT_INLINED_MAX]; /* the innermost first; the last one is no inlined one */
	size_t frames;                     /* 0: unknown */
	uint64_t offset; /* of the address in the last frame's function; UINT64_MAX: unknown */
	bool is_split; /* more is in a .dwo file that is not there now: not to be kept for later */
};

/* `address`: as the file has it. */
void object_find(struct object *object, uint64_t address, struct object_place *ret_place);

#endif

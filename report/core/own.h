/* SPDX-License-Identifier: MIT */
/*
 * Whose code a frame is: the user's own, or that of a library. It is decided here for all reports, from the file's path, what
 * the recording says of the program, and --own and INTERCEPT_OWN, of now and of when it was recorded.
 *
 * Python: the standard library, site-packages, dist-packages, programs in `bin` folders and made-up names such as "<frozen os>" are not
 * the user's. Everything else is: the script's folder, and installs in editable mode, which lie where their sources do. A recording
 * without folders (INTERCEPT_REDACT=paths) tells the script only, by its command line or by own_note_script().
 *
 * Native code: the program and libraries beside the system's own are the user's. The C and C++ libraries, what their templates became
 * in the program, and system libraries are not. In a program of Python, its interpreter and installed extensions are not.
 *
 * Answers are kept by file. One thread.
 */
#ifndef REPORT_CORE_OWN_H
#define REPORT_CORE_OWN_H

#include <stdbool.h>
#include <stddef.h>

#include "report/base/map.h"
#include "report/session/source.h"

struct options;

struct own {
	const struct source *source; /* NULL: nothing is known of the program */
	const char *asked;           /* --own; NULL: not given */
	const char *listed;          /* INTERCEPT_OWN; NULL: not set */
	bool is_off;                 /* --frames all: nobody asks whose a frame is */
	bool has_no_folders;         /* the recording has none */
	struct map
		names; /* by index of a name, plus 1: whether that file of Python is the user's */
	struct map programs; /* by index of a process, plus 1: bits of what kind of program it is */
};

/* `options`: --own and --frames are looked at; NULL: neither was given. Borrowed, as is the source. */
void own_init(struct own *own, const struct source *source, const struct options *options);
void own_release(struct own *own);

/* That file is what a program of Python was started with. */
void own_note_script(struct own *own, uint32_t name);

/* A file of Python, as its code names it. */
bool own_has_file(const struct own *own, const char *file, size_t length);
/* The same of a name of the source, by its index. */
bool own_has_name(struct own *own, uint32_t name);

/* A frame of native code; a text is NULL where it is not known. */
struct own_code {
	const struct source_process *process;
	const char *function; /* demangled, without parameters */
	const char *file;     /* of the source */
	const char *path;     /* of the module */
};
bool own_has_code(struct own *own, const struct own_code *code);
/* "Node::Node": what it asks for is for whoever makes one. A function demangled, without parameters. */
bool own_is_constructor(const char *function);

#endif

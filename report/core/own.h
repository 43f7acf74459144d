/* SPDX-License-Identifier: MIT */
/*
 * Whether a frame is the user's own code or that of a library. All reports use this decision. It
 * depends on the file's path, on what the recording says about the program, and on --own and
 * INTERCEPT_OWN, both now and at the time of recording.
 *
 * Python: the standard library, site-packages, dist-packages, programs in `bin` folders, and
 * made-up names such as "<frozen os>" are not the user's. Nor is what `pip --target` has installed,
 * wherever that is: the recording has these paths. All other files are: the script's folder, and
 * packages installed in editable mode, which are where their sources are. In a recording
 * without folders (INTERCEPT_REDACT=paths), only the script is known to be the user's, by the
 * command line or by own_note_script().
 *
 * Native code: the program and all libraries except the system's are the user's. The C and C++
 * libraries, code in the program that comes from their templates, and system libraries are not. In
 * a Python program, the interpreter and installed extensions are not.
 *
 * Answers are kept for each file. To be used by one thread.
 */
#ifndef REPORT_CORE_OWN_H
#define REPORT_CORE_OWN_H

#include <stdbool.h>
#include <stddef.h>

#include "report/base/map.h"
#include "report/session/source.h"

struct options;

struct own {
	const struct source *source; /* NULL: nothing is known about the program */
	const char *asked;           /* --own; NULL: not given */
	const char *listed;          /* INTERCEPT_OWN; NULL: not set */
	bool is_off;                 /* --frames all: the decision is not wanted */
	bool has_no_folders;         /* the recording's paths have no folders */
	struct map names;   /* by index of a name, plus 1: whether that Python file is the user's */
	struct map scripts; /* by hash of the file's name, as noted; empty if paths have folders */
	struct map programs; /* by index of a process, plus 1: bits of enum program */
};

/*
 * `options`: --own and --frames are used; NULL: neither was given. Options and source are borrowed.
 */
void own_init(struct own *own, const struct source *source, const struct options *options);
void own_release(struct own *own);

/* A Python program was started with that file: a name of the source, by its index, or its text. */
void own_note_script(struct own *own, uint32_t name);
void own_note_script_file(struct own *own, const char *file);

/* For a Python file, by the name that its code has. */
bool own_has_file(const struct own *own, const char *file, size_t length);
/* The same for a name of the source, by its index. */
bool own_has_name(struct own *own, uint32_t name);

/*
 * Returns the part of a Python file's path behind the folder that packages are installed into, such
 * as site-packages; NULL: the file belongs to no package.
 */
const char *own_path_in_packages(const struct source *source, const char *file, size_t length,
				 size_t *ret_length);

/*
 * Returns whether a Python frame is what multiprocessing runs in a child, `_bootstrap` of
 * multiprocessing/process.py. After a fork the frames around it are the parent's: it was there that
 * the child was made, but nothing of that is what the child does.
 */
bool own_begins_process(const struct own *own, const char *function, const char *file,
			size_t file_length);

/* Returns whether a frame of that file is Python's own, at work for an import. */
bool own_is_import(const char *file, size_t length);

/* A frame of native code; a text is NULL if it is not known. */
struct own_code {
	const struct source_process *process;
	const char *function; /* demangled, without parameters */
	const char *file;     /* the source file */
	const char *path;     /* of the module */
};
bool own_has_code(struct own *own, const struct own_code *code);
/*
 * Returns whether the function is a constructor, such as "Node::Node": its allocations belong to
 * its caller. The name is demangled, without parameters.
 */
bool own_is_constructor(const char *function);

#endif

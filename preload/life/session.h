/* SPDX-License-Identifier: MIT */
/*
 * Who records and where to: the session that INTERCEPT_SESSION names, the place of its first process,
 * launchers, dormant programs, and what children find in their environment.
 *
 * INTERCEPT_SESSION is "<id>:<pid>:<output>": the id all files share, the process that has the place
 * (a launcher passes it on by exec in the same pid), the absolute path of INTERCEPT_OUTPUT.
 *
 * A parent that does not hand it on (Go, a static program, `env -i`) is found all the same: lineage.h.
 *
 * Runs in the constructor, single-threaded.
 */
#ifndef PRELOAD_LIFE_SESSION_H
#define PRELOAD_LIFE_SESSION_H

#include <stdbool.h>

#include "collector/region/region.h"
#include "preload/settings/settings.h"

enum session_role {
	SESSION_ACTIVE,  /* records from the start */
	SESSION_DORMANT, /* until it touches Python, CUDA or NVTX */
	SESSION_NEVER,   /* INTERCEPT_CHILDREN=none */
};

struct session {
	char id[REGION_TEXT_BYTES];
	char output[REGION_PATH_BYTES];
	char library[REGION_PATH_BYTES]; /* our own file, absolute */
	enum session_role role;
	bool plain; /* it is no Python, and nobody has asked for all programs (INTERCEPT_CHILDREN) */
	bool first; /* this process has the first place */
	long place; /* pid of the process that has the first place */
	bool fresh; /* no session was inherited: this process is the first that can record */
	bool late;  /* loaded by dlopen, not by LD_PRELOAD: heap calls do not come through us */
};

extern struct session session;

/* `output`: absolute and expanded, used when this process is the session's first; `inherited`: the
 * value of INTERCEPT_SESSION or NULL; `preloaded`: that of LD_PRELOAD or NULL. */
void session_begin(const char *output, const char *inherited, const char *preloaded,
		   enum settings_children children);

/* Sets what children are to find: an absolute LD_PRELOAD, INTERCEPT_SESSION, the injection paths.
 * `preloaded`: the value of LD_PRELOAD or NULL. */
void session_export(const char *preloaded);

/* The collector's file: beside the library, or ../libexec/intercept from it. */
bool session_find_collector(char *path, unsigned int bytes);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Decides whether the process records and into which file: the session that INTERCEPT_SESSION
 * names, the place of its first process, launchers, dormant programs, and the environment that
 * children inherit.
 *
 * INTERCEPT_SESSION is "<id>:<pid>:<output>": the id that all files share, the process that has the
 * place (a launcher passes it on by exec in the same pid), and the absolute path of
 * INTERCEPT_OUTPUT.
 *
 * If a parent does not pass the variable on (Go, a static program, `env -i`), the session is found
 * all the same: lineage.h.
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
	SESSION_DORMANT, /* does not record until it touches Python, CUDA or NVTX */
	SESSION_NEVER,   /* INTERCEPT_CHILDREN=none */
};

struct session {
	char id[REGION_TEXT_BYTES];
	char output[REGION_PATH_BYTES];
	char library[REGION_PATH_BYTES]; /* our own file, absolute */
	enum session_role role;
	bool plain; /* it is not Python, and INTERCEPT_CHILDREN does not ask for all programs */
	bool first; /* this process has the session's first place */
	long place; /* pid of the process that has the session's first place */
	bool fresh; /* no session was inherited: this process is the first that can record */
	bool late;  /* loaded by dlopen(), not by LD_PRELOAD: heap calls do not pass through us */
};

extern struct session session;

/*
 * `output`: absolute and expanded, used if this process is the session's first. `inherited`: the
 * value of INTERCEPT_SESSION or NULL. `preloaded`: the value of LD_PRELOAD or NULL.
 */
void session_begin(const char *output, const char *inherited, const char *preloaded,
		   enum settings_children children);

/*
 * Sets the environment that children inherit: an absolute LD_PRELOAD, INTERCEPT_SESSION, the
 * injection paths. `preloaded`: the value of LD_PRELOAD or NULL.
 */
void session_export(const char *preloaded);

/* Finds the collector's file: beside the library, or in ../libexec/intercept relative to it. */
bool session_find_collector(char *path, unsigned int bytes);

#endif

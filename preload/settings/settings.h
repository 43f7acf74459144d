/* SPDX-License-Identifier: MIT */
/*
 * What the user has set: the INTERCEPT_* variables, read once, wrong values replaced by the default.
 *
 * Runs in the constructor, single-threaded. Static buffers only: nothing here calls malloc. The one
 * place of the library that looks into the environment. Reading says nothing: a program that stays
 * dormant has no business to talk; settings_speak() says what was wrong, when the caller decides so.
 */
#ifndef PRELOAD_SETTINGS_SETTINGS_H
#define PRELOAD_SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "preload/settings/schedule.h"

#define SETTINGS_PATH_BYTES 4096u
#define SETTINGS_NAME_BYTES 256u

/* Bit positions in settings.trace. */
enum settings_family {
#define FAMILY(name, by_default, needs, doc, none, why) SETTINGS_FAMILY_##name,
#define FAMILY_DETAIL(name, by_default, needs, doc) SETTINGS_FAMILY_##name,
#include "collector/format/families.def"
	SETTINGS_FAMILIES,
};

enum settings_stacks {
	SETTINGS_STACKS_LARGE, /* the default: of families without large blocks, as SETTINGS_STACKS_CALLER */
	SETTINGS_STACKS_CALLER,
	SETTINGS_STACKS_NATIVE,
	SETTINGS_STACKS_OFF,
	SETTINGS_STACKS_PYTHON,
	SETTINGS_STACKS_BOTH,
};
enum settings_capture {
	SETTINGS_CAPTURE_ALL,
	SETTINGS_CAPTURE_RANGE,
	SETTINGS_CAPTURE_CUDA,
	SETTINGS_CAPTURE_STEPS /* INTERCEPT_SCHEDULE */
};
enum settings_full { SETTINGS_FULL_WAIT, SETTINGS_FULL_DROP };
enum settings_graphs { SETTINGS_GRAPHS_NODES, SETTINGS_GRAPHS_WHOLE };
enum settings_children { SETTINGS_CHILDREN_AUTO, SETTINGS_CHILDREN_ALL, SETTINGS_CHILDREN_NONE };

struct settings {
	char output
		[SETTINGS_PATH_BYTES]; /* absolute, patterns expanded; "" when there is no working directory */
	bool output_varies; /* the pattern names processes apart: each expands it for itself */
	unsigned int trace; /* 1 << enum settings_family */
	char trace_text[SETTINGS_NAME_BYTES]; /* the same as names with commas between */
	enum settings_stacks stacks[SETTINGS_FAMILIES];
	unsigned int stacks_depth;
	uint64_t stacks_min_bytes; /* of an allocation that has a stack */
	uint64_t
		stacks_every_bytes; /* from one sampled allocation to the next; 0: each has a stack */
	uint64_t stacks_min_ns[SETTINGS_FAMILIES]; /* of a call that has a stack */
	enum settings_capture capture;
	bool capture_nvtx, capture_labels; /* which ranges of that name, at least one of them */
	char capture_name[SETTINGS_NAME_BYTES]; /* NAME or NAME@DOMAIN */
	struct schedule schedule;
	char schedule_text[SETTINGS_NAME_BYTES];
	char functions
		[SETTINGS_NAME_BYTES]; /* modules, preload/settings/module_list.h; "" for all */
	char step_name[SETTINGS_NAME_BYTES]; /* NAME or NAME*, "" for auto */
	char own[SETTINGS_NAME_BYTES];       /* patterns of paths, "" for none */
	unsigned int operators;              /* one in so many is recorded */
	unsigned int sample_hz;              /* looks a second at Python stacks, 0: none */
	uint64_t buffer_bytes;               /* whole pages */
	enum settings_full full;
	enum settings_graphs graphs;
	enum settings_children children;
	unsigned int keep;
	unsigned int redact;     /* 1 << enum region_redact, see collector/region/region.h */
	uint64_t max_file_bytes; /* 0: no limit */
	uint64_t rank; /* of a distributed run: region_rank(), 0 when no variable says so */
	unsigned int verbose;
	bool help;
	const char *session; /* value of INTERCEPT_SESSION or NULL; belongs to the environment */
	const char *preload; /* that of LD_PRELOAD, the same way */
	/* what CUDA_INJECTION64_PATH names before we set it: another tool's library, "none"; "" when ours or nothing; cut */
	char injection[SETTINGS_NAME_BYTES];
};

extern struct settings settings;

/* Reads the environment into `settings`. May be called again (tests do). */
void settings_read(void);
/* The library that CUDA_INJECTION64_PATH names at this moment, where that is another than ours; NULL. */
const char *settings_injection_now(void);

/* One line for every wrong value and every unknown INTERCEPT_* variable; the list when HELP=1 and this is
 * the `first` process of the session. */
void settings_speak(bool first);

/* Bytes from one sampled allocation to the next, 0 where allocations have no stacks or all have one. */
uint64_t settings_sampled_stacks(void);

/* Bits 1 << enum evt_family of those that are recorded and whose large blocks have Python stacks (SETTINGS_STACKS_LARGE). */
unsigned int settings_large_stacks(void);

/* Native stacks a second of CPU time, 0 where none are wanted. */
unsigned int settings_native_hz(void);

/* A family is recorded that begins with an audit event of Python. */
bool settings_want_python(void);

/* What the collector's source of each family is told: FAMILY_WORD of families.def. */
void settings_family_words(uint64_t word[EVT_FAMILY_LIMIT]);

/* Of SETTINGS_CAPTURE_RANGE: which ranges, as the user writes it. */
const char *settings_capture_prefix(void);

#endif

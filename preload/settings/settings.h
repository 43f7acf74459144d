/* SPDX-License-Identifier: MIT */
/*
 * What the user has set: the INTERCEPT_* variables, read once. Invalid values are replaced by the
 * default.
 *
 * Runs in the constructor, single-threaded, with static buffers only: nothing here calls malloc. No
 * other file of the library reads the environment. Reading prints nothing, because a program that
 * stays dormant must be silent. settings_speak() prints what was wrong, when the caller wants it.
 */
#ifndef PRELOAD_SETTINGS_SETTINGS_H
#define PRELOAD_SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "preload/settings/budget.h"
#include "preload/settings/gpu_steps.h"
#include "preload/settings/keep_last.h"
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
	/* the default: of families without large blocks, as SETTINGS_STACKS_CALLER */
	SETTINGS_STACKS_LARGE,
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
	SETTINGS_CAPTURE_STEPS, /* INTERCEPT_SCHEDULE */
	SETTINGS_CAPTURE_TRIGGER
};
enum settings_full { SETTINGS_FULL_WAIT, SETTINGS_FULL_DROP };
enum settings_graphs { SETTINGS_GRAPHS_NODES, SETTINGS_GRAPHS_WHOLE };
enum settings_children { SETTINGS_CHILDREN_AUTO, SETTINGS_CHILDREN_ALL, SETTINGS_CHILDREN_NONE };

struct settings {
	char output
		/* absolute, patterns expanded; "" when there is no working directory */
		[SETTINGS_PATH_BYTES];
	/* the pattern differs between processes, so each expands it for itself */
	bool output_varies;
	const char *preset; /* name of INTERCEPT_PRESET, never NULL after settings_read() */
	unsigned int trace; /* 1 << enum settings_family */
	char trace_text[SETTINGS_NAME_BYTES]; /* the same as names separated by commas */
	enum settings_stacks stacks[SETTINGS_FAMILIES];
	unsigned int stacks_depth;
	uint64_t stacks_min_bytes;   /* an allocation needs this size to have a stack */
	uint64_t stacks_every_bytes; /* distance between sampled allocations; 0: each has a stack */
	uint64_t heap_every_bytes;   /* distance between sampled allocations; 0: each is recorded */
	uint64_t stacks_min_ns[SETTINGS_FAMILIES]; /* a call must take this long to have a stack */
	enum settings_capture capture;
	/* kinds of ranges that the name selects, at least one of them */
	bool capture_nvtx, capture_labels;
	bool capture_light;                     /* between captures all is recorded but detail */
	char capture_name[SETTINGS_NAME_BYTES]; /* NAME or NAME@DOMAIN */
	char trigger[SETTINGS_PATH_BYTES];      /* an absolute path, or rules; "": none */
	struct schedule schedule;
	char schedule_text[SETTINGS_NAME_BYTES];
	struct budget budget;
	char budget_text[SETTINGS_NAME_BYTES]; /* "" if it is off */
	char functions
		/* list of modules (preload/settings/module_list.h); "" for all */
		[SETTINGS_NAME_BYTES];
	char step_name[SETTINGS_NAME_BYTES]; /* NAME or NAME*, "" for auto */
	char request[SETTINGS_NAME_BYTES];   /* items with commas between, "" for none */
	char own[SETTINGS_NAME_BYTES];       /* patterns of paths, "" for none */
	uint64_t osrt_min_ns;                /* waits that take less are only counted */
	uint64_t io_min_ns;                  /* calls of family io that take less are added up */
	unsigned int operators;              /* one operator in this many is recorded */
	unsigned int sample_hz;              /* samples of Python stacks per second, 0: none */
	uint64_t buffer_bytes;               /* whole pages */
	enum settings_full full;
	enum settings_graphs graphs;
	bool gpu_sums;              /* work of the GPU is added up */
	struct gpu_steps gpu_steps; /* in which it is recorded */
	bool gpu_waits;             /* CUPTI records waits for it */
	bool gpu_detaches;          /* CUPTI leaves the process while nothing is captured */
	enum settings_children children;
	unsigned int keep;
	unsigned int redact;     /* 1 << enum region_redact, see collector/region/region.h */
	uint64_t max_file_bytes; /* 0: no limit */
	/* absolute, patterns expanded; "" for none */
	char metrics[SETTINGS_PATH_BYTES];
	bool metrics_vary; /* the pattern has the pid or the rank */
	/* INTERCEPT_KEEP_LAST: at most one of them is not 0 */
	struct keep_last keep_last;
	uint64_t rank; /* region_rank() in a distributed run; 0 if no variable gives it */
	unsigned int verbose;
	bool help;
	const char *session; /* value of INTERCEPT_SESSION or NULL; belongs to the environment */
	const char *preload; /* value of LD_PRELOAD, also in the environment */
	/*
	 * What CUDA_INJECTION64_PATH names before we set it: another tool's library, or "none". ""
	 * if it names nothing or us. May be cut.
	 */
	char injection[SETTINGS_NAME_BYTES];
};

extern struct settings settings;

/* Reads the environment into `settings`. May be called again (tests do so). */
void settings_read(void);
/* Returns the library that CUDA_INJECTION64_PATH names now, if it is not ours; else NULL. */
const char *settings_injection_now(void);

/*
 * Prints one line for every invalid value and every unknown INTERCEPT_* variable. With HELP=1,
 * prints the list if this is the `first` process of the session.
 */
void settings_speak(bool first);

/*
 * Returns the mean number of bytes from one sampled allocation to the next; 0 if allocations have
 * no stacks, or all have one.
 */
uint64_t settings_sampled_stacks(void);

/*
 * Returns bits 1 << enum evt_family of the families that are recorded and whose large blocks have
 * Python stacks (SETTINGS_STACKS_LARGE).
 */
unsigned int settings_large_stacks(void);

/* Returns the number of native stacks per second of CPU time; 0 if none are wanted. */
unsigned int settings_native_hz(void);

/*
 * Returns INTERCEPT_BUDGET for the collector, 0 if it is off: in the low 32 bits what detail may
 * cost, in parts per million of the time of the program, or with SETTINGS_BUDGET_SHARE the share of
 * it that has detail. SETTINGS_BUDGET_FIRST: no time has to pass before steps are drawn. From
 * SETTINGS_BUDGET_MS_SHIFT on: how long all has detail, in ms. process_steps.h of the collector
 * reads it.
 */
#define SETTINGS_BUDGET_FIRST (1ull << 32)
#define SETTINGS_BUDGET_SHARE (1ull << 33)
#define SETTINGS_BUDGET_MS_SHIFT 34
uint64_t settings_budget_word(void);
/* Returns 0 if input and output is not recorded, else INTERCEPT_IO_MIN in ns, plus 1. */
uint64_t settings_io_word(void);
/* Returns 0 if the GPU is not recorded, 2 if its work is added up, else 1. */
unsigned int settings_gpu_word(void);

/* True if a family is recorded that begins with an audit event of Python. */
bool settings_want_python(void);

/* Writes what the collector's source of each family is told: FAMILY_WORD of families.def. */
void settings_family_words(uint64_t word[EVT_FAMILY_LIMIT]);

/* Returns the name of the preset; "" if it is the default. */
const char *settings_preset(void);

/* For SETTINGS_CAPTURE_RANGE: which ranges, as the user writes it. */
const char *settings_capture_prefix(void);

#endif

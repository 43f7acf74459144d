/* SPDX-License-Identifier: MIT */
/*
 * Advice of report bottleneck: rules (advice.def) that are applied to what was recorded. A rule
 * whose numbers do not prove it says nothing.
 */
#ifndef REPORT_ADVICE_ADVICE_H
#define REPORT_ADVICE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/samples/library_place.h"

#define ADVICE_BYTES 768
#define ADVICE_COMMAND_BYTES 96

struct bottleneck;

enum advice_severity { ADVICE_PROBLEM, ADVICE_WARNING, ADVICE_NOTE, ADVICE_SEVERITIES };
extern const char *const advice_severity_names[ADVICE_SEVERITIES];

enum advice_unit { ADVICE_percent, ADVICE_ratio, ADVICE_ns, ADVICE_bytes, ADVICE_count };

/* The user's own code that advice is about; "" and 0: not known. */
#define ADVICE_LINE_BYTES 512
struct advice_place {
	char line[ADVICE_LINE_BYTES]; /* FILE:LINE, with the file's name as the code has it */
	char function[ADVICE_LINE_BYTES];
	char caller[ADVICE_LINE_BYTES];    /* FILE:LINE of the caller */
	char library[LIBRARY_PLACE_BYTES]; /* of a package: where the line spends its time */
	uint64_t samples;                  /* on which this is based */
	double part; /* percent of the advice's time; 0: not known, or another place's */
	uint64_t
		few_arenas; /* likewise, too few for more than a guess; 0: it is no guess by them */
};

/* What the time at stake is a share of. */
enum advice_base {
	ADVICE_OF_STEPS,
	ADVICE_OF_RUN,
	ADVICE_OF_SERVING, /* the run of a server, without its start-up */
	ADVICE_OF_LOOP,    /* the same of an event loop that serves nobody */
};

struct advice;
struct advice_rule {
	const char *id;
	enum advice_severity severity;
	const char *unit;
	double threshold;
	const char *todo, *command;
	bool (*look)(const struct bottleneck *bottleneck, struct advice *advice);
};

struct advice {
	const struct advice_rule *rule;
	enum advice_severity severity; /* that of the rule, unless there is more evidence */
	double value;
	uint64_t
		/*
		 * time at stake, of all steps or of the run: an upper bound; 0: it is not about
		 * time
		 */
		gain_ns;
	/* its weight for sorting: for a guess, without what known causes explain */
	uint64_t weight_ns;
	bool waits_for_ranks; /* most of the wait in it is for other ranks of the job */
	bool is_unbounded;    /* memory that grows until the program fails: it comes first */
	enum advice_base of;  /* that of the rule's seconds: see advice_base_of() */
	struct advice_place place;
	char waits_at
		/* FILE:LINE that waits, if the place may be another thread's; "": it is no wait */
		[ADVICE_LINE_BYTES];
	char waits_for
		[64]; /* what it waits for, in words; "": the title says it, or it is no wait */
	/* what the library does in half of that time or more; "": not known */
	char does[48];
	/* of slow_steps: how many steps apart they are; 0: at no regular distance */
	uint64_t steps_apart;
	/* "rank 1", or "one another": what ranks wait for; "": no wait of ranks, or not known */
	char late[32];
	/* FILE:LINE of the thread that worked for nearly all of the wait; "": none did */
	char at_work[ADVICE_LINE_BYTES];
	/* FILE:LINE in which another thread has the GIL that the place waits for; "": not known */
	char has_gil[ADVICE_LINE_BYTES];
	/* of hot_line: % of the CPU time in all lines of its function; 0: hardly more than in it */
	double function_percent;
	char text[ADVICE_BYTES];            /* the numbers, in one sentence */
	char command[ADVICE_COMMAND_BYTES]; /* that of the rule, unless there is a better one */
	/* that of the rule, unless the run did something else */
	const char *todo;
};

/*
 * One function for each line of advice.def: fills value, gain_ns and text, and returns whether the
 * rule applies.
 */
#define ADVICE(id, severity, unit, threshold, todo, command) \
	bool advice_##id(const struct bottleneck *bottleneck, struct advice *advice);
#include "report/advice/advice.def"

/*
 * Returns the advice that applies: failures first, notes last. The others are sorted by the seconds
 * at stake, known causes before guesses. The caller frees it.
 */
struct advice *advice_gather(const struct bottleneck *bottleneck, size_t *ret_count);

/* Returns the most that can be gained, in percent of what advice_base_of() says. */
double advice_share(const struct bottleneck *bottleneck, const struct advice *advice);
enum advice_base advice_base_of(const struct advice *advice);
/* It is about where CPU time goes: its value is the share of that. */
bool advice_is_of_cpu(const struct advice *advice);
/* "steps' time", "run", "serving time" or "time after start-up". */
const char *advice_base_text(const struct advice *advice);

/* Sets what the library does, of its words what is before a comma. */
void advice_set_does(struct advice *advice, const char *words);
/* Sets the value; returns true if it exceeds the rule's threshold. */
bool advice_exceeds(struct advice *advice, double value);
void advice_say(struct advice *advice, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends to the text; what does not fit is cut off. */
void advice_add(struct advice *advice, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

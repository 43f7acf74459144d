/* SPDX-License-Identifier: MIT */
/*
 * Advice of report bottleneck: rules (advice.def) over what was recorded. A rule that its figures do not
 * bear out says nothing.
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
	char line[ADVICE_LINE_BYTES]; /* FILE:LINE, as the code names its file */
	char function[ADVICE_LINE_BYTES];
	char caller[ADVICE_LINE_BYTES];    /* FILE:LINE that called it */
	char library[LIBRARY_PLACE_BYTES]; /* of a package, where the line spends its time */
	uint64_t samples;                  /* that this rests on */
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
	enum advice_severity severity; /* the rule's, unless there is more to it */
	double value;
	uint64_t
		gain_ns; /* at stake: of all steps or of the run, at the very most; 0: it is not about time */
	uint64_t weight_ns; /* its place among others: a guess without what known causes explain */
	bool is_of_run;     /* the seconds are of the run, though there may be steps */
	struct advice_place place;
	char waits_at
		[ADVICE_LINE_BYTES]; /* FILE:LINE that waits, where the place may be another thread's; "": it is no wait */
	/* FILE:LINE of the thread that was at work for nearly all of the wait; "": none was */
	char at_work[ADVICE_LINE_BYTES];
	char text[ADVICE_BYTES];            /* the figures, one sentence */
	char command[ADVICE_COMMAND_BYTES]; /* the rule's, unless there is a better one */
	const char *todo;                   /* the rule's, unless the run did something else */
};

/* One for each line of advice.def: fills value, gain_ns and text, and returns whether it applies. */
#define ADVICE(id, severity, unit, threshold, todo, command) \
	bool advice_##id(const struct bottleneck *bottleneck, struct advice *advice);
#include "report/advice/advice.def"

/*
 * The advice that applies: failures first, notes last; of the rest by the seconds at stake, known
 * causes before guesses. The caller frees it.
 */
struct advice *advice_gather(const struct bottleneck *bottleneck, size_t *ret_count);

/* The most that can be gained, in %: of the loop's settled steps, or of the run. */
double advice_share(const struct bottleneck *bottleneck, const struct advice *advice);
bool advice_is_of_run(const struct advice *advice);

/* Sets the value; true when it is above the rule's threshold. */
bool advice_exceeds(struct advice *advice, double value);
void advice_say(struct advice *advice, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same behind what was said; what has no room is cut. */
void advice_add(struct advice *advice, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

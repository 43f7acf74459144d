/* SPDX-License-Identifier: MIT */
/* Steps as a table of report steps, and as a line for the summary. */
#ifndef REPORT_STEPS_ROWS_STEPS_H
#define REPORT_STEPS_ROWS_STEPS_H

#include "report/table/export.h"
#include "report/session/source.h"
#include "report/steps/step_clocks.h"
#include "report/steps/steps.h"

/* Steps, and the source of the names that ended them. */
struct steps_shown {
	const struct steps *steps;
	const struct source *source;
	const char *name;                 /* of --step; NULL: the recorded steps */
	bool has_io;                      /* input and output were recorded */
	bool has_waits;                   /* waits of the operating system were recorded */
	bool has_gc;                      /* garbage collections were recorded */
	const struct step_clocks *clocks; /* NULL: not wanted */
};

/* `table` has the columns of report steps. */
void steps_fill_table(const struct steps_shown *shown, struct table *table);

/* Prints how many steps there were, what ended them and how long they took, without a newline. */
void steps_print_times(const struct steps_shown *shown, const struct screen *screen);
/*
 * Prints where the time of steps went, by category, the largest share first; for operators and
 * other also how much of it the thread waited, as far as that is known; last, what is in no
 * category, as where a GPU's work was recorded as sums. Without a newline.
 */
void steps_print_shares(const uint64_t *ns, const struct step_cpu *cpu, uint64_t total_ns,
			const struct screen *screen);

/*
 * Splits `all_ns` of a thread, during `helped_ns` of which its helpers worked, into the time that
 * it ran and the time that it waited for something else. False: unknown.
 */
bool step_cpu_split(const struct cpu_span *cpu, uint64_t all_ns, uint64_t helped_ns,
		    uint64_t *ret_running_ns, uint64_t *ret_waiting_ns);

/* Returns the number of kernels that were launched in steps. */
uint64_t steps_launched(const struct steps *steps);

/* The phases of all steps, or of some. */
struct step_phases_shown {
	const struct steps *steps;
	const struct step_host *host;
	/* of steps with detail, for the GPU and launches; the number of these */
	const struct step_phase_times *phases;
	uint64_t count;
};
/* Prints "backward 65.0 % (GPU busy for 4.0 % of it), forward ...", the longest first. */
void steps_print_phases(const struct step_phases_shown *shown, const struct screen *screen);
/* Prints "forward 30.1 %, backward 58.2 %, ...": for what the GPU worked, if that is known. */
void steps_print_asked(const struct step_phase_times *phases, const struct screen *screen);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * How much CPU time a thread had used at a moment, from readings of its clock now and then: from the last reading on it
 * has run for no more than the time that has passed. So it is known between bounds, and so is what it used
 * from one moment to another; how far apart they are says what the answer is worth.
 *
 * Nanoseconds. Nothing is allocated.
 */
#ifndef REPORT_BASE_CPU_CLOCK_H
#define REPORT_BASE_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* The last reading of a thread's clock. */
struct cpu_clock {
	bool is_read;
	uint64_t time_ns, cpu_ns;
};

/* CPU time since the thread began, at a moment. */
struct cpu_moment {
	bool is_known;
	uint64_t low_ns, high_ns;
};

/* CPU time that was used in some time, added up. */
struct cpu_span {
	uint64_t wall_ns; /* of that time, as far as anything is known of it */
	uint64_t low_ns, high_ns;
};

struct cpu_moment cpu_clock_at(const struct cpu_clock *clock, uint64_t time_ns);

/* From the one moment to the other, `wall_ns` later. Nothing is known of it where either is not. */
void cpu_span_add_between(struct cpu_span *span, struct cpu_moment from, struct cpu_moment to,
			  uint64_t wall_ns);
/* `part_ns` of `wall_ns` in which the thread ran for `cpu_ns`, nobody knows in which parts. */
void cpu_span_add_part(struct cpu_span *span, uint64_t part_ns, uint64_t wall_ns, uint64_t cpu_ns);
/* Time of which nothing is known. */
void cpu_span_add_unread(struct cpu_span *span, uint64_t wall_ns);
void cpu_span_add(struct cpu_span *into, const struct cpu_span *more);

/*
 * The CPU time used in `all_ns`, in the middle of its bounds; false when they are further apart than a tenth of
 * that, or something is not known of all of it.
 */
bool cpu_span_value(const struct cpu_span *span, uint64_t all_ns, uint64_t *ret_ns);

#endif

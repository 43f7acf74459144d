/* SPDX-License-Identifier: MIT */
/*
 * How much CPU time a thread had used at a moment, from occasional readings of its clock. Since the
 * last reading it has run for at most the time that has passed. So its CPU time at a moment, and
 * between two moments, is known between bounds. The distance of the bounds says how good the answer
 * is.
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

/* CPU time used in a stretch of time, added up. */
struct cpu_span {
	uint64_t wall_ns; /* the part of that time for which something is known */
	uint64_t low_ns, high_ns;
};

struct cpu_moment cpu_clock_at(const struct cpu_clock *clock, uint64_t time_ns);

/* From one moment to the other, `wall_ns` later. Nothing is known if one of them is unknown. */
void cpu_span_add_between(struct cpu_span *span, struct cpu_moment from, struct cpu_moment to,
			  uint64_t wall_ns);
/* `part_ns` of `wall_ns`, in which the thread ran for `cpu_ns`; it is not known in which parts. */
void cpu_span_add_part(struct cpu_span *span, uint64_t part_ns, uint64_t wall_ns, uint64_t cpu_ns);
/* Time for which nothing is known. */
void cpu_span_add_unread(struct cpu_span *span, uint64_t wall_ns);
void cpu_span_add(struct cpu_span *into, const struct cpu_span *more);

/*
 * The CPU time used in `all_ns`: the middle of its bounds. Returns false if the bounds differ by
 * more than a tenth of `all_ns`, or if something is unknown for a part of it.
 */
bool cpu_span_value(const struct cpu_span *span, uint64_t all_ns, uint64_t *ret_ns);

#endif

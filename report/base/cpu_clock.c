/* SPDX-License-Identifier: MIT */
/* CPU time between bounds: each moment has a lower and an upper bound, and spans add up both. */
#include "report/base/cpu_clock.h"

/* if the bounds differ by more than one part in this of the time, there is no answer */
#define WORTH_TELLING 10u

static uint64_t cpu_clock_difference(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct cpu_moment cpu_clock_at(const struct cpu_clock *clock, uint64_t time_ns)
{
	if (!clock->is_read)
		return (struct cpu_moment){ .is_known = false };
	return (struct cpu_moment){
		.is_known = true,
		.low_ns = clock->cpu_ns,
		.high_ns = clock->cpu_ns + cpu_clock_difference(clock->time_ns, time_ns),
	};
}

void cpu_span_add_between(struct cpu_span *span, struct cpu_moment from, struct cpu_moment to,
			  uint64_t wall_ns)
{
	if (!from.is_known || !to.is_known)
		return;
	span->wall_ns += wall_ns;
	span->low_ns += lesser(cpu_clock_difference(from.high_ns, to.low_ns), wall_ns);
	span->high_ns += lesser(cpu_clock_difference(from.low_ns, to.high_ns), wall_ns);
}

void cpu_span_add_part(struct cpu_span *span, uint64_t part_ns, uint64_t wall_ns, uint64_t cpu_ns)
{
	uint64_t rest_ns = cpu_clock_difference(part_ns, wall_ns);

	span->wall_ns += part_ns;
	span->low_ns += lesser(cpu_clock_difference(rest_ns, cpu_ns), part_ns);
	span->high_ns += lesser(cpu_ns, part_ns);
}

void cpu_span_add_unread(struct cpu_span *span, uint64_t wall_ns)
{
	span->wall_ns += wall_ns;
	span->high_ns += wall_ns;
}

void cpu_span_add(struct cpu_span *into, const struct cpu_span *more)
{
	into->wall_ns += more->wall_ns;
	into->low_ns += more->low_ns;
	into->high_ns += more->high_ns;
}

bool cpu_span_value(const struct cpu_span *span, uint64_t all_ns, uint64_t *ret_ns)
{
	if (!all_ns || span->wall_ns < all_ns ||
	    span->high_ns - span->low_ns > all_ns / WORTH_TELLING)
		return false;
	*ret_ns = span->low_ns + (span->high_ns - span->low_ns) / 2;
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * The CPU time is the thread's at its first record, minus what it had used when recording began.
 * Both results are then limited: used <= lived <= the time since recording began.
 */
#include "collector/drain/thread_life.h"

static uint64_t between(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

struct thread_life thread_life_of(const struct thread_facts *facts)
{
	uint64_t before_ns = facts->before_cpu_ns;
	uint64_t most_ns = between(facts->process_ns, facts->first_ns);
	struct thread_life life = { 0 };

	if (before_ns == THREAD_LIFE_UNKNOWN) {
		if (facts->born_ns == THREAD_LIFE_UNKNOWN || facts->born_ns < facts->process_ns)
			return life;
		before_ns = 0;
	}
	life.used_ns = between(before_ns, facts->cpu_ns);
	if (before_ns) /* it existed when recording began */
		life.lived_ns = most_ns;
	else if (facts->born_ns != THREAD_LIFE_UNKNOWN)
		life.lived_ns = between(facts->born_ns + facts->tick_ns, facts->first_ns);
	if (life.lived_ns < life.used_ns)
		life.lived_ns = life.used_ns;
	if (life.lived_ns > most_ns)
		life.lived_ns = most_ns;
	if (life.used_ns > life.lived_ns)
		life.used_ns = life.lived_ns;
	return life;
}

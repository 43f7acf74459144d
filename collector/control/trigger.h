/* SPDX-License-Identifier: MIT */
/*
 * A request for a capture as people write it, and what it means:
 *
 *   now [for 10s | steps 3]               at once
 *   steps 5000..5003, steps 5000          these steps of each process
 *   when step > 3 * p50 [for 10s | steps N]
 *                                         a step takes, or has taken, that many times the median
 *   when rss > 0.9 * limit, when rss > 20G
 *                                         the processes' resident memory together
 *   when no step for 60s                  no step has ended for so long
 *   ... ranks 0,3,8..15                   behind any of them: only in these ranks
 *
 * One request a line, or with ; between; # begins a comment. Words are in lower case.
 */
#ifndef COLLECTOR_CONTROL_TRIGGER_H
#define COLLECTOR_CONTROL_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRIGGER_RANKS 16u   /* ranges in a list of ranks */
#define TRIGGER_LIST 16u    /* requests in a file or setting */
#define TRIGGER_BYTES 4096u /* length of a file or setting */
#define TRIGGER_FOR_NS 10000000000ull
#define TRIGGER_NS_MAX (86400ull * 1000000000ull)
#define TRIGGER_STEPS_MAX 1000000u
#define TRIGGER_WHY_BYTES 192u

enum trigger_kind {
	TRIGGER_NOW,
	TRIGGER_STEPS,     /* from, steps */
	TRIGGER_SLOW_STEP, /* factor */
	TRIGGER_RSS,       /* bytes */
	TRIGGER_RSS_SHARE, /* factor */
	TRIGGER_NO_STEP,   /* idle_ns */
};

struct trigger {
	enum trigger_kind kind;
	uint64_t for_ns; /* how long the capture lasts; 0: `steps` steps */
	uint64_t steps;
	uint64_t from;
	double factor;
	uint64_t bytes, idle_ns;
	uint32_t rank_count; /* 0: every rank */
	uint32_t rank_from[TRIGGER_RANKS], rank_to[TRIGGER_RANKS];
	uint16_t at, length; /* of its words in the text that it was read from */
};

struct trigger_list {
	struct trigger trigger[TRIGGER_LIST];
	uint32_t count;
};

/*
 * Reads one request. Returns 0, or -1 with half a sentence in ret_why that names what is wrong and
 * what is allowed.
 */
int trigger_parse(const char *text, size_t length, struct trigger *ret_trigger,
		  char ret_why[TRIGGER_WHY_BYTES]);
/*
 * Reads all requests of a text of at most TRIGGER_BYTES. Those that are wrong are left out; ret_why
 * is about the first of them, "" if there is none. Returns how many are wrong.
 */
uint32_t trigger_parse_list(const char *text, size_t length, struct trigger_list *ret_list,
			    char ret_why[TRIGGER_WHY_BYTES]);

/* `has_rank` false: the rank is not known, so a list of ranks does not have it. */
bool trigger_is_for_rank(const struct trigger *trigger, bool has_rank, uint32_t rank);

/* A rule waits for something that may happen more than once. */
static inline bool trigger_is_rule(const struct trigger *trigger)
{
	return trigger->kind > TRIGGER_STEPS;
}

#endif

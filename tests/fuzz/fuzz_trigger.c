/* SPDX-License-Identifier: MIT */
/* links: format */
/*
 * Any bytes as the file that INTERCEPT_TRIGGER names. What is taken is within the limits that
 * trigger.h promises, lies inside of the text, and what is said of the rest can be shown on a
 * terminal.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/control/trigger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check(const struct trigger *trigger, size_t length)
{
	must(trigger->at + trigger->length <= length && trigger->length);
	must(trigger->kind <= TRIGGER_NO_STEP);
	must(trigger->rank_count <= TRIGGER_RANKS);
	must(trigger->for_ns <= TRIGGER_NS_MAX && trigger->idle_ns <= TRIGGER_NS_MAX);
	must(trigger->for_ns || (trigger->steps && trigger->steps <= TRIGGER_STEPS_MAX));
	must(trigger->kind == TRIGGER_STEPS || !trigger->from);
	if (trigger->kind == TRIGGER_SLOW_STEP || trigger->kind == TRIGGER_RSS_SHARE)
		must(trigger->factor > 0 && trigger->factor <= 1e6);
	if (trigger->kind == TRIGGER_RSS)
		must(trigger->bytes > 0);
	for (uint32_t i = 0; i < trigger->rank_count; i++)
		must(trigger->rank_from[i] <= trigger->rank_to[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trigger_list list;
	char why[TRIGGER_WHY_BYTES];
	char *text = malloc(size ? size : 1); /* of its exact length, without a terminator */
	size_t length = size < TRIGGER_BYTES ? size : TRIGGER_BYTES;

	if (!text)
		return 0;
	memcpy(text, data, size);
	trigger_parse_list(text, size, &list, why);
	must(list.count <= TRIGGER_LIST && strlen(why) < TRIGGER_WHY_BYTES);
	for (const char *at = why; *at; at++)
		must(*at >= ' ' && *at <= '~');
	for (uint32_t i = 0; i < list.count; i++)
		check(&list.trigger[i], length);
	free(text);
	return 0;
}

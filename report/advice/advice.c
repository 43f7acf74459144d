/* SPDX-License-Identifier: MIT */
/* Rules in order: see advice.h. */
#include "report/advice/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/advice/bottleneck.h"
#include "report/base/memory.h"

const char *const advice_severity_names[ADVICE_SEVERITIES] = { "problem", "warning", "note" };

static const struct advice_rule rules[] = {
#define ADVICE(id, severity, unit, threshold, todo, command) \
	{ #id, ADVICE_##severity, #unit, threshold, todo, command, advice_##id },
#include "report/advice/advice.def"
};

#define SHARE_OF_PROBLEM 50 /* % */

#define RULES (sizeof(rules) / sizeof(rules[0]))

/* It has a cause, which other advice may name. */
static bool is_symptom(const struct advice *advice)
{
	return advice->rule->look == advice_small_operators ||
	       advice->rule->look == advice_slow_steps;
}

static int compare(const void *a, const void *b)
{
	const struct advice *left = a, *right = b;

	if (left->severity != right->severity)
		return left->severity < right->severity ? -1 : 1;
	if ((left->rule->severity == ADVICE_PROBLEM) != (right->rule->severity == ADVICE_PROBLEM))
		return left->rule->severity == ADVICE_PROBLEM ? -1 : 1;
	if (is_symptom(left) != is_symptom(right))
		return is_symptom(left) ? 1 : -1;
	if (left->gain_ns != right->gain_ns)
		return left->gain_ns > right->gain_ns ? -1 : 1;
	return left->rule < right->rule ? -1 : left->rule > right->rule;
}

double advice_share(const struct bottleneck *bottleneck, const struct advice *advice)
{
	double share = bottleneck_share(bottleneck, advice->gain_ns);

	if (advice_is_of_run(advice))
		share = bottleneck->wall_ns
				? 100.0 * (double)advice->gain_ns / (double)bottleneck->wall_ns
				: 0;
	return share < 100 ? share : 100;
}

bool advice_is_of_run(const struct advice *advice)
{
	return advice->rule->look == advice_first_step;
}

struct advice *advice_gather(const struct bottleneck *bottleneck, size_t *ret_count)
{
	struct advice *advice = memory_zero(RULES, sizeof(*advice));
	size_t count = 0;

	for (size_t i = 0; i < RULES; i++) {
		advice[count] = (struct advice){ .rule = &rules[i], .severity = rules[i].severity };
		snprintf(advice[count].command, ADVICE_COMMAND_BYTES, "%s", rules[i].command);
		if (!rules[i].look(bottleneck, &advice[count]))
			continue;
		if (advice[count].severity == ADVICE_WARNING &&
		    advice_share(bottleneck, &advice[count]) > SHARE_OF_PROBLEM)
			advice[count].severity = ADVICE_PROBLEM;
		count++;
	}
	qsort(advice, count, sizeof(*advice), compare);
	*ret_count = count;
	return advice;
}

bool advice_exceeds(struct advice *advice, double value)
{
	advice->value = value;
	return value > advice->rule->threshold;
}

void advice_say(struct advice *advice, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(advice->text, sizeof(advice->text), format, arguments);
	va_end(arguments);
}

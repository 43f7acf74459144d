/* SPDX-License-Identifier: MIT */
/* Rules in order: see advice.h. */
#include "report/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/memory.h"

const char *const advice_severity_names[ADVICE_SEVERITIES] = { "problem", "warning", "note" };

static const struct advice_rule rules[] = {
#define ADVICE(id, severity, unit, threshold, todo, command) \
	{ #id, ADVICE_##severity, #unit, threshold, todo, command, advice_##id },
#include "report/advice.def"
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

static int compare(const void *a, const void *b)
{
	const struct advice *left = a, *right = b;

	if (left->rule->severity != right->rule->severity)
		return left->rule->severity < right->rule->severity ? -1 : 1;
	if (left->gain_ns != right->gain_ns)
		return left->gain_ns > right->gain_ns ? -1 : 1;
	return left->rule < right->rule ? -1 : left->rule > right->rule;
}

struct advice *advice_gather(const struct bottleneck *bottleneck, size_t *ret_count)
{
	struct advice *advice = memory_zero(RULES, sizeof(*advice));
	size_t count = 0;

	for (size_t i = 0; i < RULES; i++) {
		advice[count] = (struct advice){ .rule = &rules[i] };
		count += rules[i].look(bottleneck, &advice[count]);
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

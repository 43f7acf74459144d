/* SPDX-License-Identifier: MIT */
/* See source_say.h. */
#include "report/session/source_say.h"

#include <stdio.h>

#include "report/base/talk.h"
#include "report/session/missing.h"

bool source_say_faults(struct source *source)
{
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault);
	char more[64] = "";

	if (!count)
		return false;
	if (count > 1)
		snprintf(more, sizeof(more), "; %zu more: prof-report check", count - 1);
	talk_print("'%s': offset %llu: %s%s", fault->file ? fault->file->path : "?",
		   (unsigned long long)fault->offset, fault->text, more);
	return true;
}

void source_say_missing(const struct source *source)
{
	char text[MISSING_BYTES];

	if (missing_describe(source, text))
		talk_print("%s", text);
}

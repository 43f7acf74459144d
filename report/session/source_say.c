/* SPDX-License-Identifier: MIT */
/* The first fault is printed in full, further ones as a number. */
#include "report/session/source_say.h"

#include <stdio.h>

#include "report/base/talk.h"
#include "report/session/missing.h"

static bool is_in_other_files(const struct source_fault *fault, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (fault[i].file != fault[0].file)
			return true;
	return false;
}

bool source_say_faults(struct source *source)
{
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault);
	char more[96] = "";

	if (!count)
		return false;
	if (count > 1)
		snprintf(more, sizeof(more), "; %zu more%s: prof-report check", count - 1,
			 is_in_other_files(fault, count) ? ", in other files too" : "");
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

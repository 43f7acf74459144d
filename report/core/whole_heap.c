/* SPDX-License-Identifier: MIT */
/* Says so: budget_said() of preload/life/init.c. A recording of an older library does not. */
#include "report/core/whole_heap.h"

#include <string.h>

static const char said[] = ", the sample of the heap goes on";

bool whole_heap_is_recorded(const struct source *source)
{
	const struct source_meta *meta;
	size_t count = source_metas(source, &meta);
	bool is_recorded = true;

	for (size_t i = 0; i < count; i++)
		if (meta[i].key->text && meta[i].value->text &&
		    !strcmp(meta[i].key->text, "budget"))
			is_recorded &= memmem(meta[i].value->text, meta[i].value->length, said,
					      strlen(said)) != NULL;
	return is_recorded;
}

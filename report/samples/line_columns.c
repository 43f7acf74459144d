/* SPDX-License-Identifier: MIT */
/*
 * A column is wanted if its name is in --sort, --columns or a --filter; --source wants all of them.
 */
#include "report/samples/line_columns.h"

#include <string.h>

static bool line_columns_has_word(const char *text, const char *const *words)
{
	for (; text && *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

bool line_columns_are_wanted(const struct options *options, const char *const *words)
{
	if (options->of_report[REPORT_OPTION_source].text ||
	    line_columns_has_word(options->sort, words) ||
	    line_columns_has_word(options->columns, words))
		return true;
	for (size_t i = 0; i < options->filter_count; i++)
		if (line_columns_has_word(options->filter[i], words))
			return true;
	return false;
}

/* SPDX-License-Identifier: MIT */
/* What the collector has said of each file's machine. */
#include "report/advice/machine.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS 16

unsigned long machine_cores(const struct bottleneck *bottleneck)
{
	const struct source_meta *meta;
	size_t count = source_metas(bottleneck->source, &meta);
	unsigned long cores = 0;

	for (size_t i = 0; i < count; i++) {
		char digits[DIGITS] = "";
		unsigned long told;

		if (!meta[i].key->text || strcmp(meta[i].key->text, "cores") ||
		    !meta[i].value->text || meta[i].value->length >= DIGITS)
			continue;
		memcpy(digits, meta[i].value->text, meta[i].value->length);
		told = strtoul(digits, NULL, 10);
		if (cores && told != cores)
			return 0;
		cores = told;
	}
	return cores;
}

bool machine_is_one(const struct bottleneck *bottleneck)
{
	struct source_file *const *file;
	size_t count = source_files(bottleneck->source, &file);

	for (size_t i = 1; i < count; i++)
		if (!file[i]->host || !file[0]->host || strcmp(file[i]->host, file[0]->host))
			return false;
	return true;
}

/* SPDX-License-Identifier: MIT */
/* See missing.h. */
#include "report/session/missing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/ranks.h"

/* How many files it had; 0: nobody says. */
static unsigned long files_told(const struct source *source)
{
	const struct source_meta *meta;
	size_t count = source_metas(source, &meta);
	unsigned long most = 0;

	for (size_t i = 0; i < count; i++) {
		char digits[16] = "";
		unsigned long files;

		if (meta[i].process || !meta[i].key->text || !meta[i].value->text ||
		    strcmp(meta[i].key->text, "session_files") != 0)
			continue;
		snprintf(digits, sizeof(digits), "%.*s", (int)meta[i].value->length,
			 meta[i].value->text);
		files = strtoul(digits, NULL, 10);
		most = files > most ? files : most;
	}
	return most;
}

bool missing_describe(const struct source *source, char ret_text[MISSING_BYTES])
{
	struct source_file *const *file;
	size_t count = source_files(source, &file);
	unsigned long told = files_told(source);
	struct ranks ranks;

	if (!count || told <= count) {
		if (!ranks_describe(source, &ranks) || !*ranks.missing)
			return false;
		/* the environment of a job that starts nothing says that, too */
		if (ranks.count < 2 && !ranks.is_torch)
			return false;
		snprintf(ret_text, MISSING_BYTES, "rank%s %s of %llu %s not in what is shown",
			 ranks.world_size - ranks.count == 1 ? "" : "s", ranks.missing,
			 (unsigned long long)ranks.world_size,
			 ranks.world_size - ranks.count == 1 ? "is" : "are");
		return true;
	}
	snprintf(ret_text, MISSING_BYTES,
		 "%zu of the %lu files of this session %s here; the processes of the other %lu are "
		 "not in what is shown",
		 count, told, count == 1 ? "is" : "are", told - (unsigned long)count);
	return true;
}

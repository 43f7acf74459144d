/* SPDX-License-Identifier: MIT */
/*
 * Compares the session's meta `session_files` with the number of files that were read. If none is
 * missing, compares the world size with the ranks of the processes.
 */
#include "report/session/missing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/ranks.h"

/* Returns how many files the session of `meta` had; 0: it does not say. */
static unsigned long files_told(const struct source_meta *meta)
{
	char digits[16] = "";

	if (meta->process || !meta->key->text || !meta->value->text ||
	    strcmp(meta->key->text, "session_files") != 0)
		return 0;
	snprintf(digits, sizeof(digits), "%.*s", (int)meta->value->length, meta->value->text);
	return strtoul(digits, NULL, 10);
}

static size_t files_there(const struct source *source, const char *session)
{
	struct source_file *const *file;
	size_t count = source_files(source, &file), there = 0;

	for (size_t i = 0; i < count; i++)
		there += !strcmp(file[i]->session, session);
	return there;
}

/* Describes the first session that has more files than were read. */
static bool describe_files(const struct source *source, char ret_text[MISSING_BYTES])
{
	const struct source_meta *meta;
	size_t count = source_metas(source, &meta);

	for (size_t i = 0; i < count; i++) {
		unsigned long told = files_told(&meta[i]);
		size_t there = told > 1 ? files_there(source, meta[i].file->session) : 1;

		if (told <= there)
			continue;
		snprintf(ret_text, MISSING_BYTES,
			 "%zu of the %lu files of this session %s here; the processes of the "
			 "other %lu are not in what is shown",
			 there, told, there == 1 ? "is" : "are", told - (unsigned long)there);
		return true;
	}
	return false;
}

static bool describe_ranks(const struct source *source, char ret_text[MISSING_BYTES])
{
	struct ranks ranks;

	if (!ranks_describe(source, &ranks) || !*ranks.missing)
		return false;
	/* the environment of a job with a single program says that, too */
	if (ranks.count < 2 && !ranks.is_torch)
		return false;
	snprintf(ret_text, MISSING_BYTES, "rank%s %s of %llu %s not in what is shown",
		 ranks.world_size - ranks.count == 1 ? "" : "s", ranks.missing,
		 (unsigned long long)ranks.world_size,
		 ranks.world_size - ranks.count == 1 ? "is" : "are");
	return true;
}

bool missing_describe(const struct source *source, char ret_text[MISSING_BYTES])
{
	return describe_files(source, ret_text) || describe_ranks(source, ret_text);
}

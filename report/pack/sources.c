/* SPDX-License-Identifier: MIT */
/* See sources.h. Names of a source are different texts: no file comes twice. */
#include "report/pack/sources.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER "source"
#define ENDING ".py"

/* No control character, no "..", no backslash: a name that unpacks to where it should. */
static bool name_is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f || text[i] == '\\')
			return false;
	return !memmem(text, length, "/../", 4) && !memmem(text, length, "//", 2);
}

static bool name_is_source(const struct source_name *name)
{
	size_t length = name->text ? name->length : 0, ending = strlen(ENDING);

	return length > ending && length < PATH_MAX - sizeof(FOLDER) && name->text[0] == '/' &&
	       !memcmp(name->text + length - ending, ENDING, ending) &&
	       name_is_plain(name->text, length);
}

static bool is_there(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) &&
	       status.st_size <= (off_t)SOURCE_BYTES_MAX;
}

int sources_add(struct zip *zip, const struct source *source, struct sources_count *ret_count)
{
	struct sources_count count = { 0, 0 };
	size_t names = source_name_count(source);

	for (size_t i = 0; i < names; i++) {
		const struct source_name *name = source_name_at(source, (uint32_t)i);
		char packed[PATH_MAX], *path = packed + strlen(FOLDER);

		if (!name_is_source(name))
			continue;
		snprintf(packed, sizeof(packed), FOLDER "%.*s", (int)name->length, name->text);
		if (count.taken >= SOURCE_FILES_MAX || !is_there(path)) {
			count.missing++;
			continue;
		}
		if (zip_add(zip, packed, path, true))
			return -1;
		count.taken++;
	}
	*ret_count = count;
	return 0;
}

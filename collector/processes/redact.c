/* SPDX-License-Identifier: MIT */
/*
 * A program may write its title over its arguments, with spaces where ends were: so the first word ends
 * at a space, too, and before its folders are looked for.
 */
#include "collector/processes/redact.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "collector/processes/proc.h"
#include "collector/region/region.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_BYTES 36u
#define WORD_ENDS " =:,;\"'\t\n" /* where a path may begin */

static bool redact_is_set(uint32_t redact, enum region_redact what)
{
	return redact & 1u << what;
}

static size_t command_first_word(char *text, size_t length)
{
	const char *end = memchr(text, ' ', length), *slash;

	if (end)
		length = (size_t)(end - text);
	slash = memrchr(text, '/', length);
	if (!slash)
		return length;
	length -= (size_t)(slash + 1 - text);
	memmove(text, slash + 1, length);
	return length;
}

/* Every character up to the last slash of its word goes. */
static size_t command_base_names(char *text, size_t length)
{
	size_t used = 0, word = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '/') {
			used = word;
			continue;
		}
		text[used++] = text[i];
		if (text[i] && strchr(WORD_ENDS, text[i]))
			word = used;
	}
	return used;
}

size_t redact_command(uint32_t redact, char *text, size_t length)
{
	if (redact_is_set(redact, REGION_REDACT_args))
		return command_first_word(text, length);
	if (redact_is_set(redact, REGION_REDACT_paths))
		return command_base_names(text, length);
	return length;
}

const char *redact_path(uint32_t redact, const char *path, size_t *length)
{
	const char *slash = memrchr(path, '/', *length);

	if (!slash || !redact_is_set(redact, REGION_REDACT_paths))
		return path;
	*length -= (size_t)(slash + 1 - path);
	return slash + 1;
}

void redact_host(uint32_t redact, char *host, size_t room, const char *session)
{
	char known[1024];
	size_t boot;

	if (!redact_is_set(redact, REGION_REDACT_host))
		return;
	boot = proc_read_file(BOOT_ID, known, BOOT_ID_BYTES);
	snprintf(known + boot, sizeof(known) - boot, " %.*s %s", (int)REGION_TEXT_BYTES - 1,
		 session, host);
	/* without that id the name could be found out by trying all that there may be */
	if (boot < BOOT_ID_BYTES)
		snprintf(host, room, "redacted");
	else
		snprintf(host, room, "redacted-%08x",
			 (unsigned int)(XXH64(known, strlen(known), 0) >> 32));
}

void redact_text(uint32_t redact, char text[REDACT_TEXT_BYTES])
{
	static const char *const names[] = {
#define REDACT(name) #name,
#include "collector/region/redact.def"
	};
	int used = 0;

	*text = 0;
	for (unsigned int i = 0; i < REGION_REDACT_LIMIT; i++)
		if (redact & 1u << i)
			used += snprintf(text + used, REDACT_TEXT_BYTES - (size_t)used, "%s%s",
					 used ? "," : "", names[i]);
}

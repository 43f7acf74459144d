/* SPDX-License-Identifier: MIT */
/* The changes to texts are in collector/format/paths.c, which prof-report uses, too. */
#include "collector/processes/redact.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "collector/format/paths.h"
#include "collector/processes/proc.h"
#include "collector/region/region.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_BYTES 36u

static bool redact_is_set(uint32_t redact, enum region_redact what)
{
	return redact & 1u << what;
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
	return redact_is_set(redact, REGION_REDACT_paths) ? path_base_name(path, length) : path;
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
	/* without that id, the name could be found by trying all possible names */
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

/* SPDX-License-Identifier: MIT */
/* Keeps the first subject of each kind. All processes of one region belong to one program. */
#include "preload/record/limitation.h"

#include <stddef.h>
#include <string.h>

#include "preload/base/log.h"
#include "preload/record/entry.h"

static const char *const sentences[LIMITATIONS] = {
#define LIMITATION(name, family, sentence) sentence,
#include "collector/format/limitations.def"
};

enum subject_state { SUBJECT_NONE, SUBJECT_FILLING, SUBJECT_WHOLE };

static struct region_limitation own[LIMITATIONS];

static void subject_keep(struct region_limitation *kept, const char *subject)
{
	uint32_t state = SUBJECT_NONE;
	size_t length = strnlen(subject, sizeof(kept->subject) - 1);

	if (!atomic_compare_exchange_strong(&kept->state, &state, SUBJECT_FILLING))
		return;
	memcpy(kept->subject, subject, length);
	kept->subject[length] = 0;
	atomic_store_explicit(&kept->state, SUBJECT_WHOLE, memory_order_release);
}

void limitation_note(enum limitation what, const char *subject)
{
	struct region_header *header = entry_region();

	if (subject)
		subject_keep(&own[what], subject);
	if (subject && header)
		subject_keep(&header->limitation[what], subject);
	entry_add_limitation(what);
}

void limitations_renew(void)
{
	struct region_header *header = entry_region();

	for (unsigned int what = 0; header && what < LIMITATIONS; what++)
		if (atomic_load(&own[what].state) == SUBJECT_WHOLE)
			subject_keep(&header->limitation[what], own[what].subject);
}

void limitation_say(enum limitation what, const char *subject)
{
	if (subject)
		log_line("'%s' %s", subject, sentences[what]);
	else
		log_line("%s", sentences[what]);
	limitation_note(what, subject);
}

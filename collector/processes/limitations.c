/* SPDX-License-Identifier: MIT */
/* See limitations.h. What stands in the region is believed as far as it is one of the list; texts are cut and redacted. */
#include "collector/processes/limitations.h"

#include <stdio.h>
#include <string.h>

#include "collector/format/limitations.h"
#include "collector/processes/redact.h"

static const char *const names[LIMITATIONS] = {
#define LIMITATION(name, family, sentence) #name,
#include "collector/format/limitations.def"
};

static void tell(struct common *common, const struct process *process, unsigned int what,
		 uint64_t now_ns)
{
	const struct region_limitation *kept = &common->view.header->limitation[what];
	char copy[sizeof(kept->subject)];
	const char *subject = copy;
	size_t length;

	memcpy(copy, kept->subject, sizeof(copy));
	copy[sizeof(copy) - 1] = 0;
	length = strlen(copy);
	subject = redact_path(common->view.redact, subject, &length);
	if (!length) {
		subject = LIMITATION_NO_SUBJECT;
		length = strlen(subject);
	}
	JOURNAL_ADD(&common->journal, now_ns, meta, .process = process->number,
		    .key = names_id_text(&common->names, names[what], strlen(names[what])),
		    .value = names_id_text(&common->names, subject, length));
}

void limitations_tell(struct common *common, struct process *process,
		      const struct region_process *shared, uint64_t now_ns)
{
	uint64_t noted = view_load64(&shared->limitations);
	uint64_t fresh = noted & ~process->limitations_told;

	process->limitations_told |= noted;
	for (unsigned int what = 0; fresh && what < LIMITATIONS; what++)
		if (fresh >> what & 1)
			tell(common, process, what, now_ns);
}

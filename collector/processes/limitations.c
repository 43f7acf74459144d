/* SPDX-License-Identifier: MIT */
/* Data of the region is accepted only if it is in the list. Texts are cut and redacted. */
#include "collector/processes/limitations.h"

#include <string.h>

#include "collector/processes/processes.h"
#include "collector/processes/redact.h"

static const char *const names[LIMITATIONS] = {
#define LIMITATION(name, family, sentence) #name,
#include "collector/format/limitations.def"
};

void limitation_tell(struct common *common, uint64_t process, enum limitation what,
		     const char *subject, uint64_t time_ns)
{
	size_t length = strlen(subject);

	subject = redact_path(common->view.redact, subject, &length);
	if (!length) {
		subject = LIMITATION_NO_SUBJECT;
		length = strlen(subject);
	}
	JOURNAL_ADD(&common->journal, time_ns, meta, .process = process,
		    .key = names_id_text(&common->names, names[what], strlen(names[what])),
		    .value = names_id_text(&common->names, subject, length));
}

_Static_assert(LIMITATION_samples_elsewhere - LIMITATION_samples_version ==
			       EVT_PYTHON_OFF_ELSEWHERE - EVT_PYTHON_OFF_VERSION &&
		       LIMITATION_native_barred - LIMITATION_native_refused ==
			       EVT_NATIVE_OFF_BARRED - EVT_NATIVE_OFF_REFUSED,
	       "both lists have the same reasons");

void limitation_tell_python_off(struct common *common, uint64_t process, uint64_t off,
				uint64_t time_ns)
{
	if (off)
		limitation_tell(common, process,
				(enum limitation)(LIMITATION_samples_version + off -
						  EVT_PYTHON_OFF_VERSION),
				"", time_ns);
}

void limitation_tell_native_off(struct common *common, uint64_t process, uint64_t off,
				uint64_t time_ns)
{
	if (off)
		limitation_tell(
			common, process,
			(enum limitation)(LIMITATION_native_refused + off - EVT_NATIVE_OFF_REFUSED),
			"", time_ns);
}

/* The subject is in the region, so it is cut. */
static void tell_noted(struct common *common, const struct process *process, unsigned int what,
		       uint64_t now_ns)
{
	const struct region_limitation *kept = &common->view.header->limitation[what];
	char subject[sizeof(kept->subject)];

	memcpy(subject, kept->subject, sizeof(subject));
	subject[sizeof(subject) - 1] = 0;
	limitation_tell(common, process->number, what, subject, now_ns);
}

void limitations_tell(struct common *common, struct process *process,
		      const struct region_process *shared, uint64_t now_ns)
{
	uint64_t noted = view_acquire64(&shared->limitations); /* after its subjects */
	uint64_t fresh = noted & ~process->limitations_told;

	process->limitations_told |= noted;
	for (unsigned int what = 0; fresh && what < LIMITATIONS; what++)
		if (fresh >> what & 1)
			tell_noted(common, process, what, now_ns);
}

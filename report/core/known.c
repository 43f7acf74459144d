/* SPDX-License-Identifier: MIT */
/* When a recording tells what programs did: see known.h. Each source of gaps is asked in turn. */
#include "report/core/known.h"

#include "report/core/why_empty.h"
#include "report/session/holes.h"

uint64_t known_until_ns(const struct run *run)
{
	uint64_t known_ns = source_known_ns(run_source(run));
	uint64_t to_ns = run_filters(run)->settings.to_ns;

	return to_ns < known_ns ? to_ns : known_ns;
}

/* Nothing of any file: with several, one that has a hole says nothing of the others. */
static bool is_in_hole(const struct run *run, uint64_t from_ns, uint64_t to_ns)
{
	struct source *source = run_source(run);
	struct source_file *const *file;
	const struct source_hole *hole;
	size_t count = source_holes(source, &hole);

	if (source_files(source, &file) != 1)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!hole[i].process && from_ns >= hole[i].from_ns && to_ns <= hole[i].to_ns)
			return true;
	return false;
}

bool known_within(const void *context, uint64_t from_ns, uint64_t to_ns)
{
	const struct run *run = context;

	if (from_ns >= known_until_ns(run) || is_in_hole(run, from_ns, to_ns))
		return false;
	return !why_empty_is_limited(run) ||
	       recorded_time_touches(run_captured(run), from_ns, to_ns);
}

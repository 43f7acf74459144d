/* SPDX-License-Identifier: MIT */
/*
 * Checks each source of gaps in turn: the end of the file, holes in it, capture ranges, and the end
 * of the selected time.
 */
#include "report/core/known.h"

#include "report/core/why_empty.h"
#include "report/session/holes.h"

uint64_t known_until_ns(const struct run *run)
{
	uint64_t known_ns = source_known_ns(run_source(run));
	uint64_t to_ns = run_filters(run)->settings.to_ns;

	return to_ns < known_ns ? to_ns : known_ns;
}

/* Returns whether the file contains nothing for [from, to). */
static bool file_is_silent(const struct source *source, const struct source_file *file,
			   uint64_t from_ns, uint64_t to_ns)
{
	const struct source_hole *hole;
	size_t count = source_holes(source, &hole);

	for (size_t i = 0; i < count; i++)
		if (hole[i].file == file && !hole[i].process && from_ns >= hole[i].from_ns &&
		    to_ns <= hole[i].to_ns)
			return true;
	return from_ns >= source_file_known_ns(file);
}

/* Returns whether one of the file's processes was alive then, as far as known. */
static bool file_has_life(const struct source *source, const struct source_file *file,
			  uint64_t from_ns, uint64_t to_ns)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	for (size_t i = 0; i < count; i++)
		if (process[i]->file == file && process[i]->start_ns < to_ns &&
		    (!process[i]->ended || process[i]->end_ns > from_ns))
			return true;
	return false;
}

/* A curve is the sum over all files, so it is unknown where one of them is missing. */
static bool is_in_hole(const struct run *run, uint64_t from_ns, uint64_t to_ns)
{
	const struct source *source = run_source(run);
	struct source_file *const *file;
	size_t count = source_files(source, &file);

	for (size_t i = 0; i < count; i++)
		if (file_is_silent(source, file[i], from_ns, to_ns) &&
		    (count == 1 || file_has_life(source, file[i], from_ns, to_ns)))
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

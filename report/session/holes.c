/* SPDX-License-Identifier: MIT */
/*
 * Holes of the files. They are found as frames are read: from `lost` events, and from missing frame
 * numbers. A hole at the end of a file is no hole but the file's end: what programs did is known
 * until there.
 */
#include "report/session/holes.h"

#include "collector/format/error.h"
#include "report/session/source_state.h"

/*
 * The new hole begins where the last one of the same file and process ended, so that one is
 * extended.
 */
static bool hole_grows(struct source_hole *last, const struct source_hole *hole)
{
	if (last->file != hole->file || last->process != hole->process ||
	    hole->from_ns > last->to_ns)
		return false;
	if (hole->to_ns > last->to_ns)
		last->to_ns = hole->to_ns;
	return true;
}

int hole_add(struct file_row *file, const struct source_process *process, uint64_t from_ns,
	     uint64_t to_ns)
{
	struct source *source = file->source;
	struct source_hole hole = { &file->file, process, from_ns, to_ns };
	struct source_hole *last = source->hole_count ? &source->hole[source->hole_count - 1]
						      : NULL;
	int error;

	if (to_ns < from_ns)
		hole.to_ns = from_ns;
	if (last && hole_grows(last, &hole))
		return EVT_OK;
	if (last && source->hole_count >= HOLES_MAX) {
		last->file = &file->file;
		last->process = NULL;
		last->to_ns = hole.to_ns > last->to_ns ? hole.to_ns : last->to_ns;
		return EVT_OK;
	}
	error = array_reserve(&source->hole, source->hole_count, &source->hole_room,
			      sizeof(*source->hole));
	if (!error)
		source->hole[source->hole_count++] = hole;
	return error;
}

void source_want_holes(struct source *source, source_take_hole *take, void *context)
{
	source->take_hole = take;
	source->hole_context = context;
}

size_t source_holes(const struct source *source, const struct source_hole **ret_holes)
{
	*ret_holes = source->hole;
	return source->hole_count;
}

uint64_t source_file_known_ns(const struct source_file *file)
{
	return file->is_cut_short ? file->known_ns : UINT64_MAX;
}

uint64_t source_known_ns(const struct source *source)
{
	uint64_t known_ns = 0;

	for (size_t i = 0; i < source->file_count; i++) {
		uint64_t until_ns = source_file_known_ns(&source->file[i]->file);

		known_ns = until_ns > known_ns ? until_ns : known_ns;
	}
	return known_ns < source->end_ns ? known_ns : source->end_ns;
}

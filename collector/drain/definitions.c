/* SPDX-License-Identifier: MIT */
/* Each is checked before it is taken: whoever can write to the ring may have written anything. */
#include "collector/drain/definitions.h"

#include "collector/format/frame_flags.h"
#include "collector/format/stack_table.h"

bool definition_put_frame(struct drain *drain, const uint64_t *at)
{
	uint64_t id = view_load64(at + 1), parent = view_load64(at + 2);
	uint64_t address = view_load64(at + 3);

	if (!id || (id | parent) >> RECORD_STACK_BITS)
		return false;
	frame_define_stack(drain->fw, id, parent, address & RECORD_FRAME_ADDRESSES,
			   (uint32_t)(address >> RECORD_FRAME_SHIFT));
	return true;
}

/* What allocates there is ld.so. */
static void definition_note_frame(struct drain *drain, const struct stream *stream, uint64_t id,
				  uint64_t address)
{
	drain_note_caller(drain, stream, address);
	if (modules_is_loader(&stream->process->modules, address))
		drain->loader_stacks[id % DRAIN_STACKS / 64] |= 1ull << id % 64;
}

static enum step definition_frame(struct drain *drain, const struct stream *stream,
				  struct span *span)
{
	if (span->stop - span->at < (ptrdiff_t)RECORD_FRAME_WORDS ||
	    !definition_put_frame(drain, span->at))
		return STEP_BAD;
	if (!(view_load64(span->at + 3) & PYTHON_LINE_BIT))
		definition_note_frame(drain, stream, view_load64(span->at + 1),
				      view_load64(span->at + 3) & RECORD_FRAME_ADDRESSES);
	span->at += RECORD_FRAME_WORDS;
	return STEP_ON;
}

/* Defined on stream 0, which readers read first. A second definition is the same. */
static enum step definition_line(struct drain *drain, struct span *span)
{
	struct common *common = drain->common;
	uint64_t id, lines;

	if (span->stop - span->at < (ptrdiff_t)RECORD_LINE_WORDS)
		return STEP_BAD;
	id = view_load64(span->at + 1);
	lines = view_load64(span->at + 4);
	if (!(id & PYTHON_LINE_BIT) || id > RECORD_FRAME_ADDRESSES)
		return STEP_BAD;
	JOURNAL_ADD(&common->journal, common->journal.string_ns, python_line, .id = id,
		    .function = names_id(&common->names, view_load64(span->at + 2)),
		    .file = names_id(&common->names, view_load64(span->at + 3)),
		    .first_line = (uint32_t)lines, .line = lines >> 32);
	span->at += RECORD_LINE_WORDS;
	return STEP_ON;
}

/* The program's reports of modules have a time, so they are applied before its maps are. */
static enum step definition_unloaded(struct drain *drain, const struct stream *stream,
				     struct span *span)
{
	uint64_t ticks = record_ticks(view_load64(span->at)), seen;
	struct module_end end;

	if (span->stop - span->at < (ptrdiff_t)RECORD_UNLOADED_WORDS)
		return STEP_BAD;
	seen = view_load64(span->at + 6);
	if (span_judge_time(span) != STEP_ON)
		return span_judge_time(span);
	end = (struct module_end){
		.time_ns = clockmap_ns(&drain->common->clock, ticks),
		.seen_ns = clockmap_ns(&drain->common->clock, seen < ticks ? seen : ticks),
		.start = view_load64(span->at + 1),
		.bias = view_load64(span->at + 3),
		.path = names_id(&drain->common->names, view_load64(span->at + 4)),
		.build_id = names_id(&drain->common->names, view_load64(span->at + 5))
	};
	end.end = end.start + view_load64(span->at + 2);
	if (end.end <= end.start)
		return STEP_BAD;
	modules_note_end(&stream->process->modules, &end);
	span->at += RECORD_UNLOADED_WORDS;
	return STEP_ON;
}

static enum step definition_stack(struct stream *stream, struct span *span)
{
	uint64_t id;

	if (span->stop - span->at < (ptrdiff_t)RECORD_STACK_WORDS)
		return STEP_BAD;
	id = view_load64(span->at + 1);
	if (!id || id >> RECORD_STACK_BITS)
		return STEP_BAD;
	stream->stack = id;
	span->at += RECORD_STACK_WORDS;
	return STEP_ON;
}

static enum step definition_text(struct drain *drain, struct stream *stream, struct span *span)
{
	uint64_t words[RECORD_PIECE_WORDS];

	if (span->stop - span->at < (ptrdiff_t)RECORD_PIECE_WORDS)
		return STEP_BAD;
	for (unsigned int i = 1; i < RECORD_PIECE_WORDS; i++)
		words[i] = view_load64(span->at + i);
	if (!names_take_piece(&drain->common->names, &stream->text, words + 1))
		return STEP_BAD;
	span->at += RECORD_PIECE_WORDS;
	return STEP_ON;
}

enum step definition_take(struct drain *drain, struct stream *stream, struct span *span)
{
	switch (record_type(view_load64(span->at))) {
	case RECORD_TEXT:
		return definition_text(drain, stream, span);
	case RECORD_FRAME:
		return definition_frame(drain, stream, span);
	case RECORD_STACK:
		return definition_stack(stream, span);
	case RECORD_LINE:
		return definition_line(drain, span);
	case RECORD_UNLOADED:
		return definition_unloaded(drain, stream, span);
	default:
		return STEP_BAD;
	}
}

/* SPDX-License-Identifier: MIT */
/* Stacks of processes become stacks of places in the code: see named_stacks.h. */
#include "report/stacks/named_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/frame_flags.h"
#include "report/base/text.h"
#include "report/session/callers.h"
#include "report/symbols/object.h"

#define UNKNOWN_NAME "(unknown)"
#define TRUNCATED_NAME "(more callers, not recorded)"

struct named_ends {
	uint64_t *time_ns; /* sorted */
	size_t count;
	bool is_made;
};

void named_stacks_init(struct named_stacks *names, struct source *source, enum symbol_form form)
{
	*names = (struct named_stacks){ .source = source, .frame_count = 1, .node_count = 1 };
	symbols_init(&names->symbols, form);
	map_init(&names->frames);
	map_init(&names->nodes);
	map_init(&names->known);
	names->frame = memory_room(NULL, 0, &names->frame_room, sizeof(*names->frame));
	names->node = memory_room(NULL, 0, &names->node_room, sizeof(*names->node));
}

void named_stacks_release(struct named_stacks *names)
{
	for (size_t i = 0; i < names->ends_room; i++)
		free(names->ends[i].time_ns);
	free(names->ends);
	free(names->frame);
	free(names->node);
	free(names->path);
	free(names->outer);
	map_release(&names->frames);
	map_release(&names->nodes);
	map_release(&names->known);
	symbols_release(&names->symbols);
	text_store_release(&names->texts);
}

/* --- frames --- */

enum fold {
	FOLD_IS_INNER,
	FOLD_IS_OUTER,
	FOLD_IS_PYTHON,
};

static bool is_folded(const char *name, enum fold where)
{
	static const struct {
		const char *glob;
		enum fold where;
	} folded[] = {
#define FOLD_INNER(glob, why) { glob, FOLD_IS_INNER },
#define FOLD_OUTER(glob, why) { glob, FOLD_IS_OUTER },
#define FOLD_PYTHON(glob, why) { glob, FOLD_IS_PYTHON },
#include "report/stacks/folding.def"
	};

	for (size_t i = 0; i < sizeof(folded) / sizeof(folded[0]); i++)
		if (folded[i].where == where &&
		    text_matches(name, strlen(name), folded[i].glob, strlen(folded[i].glob)))
			return true;
	return false;
}

static uint64_t text_hash(const char *text, uint64_t seed)
{
	return map_hash_bytes(text ? text : "", text ? strlen(text) : 0, seed);
}

/* What makes a frame the same place: its line where that is known, else its offset. */
static uint64_t frame_identity(const struct named_frame *frame)
{
	bool has_line = frame->function && frame->file && frame->line;
	uint64_t place = has_line ? frame->line : frame->offset;
	uint64_t hash = text_hash(has_line ? frame->file : "", text_hash(frame->module, place));

	hash = text_hash(frame->function ? frame->function : frame->name, hash);
	return map_hash_bytes(&place, sizeof(place), hash + has_line);
}

static uint32_t add_frame(struct named_stacks *names, const struct named_frame *frame)
{
	bool added;
	struct map_entry *entry = map_put(&names->frames, frame_identity(frame), &added);

	if (!added)
		return (uint32_t)entry->value;
	names->frame = memory_room(names->frame, names->frame_count, &names->frame_room,
				   sizeof(*names->frame));
	names->frame[names->frame_count] = *frame;
	entry->value = names->frame_count;
	return (uint32_t)names->frame_count++;
}

static uint32_t add_name(struct named_stacks *names, const char *name)
{
	return add_frame(names, &(struct named_frame){ .name = name });
}

static uint32_t add_node(struct named_stacks *names, uint32_t parent, uint32_t frame)
{
	uint64_t words[2] = { parent, frame };
	bool added;
	struct map_entry *entry = map_put(&names->nodes, map_hash_bytes(words, sizeof(words), 0),
					  &added);

	if (!added)
		return (uint32_t)entry->value;
	names->node = memory_room(names->node, names->node_count, &names->node_room,
				  sizeof(*names->node));
	names->node[names->node_count] = (struct named_node){ parent, frame };
	entry->value = names->node_count;
	return (uint32_t)names->node_count++;
}

/* The caller's own text stands for a function that nothing is known of. */
static struct named_frame frame_of(struct named_stacks *names, const struct source_process *process,
				   const struct symbol *symbol, const struct stack_frame *raw,
				   uint64_t time_ns)
{
	struct named_frame frame = { .function = symbol->function,
				     .file = symbol->file,
				     .module = symbol->module,
				     .line = symbol->line,
				     .offset = symbol->is_python && symbol->line ? 0
										 : symbol->address,
				     .is_python = symbol->is_python };
	const char *brief = symbol->brief ? symbol->brief : symbol->function;

	frame.name = names->for_people ? brief : symbol->function;
	if (!frame.name)
		frame.name = caller_of(&names->texts, process, raw->address, time_ns).text;
	frame.folds_inner = raw->flags & FRAME_IS_WRAPPER ||
			    (symbol->plain && is_folded(symbol->plain, FOLD_IS_INNER));
	frame.folds_outer = symbol->plain && is_folded(symbol->plain, FOLD_IS_OUTER);
	frame.folds_python = symbol->plain && is_folded(symbol->plain, FOLD_IS_PYTHON);
	return frame;
}

/* The frames of C that came before the first one of Python, without the interpreter's own. */
static uint32_t without_interpreter(struct named_stacks *names, uint32_t stack)
{
	uint32_t length = 0, node = NAMED_NONE;

	for (uint32_t at = stack; at != NAMED_NONE; at = named_parent(names, at)) {
		names->outer = memory_room(names->outer, length, &names->outer_room,
					   sizeof(*names->outer));
		names->outer[length++] = names->node[at].frame;
	}
	while (length) {
		uint32_t frame = names->outer[--length];

		if (!names->frame[frame].folds_python)
			node = add_node(names, node, frame);
	}
	return node;
}

/* What is inlined there is frames of their own. NAMED_NONE: it was folded away. */
static uint32_t add_call(struct named_stacks *names, uint32_t parent,
			 const struct source_process *process, const struct stack_frame *raw,
			 uint64_t time_ns, bool folds)
{
	struct symbol symbol[OBJECT_INLINED_MAX];
	size_t count = symbols_frames_of(&names->symbols, process, raw->address, raw->flags,
					 time_ns, symbol, OBJECT_INLINED_MAX);

	while (count) {
		struct named_frame frame = frame_of(names, process, &symbol[--count], raw, time_ns);

		if (folds && frame.folds_python && named_stack_python(names, parent))
			continue;
		if (folds && frame.is_python && !named_stack_python(names, parent))
			parent = without_interpreter(names, parent);
		if (!folds || parent != NAMED_NONE || !frame.folds_outer)
			parent = add_node(names, parent, add_frame(names, &frame));
	}
	return parent;
}

/* --- stacks --- */

static int compare_times(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static struct named_ends *ends_of(struct named_stacks *names, const struct source_process *process)
{
	struct named_ends *ends;

	names->ends = memory_room(names->ends, process->index, &names->ends_room,
				  sizeof(*names->ends));
	ends = &names->ends[process->index];
	if (ends->is_made)
		return ends;
	ends->is_made = true;
	ends->time_ns = memory_zero(process->module_count + 1, sizeof(*ends->time_ns));
	for (size_t i = 0; i < process->module_count; i++)
		if (process->module[i]->to_ns != UINT64_MAX)
			ends->time_ns[ends->count++] = process->module[i]->to_ns;
	qsort(ends->time_ns, ends->count, sizeof(*ends->time_ns), compare_times);
	return ends;
}

/* As long as no module goes away an address means one thing. */
static size_t epoch_of(struct named_stacks *names, const struct source_process *process,
		       uint64_t time_ns)
{
	const struct named_ends *ends = ends_of(names, process);
	size_t low = 0, high = ends->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ends->time_ns[middle] <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct map_entry *known_of(struct named_stacks *names, const struct source_process *process,
				  uint32_t stack, size_t epoch, bool *ret_added)
{
	uint64_t words[3] = { process->index, stack, epoch };

	return map_put(&names->known, map_hash_bytes(words, sizeof(words), 0), ret_added);
}

/* Frames from `stack` outwards that have no node yet, in names->path; returns how many, and the node above them. */
static size_t path_make(struct named_stacks *names, const struct source_process *process,
			uint32_t stack, size_t epoch, uint32_t *ret_node)
{
	const struct stacks *stacks = source_stacks(names->source);
	size_t length = 0;

	*ret_node = NAMED_NONE;
	for (; stack != STACK_NONE; stack = stacks_frame(stacks, stack)->parent) {
		uint64_t words[3] = { process->index, stack, epoch };
		const struct map_entry *known = map_find(&names->known,
							 map_hash_bytes(words, sizeof(words), 0));

		if (known) {
			*ret_node = (uint32_t)known->value;
			break;
		}
		names->path = memory_room(names->path, length, &names->path_room,
					  sizeof(*names->path));
		names->path[length++] = stack;
	}
	return length;
}

/* The nodes of a stack with its outermost frames folded, its innermost not. */
static uint32_t node_of(struct named_stacks *names, const struct source_process *process,
			uint32_t stack, uint64_t time_ns)
{
	const struct stacks *stacks = source_stacks(names->source);
	size_t epoch = epoch_of(names, process, time_ns);
	uint32_t node;
	size_t length = path_make(names, process, stack, epoch, &node);

	while (length) {
		uint32_t at = names->path[--length];
		const struct stack_frame *raw = stacks_frame(stacks, at);
		bool added;

		if (raw->flags & FRAME_IS_TRUNCATED && raw->parent == STACK_NONE)
			node = add_node(names, NAMED_NONE, add_name(names, TRUNCATED_NAME));
		node = add_call(names, node, process, raw, time_ns, !names->is_raw);
		known_of(names, process, at, epoch, &added)->value = node;
	}
	return node;
}

uint32_t named_stack_of(struct named_stacks *names, const struct source_process *process,
			uint32_t stack, uint64_t time_ns)
{
	uint32_t node, kept;

	if (stack == STACK_NONE || stack >= source_stacks(names->source)->count)
		return add_node(names, NAMED_NONE, add_name(names, UNKNOWN_NAME));
	names->is_deep |= stacks_frame(source_stacks(names->source), stack)->parent != STACK_NONE;
	node = kept = node_of(names, process, stack, time_ns);
	while (!names->is_raw && node != NAMED_NONE && named_frame_of(names, node)->folds_inner)
		node = named_parent(names, node);
	if (node != NAMED_NONE)
		return node;
	/* all of it is folded: the innermost says most */
	return kept != NAMED_NONE ? kept
				  : add_call(names, NAMED_NONE, process,
					     stacks_frame(source_stacks(names->source), stack),
					     time_ns, false);
}

size_t named_stack_frames(struct named_stacks *names, uint32_t stack, struct table_frame *frame,
			  size_t room)
{
	size_t count = 0;

	for (; stack != NAMED_NONE; stack = named_parent(names, stack)) {
		const struct named_frame *named = named_frame_of(names, stack);

		if (count < room)
			frame[count] = (struct table_frame){ named->name,   named->function,
							     named->file,   named->module,
							     named->offset, named->line };
		count++;
	}
	return count;
}

const struct named_frame *named_stack_python(const struct named_stacks *names, uint32_t stack)
{
	for (; stack != NAMED_NONE; stack = named_parent(names, stack))
		if (named_frame_of(names, stack)->is_python)
			return named_frame_of(names, stack);
	return NULL;
}

bool named_stack_has(const struct named_stacks *names, uint32_t stack, const char *part)
{
	for (; stack != NAMED_NONE; stack = named_parent(names, stack)) {
		const struct named_frame *frame = named_frame_of(names, stack);

		if (strstr(frame->name, part) || (frame->function && strstr(frame->function, part)))
			return true;
	}
	return false;
}

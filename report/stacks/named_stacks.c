/* SPDX-License-Identifier: MIT */
/*
 * Stacks of processes become stacks of places in the code. Calls and frames are looked up once per
 * address and epoch, an epoch being a time in which addresses of a process keep their meaning.
 */
#include "report/stacks/named_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/frame_flags.h"
#include "report/base/pages.h"
#include "report/base/sorted.h"
#include "report/base/text.h"
#include "report/base/vast.h"
#include "report/session/callers.h"
#include "report/symbols/object.h"

#define UNKNOWN_NAME "(unknown)"
#define MODULE_FUNCTION "<module>" /* what CPython calls the code of a file itself */
#define NO_FILE_NAME "[code of no file]"
#define OWN_MODULE "libintercept.so"
#define TRUNCATED_NAME "(more callers, not recorded)"

struct named_ends {
	uint64_t *time_ns; /* sorted */
	size_t count;
	bool is_made;
};

struct named_epoch {
	struct pages
		node; /* by stack: its node, with unfolded innermost frames; 0: not known yet */
};

/* A slice of named_stacks.call_frame, outermost first. */
struct named_call {
	size_t first, count;
};

struct call_frame {
	uint32_t frame;
	bool folds_outer;
};

void named_stacks_init(struct named_stacks *names, struct source *source, enum symbol_form form)
{
	*names = (struct named_stacks){ .source = source, .frame_count = 1 };
	symbols_init(&names->symbols, source, form);
	map_init(&names->frames);
	map_init(&names->shown);
	map_init(&names->epochs);
	map_init(&names->calls);
	map_init(&names->folds);
	node_table_init(&names->nodes);
	names->frame = vast_room(NULL, 0, &names->frame_room, sizeof(*names->frame));
}

void named_stacks_release(struct named_stacks *names)
{
	for (size_t i = 0; i < names->ends_room; i++)
		free(names->ends[i].time_ns);
	free(names->ends);
	for (size_t i = 0; i < names->epoch_count; i++)
		pages_release(&names->epoch[i].node);
	free(names->epoch);
	vast_release(names->call, names->call_room, sizeof(*names->call));
	vast_release(names->call_frame, names->call_frame_room, sizeof(*names->call_frame));
	vast_release(names->frame, names->frame_room, sizeof(*names->frame));
	free(names->path);
	free(names->outer);
	map_release(&names->frames);
	map_release(&names->shown);
	map_release(&names->epochs);
	map_release(&names->calls);
	map_release(&names->folds);
	node_table_release(&names->nodes);
	symbols_release(&names->symbols);
	text_store_release(&names->texts);
}

/* --- frames --- */

enum fold {
	FOLD_IS_INNER = 1,
	FOLD_IS_OUTER = 2,
	FOLD_IS_PYTHON = 4,
};

static unsigned int find_folds(const char *name)
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
	size_t length = strlen(name);
	unsigned int folds = 0;

	for (size_t i = 0; i < sizeof(folded) / sizeof(folded[0]); i++)
		if (!(folds & folded[i].where) &&
		    text_matches(name, length, folded[i].glob, strlen(folded[i].glob)))
			folds |= folded[i].where;
	return folds;
}

/*
 * Bits of enum fold. `name` is a symbol's name, which has one address however many frames are in
 * it; NULL: unknown.
 */
static unsigned int folds_of(struct named_stacks *names, const char *name)
{
	struct map_entry *entry;
	bool added;

	if (!name)
		return 0;
	entry = map_put(&names->folds, (uintptr_t)name, &added);
	if (added)
		entry->value = find_folds(name);
	return (unsigned int)entry->value;
}

static uint64_t named_stacks_text_hash(const char *text, uint64_t seed)
{
	return map_hash_bytes(text ? text : "", text ? strlen(text) : 0, seed);
}

/* What makes a frame the same place: its line if that is known, else its offset. */
static uint64_t frame_identity(const struct named_frame *frame, uint64_t function_hash)
{
	bool has_line = frame->function && frame->file && frame->line;
	uint64_t place = has_line ? frame->line : frame->offset;
	uint64_t hash = named_stacks_text_hash(has_line ? frame->file : "",
					       named_stacks_text_hash(frame->module, place));

	if (!function_hash)
		function_hash = symbols_hash(frame->exact      ? frame->exact
					     : frame->function ? frame->function
							       : frame->name);
	return map_hash_bytes((const uint64_t[]){ place, function_hash }, 2 * sizeof(place),
			      hash + has_line);
}

static void note_shown(struct named_stacks *names, const struct named_frame *frame)
{
	uint64_t function = named_function(frame);
	bool added;
	struct map_entry *entry = map_put(&names->shown, symbols_hash(frame->name), &added);

	entry->value = added || entry->value == function ? function : NAMED_MANY;
}

const char *named_shown(const struct named_stacks *names, const struct named_frame *frame)
{
	const struct map_entry *entry = frame->exact
						? map_find(&names->shown, symbols_hash(frame->name))
						: NULL;

	return entry && entry->value == NAMED_MANY ? frame->exact : frame->name;
}

/* `function_hash` is that of struct symbol; 0: unknown. */
static uint32_t named_stacks_add_frame(struct named_stacks *names, const struct named_frame *frame,
				       uint64_t function_hash)
{
	bool added;
	struct map_entry *entry = map_put(&names->frames, frame_identity(frame, function_hash),
					  &added);

	if (!added) {
		names->frame[entry->value].is_many |= names->frame[entry->value].offset !=
						      frame->offset;
		return (uint32_t)entry->value;
	}
	names->frame = vast_room(names->frame, names->frame_count, &names->frame_room,
				 sizeof(*names->frame));
	names->frame[names->frame_count] = *frame;
	note_shown(names, frame);
	entry->value = names->frame_count;
	return (uint32_t)names->frame_count++;
}

static uint32_t add_name(struct named_stacks *names, const char *name)
{
	return named_stacks_add_frame(names, &(struct named_frame){ .name = name }, 0);
}

/* Where libc starts a program or a thread; these functions have names on few machines. */
static bool is_begin_in_libc(const struct named_frame *frame)
{
	return !frame->function && frame->module &&
	       (!strncmp(frame->module, "libc.so.", 8) || !strncmp(frame->module, "libc-2.", 7));
}

/* A function of the recorder in a sampled stack: it means nothing to the user. */
static bool is_own(const struct named_stacks *names, const struct symbol *symbol)
{
	return names->of_samples && !names->is_raw && symbol->module &&
	       !strcmp(symbol->module, OWN_MODULE);
}

static bool named_stacks_is_users(const struct named_stacks *names,
				  const struct source_process *process, const struct symbol *symbol)
{
	if (!names->own)
		return false;
	if (symbol->is_python)
		return symbol->file && own_has_file(names->own, symbol->file, strlen(symbol->file));
	return own_has_code(names->own, &(struct own_code){ process, symbol->plain, symbol->file,
							    symbol->path });
}

/* If nothing is known of a function, the caller's text stands for it. */
static struct named_frame named_stacks_frame_of(struct named_stacks *names,
						const struct source_process *process,
						const struct symbol *symbol,
						const struct stack_frame *raw, uint64_t time_ns)
{
	struct named_frame frame = { .function = symbol->function,
				     .exact = symbol->exact,
				     .file = symbol->file,
				     .module = symbol->module,
				     .line = symbol->line,
				     .offset = symbol->is_python && symbol->line ? 0
										 : symbol->address,
				     .is_python = symbol->is_python,
				     .is_users = named_stacks_is_users(names, process, symbol),
				     .is_constructor = names->own && symbol->plain &&
						       !symbol->is_python &&
						       own_is_constructor(symbol->plain) };
	const char *brief = symbol->brief ? symbol->brief : symbol->function;
	unsigned int folds = folds_of(names, symbol->plain);

	if (is_own(names, symbol))
		return (struct named_frame){ .name = NAMED_OWN,
					     .function = NAMED_OWN,
					     .module = symbol->module,
					     .is_own = true };
	frame.name = names->for_people ? brief : symbol->function;
	if (!frame.name && names->of_samples && !frame.module) {
		frame.name = NO_FILE_NAME;
		frame.offset = 0;
	}
	if (!frame.name)
		frame.name = caller_of(&names->texts, process, raw->address, time_ns).text;
	frame.folds_inner = raw->flags & FRAME_IS_WRAPPER || folds & FOLD_IS_INNER;
	frame.folds_outer = folds & FOLD_IS_OUTER || is_begin_in_libc(&frame);
	frame.folds_python = folds & FOLD_IS_PYTHON;
	frame.begins_process = names->own && frame.is_python && frame.function && frame.file &&
			       own_begins_process(names->own, frame.function, frame.file,
						  strlen(frame.file));
	return frame;
}

/* The C frames outside of the first Python frame, without the interpreter's own. */
static uint32_t without_interpreter(struct named_stacks *names, uint32_t stack)
{
	uint32_t length = 0, node = NAMED_NONE;

	for (uint32_t at = stack; at != NAMED_NONE; at = named_parent(names, at)) {
		names->outer = memory_room(names->outer, length, &names->outer_room,
					   sizeof(*names->outer));
		names->outer[length++] = names->nodes.node[at].frame;
	}
	while (length) {
		uint32_t frame = names->outer[--length];

		if (!names->frame[frame].folds_python)
			node = node_table_put(&names->nodes, node, frame);
	}
	return node;
}

/* Functions inlined there are frames of their own. */
static struct named_call make_call(struct named_stacks *names, const struct source_process *process,
				   const struct stack_frame *raw, uint64_t time_ns)
{
	struct symbol symbol[OBJECT_INLINED_MAX];
	size_t count = symbols_frames_of(&names->symbols, process, raw->address, raw->flags,
					 time_ns, symbol, OBJECT_INLINED_MAX);
	struct named_call call = { names->call_frame_count, count };

	while (count) {
		struct named_frame frame = named_stacks_frame_of(names, process, &symbol[--count],
								 raw, time_ns);

		names->call_frame = vast_room(names->call_frame, names->call_frame_count,
					      &names->call_frame_room, sizeof(*names->call_frame));
		names->call_frame[names->call_frame_count++] = (struct call_frame){
			named_stacks_add_frame(names, &frame,
					       frame.is_own ? 0 : symbol[count].function_hash),
			frame.folds_outer
		};
	}
	return call;
}

/*
 * An address occurs in many stacks, so it is looked up once for as long as its meaning is the same.
 */
static const struct named_call *named_stacks_call_of(struct named_stacks *names, size_t epoch,
						     const struct source_process *process,
						     const struct stack_frame *raw,
						     uint64_t time_ns)
{
	uint64_t words[3] = { epoch, raw->address, raw->flags };
	bool added;
	struct map_entry *entry = map_put(&names->calls, map_hash_bytes(words, sizeof(words), 0),
					  &added);

	if (added) {
		struct named_call call = make_call(names, process, raw, time_ns);

		names->call = vast_room(names->call, names->call_count, &names->call_room,
					sizeof(*names->call));
		names->call[names->call_count] = call;
		entry->value = names->call_count++;
	}
	return &names->call[entry->value];
}

/* True if the node is a single frame, in a program whose start has no name. */
static bool is_nameless_begin(const struct named_stacks *names, uint32_t node)
{
	const struct named_frame *frame = named_frame_of(names, node);

	return node != NAMED_NONE && named_parent(names, node) == NAMED_NONE && !frame->function &&
	       frame->module;
}

/*
 * The recorder's functions are in a stack only if they are what ran; what they called counts as
 * called by their caller.
 */
static uint32_t without_own(const struct named_stacks *names, uint32_t node)
{
	while (node != NAMED_NONE && named_frame_of(names, node)->is_own)
		node = named_parent(names, node);
	return node;
}

/*
 * The outermost Python frame is that of the file that the program was started with: see own.h. Its
 * own frame was made before that was known.
 */
static void named_stacks_note_script(struct named_stacks *names, uint32_t parent, uint32_t frame)
{
	struct named_frame *named = &names->frame[frame];

	if (!names->own || !names->own->has_no_folders || !named->is_python || !named->file ||
	    !named->function || strcmp(named->function, MODULE_FUNCTION) != 0 ||
	    named_stack_python(names, parent))
		return;
	own_note_script_file(names->own, named->file);
	named->is_users = own_has_file(names->own, named->file, strlen(named->file));
}

/* NAMED_NONE: it was folded away. */
static uint32_t add_call(struct named_stacks *names, uint32_t parent, const struct named_call *call,
			 bool folds)
{
	const struct call_frame *frame = &names->call_frame[call->first];

	for (size_t i = 0; i < call->count; i++) {
		const struct named_frame *named = &names->frame[frame[i].frame];

		named_stacks_note_script(names, parent, frame[i].frame);
		if (folds && named->folds_python && named_stack_python(names, parent))
			continue;
		parent = without_own(names, parent);
		if (folds && named->is_python && !named_stack_python(names, parent))
			parent = without_interpreter(names, parent);
		if (folds && frame[i].folds_outer && is_nameless_begin(names, parent))
			parent = NAMED_NONE;
		if (!folds || parent != NAMED_NONE || !frame[i].folds_outer)
			parent = node_table_put(&names->nodes, parent, frame[i].frame);
	}
	return parent;
}

/* --- stacks --- */

static int compare_times(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static struct named_ends *named_stacks_ends_of(struct named_stacks *names,
					       const struct source_process *process)
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

/* As long as no module is unloaded, an address has one meaning. */
static size_t ends_before(struct named_stacks *names, const struct source_process *process,
			  uint64_t time_ns)
{
	const struct named_ends *ends = named_stacks_ends_of(names, process);

	return sorted_count_up_to(ends->time_ns, ends->count, sizeof(*ends->time_ns), time_ns);
}

/* The epoch of the process at that time; valid until the next one is made. */
static size_t named_stacks_epoch_of(struct named_stacks *names,
				    const struct source_process *process, uint64_t time_ns)
{
	uint64_t words[2] = { process->index, ends_before(names, process, time_ns) };
	bool added;
	struct map_entry *entry = map_put(&names->epochs, map_hash_bytes(words, sizeof(words), 0),
					  &added);

	if (added) {
		names->epoch = memory_room(names->epoch, names->epoch_count, &names->epoch_room,
					   sizeof(*names->epoch));
		entry->value = names->epoch_count++;
	}
	return (size_t)entry->value;
}

/*
 * Puts the frames from `stack` outwards that have no node yet into names->path. Returns their
 * number, and the node above them.
 */
static size_t path_make(struct named_stacks *names, uint32_t stack, size_t epoch,
			uint32_t *ret_node)
{
	const struct stacks *stacks = source_stacks(names->source);
	const struct pages *known = &names->epoch[epoch].node;
	size_t length = 0;

	*ret_node = NAMED_NONE;
	for (; stack != STACK_NONE; stack = stacks_frame(stacks, stack)->parent) {
		uint32_t node = pages_get(known, stack);

		if (node) {
			*ret_node = node - 1;
			break;
		}
		names->path = memory_room(names->path, length, &names->path_room,
					  sizeof(*names->path));
		names->path[length++] = stack;
	}
	return length;
}

/* The nodes of a stack, with its outermost frames folded and its innermost not. */
static uint32_t node_of(struct named_stacks *names, const struct source_process *process,
			uint32_t stack, size_t epoch, uint64_t time_ns)
{
	const struct stacks *stacks = source_stacks(names->source);
	uint32_t node;
	size_t length = path_make(names, stack, epoch, &node);

	while (length) {
		uint32_t at = names->path[--length];
		const struct stack_frame *raw = stacks_frame(stacks, at);

		if (raw->flags & FRAME_IS_TRUNCATED && raw->parent == STACK_NONE)
			node = node_table_put(&names->nodes, NAMED_NONE,
					      add_name(names, TRUNCATED_NAME));
		node = add_call(names, node,
				named_stacks_call_of(names, epoch, process, raw, time_ns),
				!names->is_raw);
		*pages_place(&names->epoch[epoch].node, at) = node + 1;
	}
	return node;
}

uint32_t named_stack_of(struct named_stacks *names, const struct source_process *process,
			uint32_t stack, uint64_t time_ns)
{
	const struct stack_frame *innermost;
	uint32_t node, kept;
	size_t epoch;

	if (stack == STACK_NONE || stack >= source_stacks(names->source)->count)
		return node_table_put(&names->nodes, NAMED_NONE, add_name(names, UNKNOWN_NAME));
	innermost = stacks_frame(source_stacks(names->source), stack);
	names->is_deep |= innermost->parent != STACK_NONE || innermost->flags & FRAME_IS_TRUNCATED;
	epoch = named_stacks_epoch_of(names, process, time_ns);
	node = kept = node_of(names, process, stack, epoch, time_ns);
	while (!names->is_raw && !names->of_samples && node != NAMED_NONE &&
	       named_frame_of(names, node)->folds_inner)
		node = named_parent(names, node);
	if (node != NAMED_NONE)
		return node;
	/* everything is folded: the innermost frame says most */
	return kept != NAMED_NONE
		       ? kept
		       : add_call(names, NAMED_NONE,
				  named_stacks_call_of(
					  names, epoch, process,
					  stacks_frame(source_stacks(names->source), stack),
					  time_ns),
				  false);
}

uint32_t named_stack_put(struct named_stacks *names, uint32_t parent,
			 const struct named_frame *frame)
{
	names->is_deep = true;
	return node_table_put(&names->nodes, parent, named_stacks_add_frame(names, frame, 0));
}

size_t named_stack_frames(struct named_stacks *names, uint32_t stack, struct table_frame *frame,
			  size_t room)
{
	size_t count = 0;

	for (; stack != NAMED_NONE; stack = named_parent(names, stack)) {
		const struct named_frame *named = named_frame_of(names, stack);

		if (count < room)
			frame[count] = (struct table_frame){ named_shown(names, named),
							     named->function,
							     named->file,
							     named->module,
							     named->offset,
							     named->line,
							     named->is_many };
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

static uint32_t named_stacks_find_users(const struct named_stacks *names, uint32_t stack)
{
	while (stack != NAMED_NONE && !named_frame_of(names, stack)->is_users)
		stack = named_frame_of(names, stack)->begins_process ? NAMED_NONE
								     : named_parent(names, stack);
	return stack;
}

uint32_t named_stack_users(const struct named_stacks *names, uint32_t stack)
{
	uint32_t innermost = named_stacks_find_users(names, stack), parent;

	stack = innermost;
	while (stack != NAMED_NONE && named_frame_of(names, stack)->is_wrapper)
		stack = named_stacks_find_users(names, named_parent(names, stack));
	if (stack == NAMED_NONE)
		stack = innermost;
	while (stack != NAMED_NONE && named_frame_of(names, stack)->is_constructor) {
		parent = named_parent(names, stack);
		if (parent == NAMED_NONE || !named_frame_of(names, parent)->is_users)
			break;
		stack = parent;
	}
	return stack;
}

uint32_t named_stack_unwrapped(const struct named_stacks *names, uint32_t stack)
{
	uint32_t at = stack;

	while (at != NAMED_NONE && named_frame_of(names, at)->is_wrapper)
		at = named_parent(names, at);
	return at != NAMED_NONE ? at : stack;
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

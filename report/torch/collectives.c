/* SPDX-License-Identifier: MIT */
/*
 * Follows labels from begin to end. After the reading, the calls of each label are sorted by
 * process and number, and the n-th calls of all processes are compared.
 */
#include "report/torch/collectives.h"
#include "report/gpu/gpu_work.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/scopes/async_scopes.h"
#include "report/torch/operator_naming.h"

/* A label that has begun. */
struct begun {
	uint32_t name, size; /* size: as in struct collective_call */
	bool counts;
};

struct collectives_state {
	struct collectives all; /* must be first: others see only this part */
	bool wants_kernels;
	struct source *source;
	struct operator_naming *naming;
	struct collective_sizes *sizes;
	struct async_scopes async; /* keys are indices in `apart` */
	struct begun *apart;
	size_t apart_count, apart_room;
	struct nest nest;    /* labels that end on their own thread, by name */
	struct begun *begun; /* parallel to its scopes */
	size_t begun_room;
	struct map labels; /* name + 1 to whether the label is of a collective */
	struct map rows;   /* name, process, and whether it is of kernels, to the row */
};

bool collective_label_of(const char *text, size_t length, struct collective_label *ret_label)
{
	static const char *const backends[] = {
		"nccl:", "gloo:", "mpi:", "ucc:", "xccl:", "hccl:"
	};

	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		size_t begin = strlen(backends[i]);

		if (length <= begin || memcmp(text, backends[i], begin) != 0)
			continue;
		*ret_label = (struct collective_label){ text, text + begin, begin - 1,
							length - begin };
		return true;
	}
	return false;
}

bool collective_is_timed(const struct collective_label *label)
{
	static const char *const timed[] = { "gloo", "mpi" };

	for (size_t i = 0; i < sizeof(timed) / sizeof(timed[0]); i++)
		if (strlen(timed[i]) == label->backend_length &&
		    !memcmp(timed[i], label->backend, label->backend_length))
			return true;
	return false;
}

static bool is_collective(struct collectives_state *mine, uint32_t name)
{
	const struct source_name *text = source_name_at(mine->source, name);
	struct collective_label label;
	struct map_entry *known;
	bool added;

	if (!text->text)
		return false;
	known = map_put(&mine->labels, (uint64_t)name + 1, &added);
	if (added)
		known->value = collective_label_of(text->text, text->length, &label);
	return known->value;
}

/* --- calls --- */

static void collectives_call_add(struct collectives_state *mine, const struct begun *begun,
				 uint32_t process, uint64_t begin_ns, uint64_t end_ns)
{
	struct collectives *all = &mine->all;

	if (begun->size && begun->counts)
		mine->sizes->size[begun->size - 1].is_claimed = true;
	all->call = memory_room(all->call, all->call_count, &all->call_room, sizeof(*all->call));
	all->call[all->call_count++] = (struct collective_call){ .name = begun->name,
								 .process = process,
								 .begin_ns = begin_ns,
								 .end_ns = end_ns,
								 .size = begun->size,
								 .counts = begun->counts };
}

static void collectives_open_add(struct collectives_state *mine, uint32_t name, uint32_t process,
				 uint64_t begin_ns, bool counts)
{
	struct collectives *all = &mine->all;

	all->open += counts;
	all->open_call = memory_room(all->open_call, all->open_count, &all->open_room,
				     sizeof(*all->open_call));
	all->open_call[all->open_count++] = (struct collective_open){ .name = name,
								      .process = process,
								      .begin_ns = begin_ns };
}

static void label_ended(void *state, const struct nest_end *end)
{
	struct collectives_state *mine = state;

	if (end->how != NEST_ENDS) {
		collectives_open_add(mine, mine->begun[end->scope].name,
				     mine->nest.thread[end->thread].process,
				     end->time_ns - end->total_ns, mine->begun[end->scope].counts);
		return;
	}
	collectives_call_add(mine, &mine->begun[end->scope], mine->nest.thread[end->thread].process,
			     end->time_ns - end->total_ns, end->time_ns);
}

static struct begun begun_at(struct collectives_state *mine, const struct source_event *event,
			     bool counts)
{
	return (struct begun){ .name = mine->naming->name,
			       .size = collective_sizes_open(mine->sizes, event->thread->index),
			       .counts = counts };
}

static void collectives_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct collectives_state *mine = state;
	uint32_t scope;

	if (EVENT_AS(torch_begin_ex, &event->event)->scope != EVT_SCOPE_USER ||
	    !is_collective(mine, mine->naming->name))
		return;
	scope = nest_begin(&mine->nest, event_place(event), mine->naming->name, false);
	if (scope == NEST_NONE)
		return;
	mine->begun = memory_room(mine->begun, scope, &mine->begun_room, sizeof(*mine->begun));
	mine->begun[scope] = begun_at(mine, event, counts);
}

static void collectives_take_end(void *state, const struct source_event *event, bool counts)
{
	struct collectives_state *mine = state;
	bool elsewhere = EVENT_AS(torch_end_ex, &event->event)->thread != 0;

	(void)counts;
	if (!is_collective(mine, mine->naming->name))
		return;
	nest_end_named(&mine->nest, event_place(event), mine->naming->name, elsewhere);
}

static void collectives_take_async_begin(void *state, const struct source_event *event, bool counts)
{
	struct collectives_state *mine = state;

	if (!is_collective(mine, mine->naming->name))
		return;
	mine->apart = memory_room(mine->apart, mine->apart_count, &mine->apart_room,
				  sizeof(*mine->apart));
	mine->apart[mine->apart_count] = begun_at(mine, event, counts);
	async_scopes_begin(&mine->async, EVENT_AS(torch_async_begin, &event->event)->function,
			   &(struct async_scope){ .place = event_place(event),
						  .key = (uint32_t)mine->apart_count++,
						  .counts = counts });
}

static void collectives_take_async_end(void *state, const struct source_event *event, bool counts)
{
	struct collectives_state *mine = state;
	uint64_t end_ns = event->event.time_ns;
	struct async_scope scope;

	(void)counts;
	if (async_scopes_end(&mine->async, event->process->index,
			     EVENT_AS(torch_async_end, &event->event)->function, &scope) &&
	    end_ns >= scope.place.time_ns)
		collectives_call_add(mine, &mine->apart[scope.key], scope.place.process,
				     scope.place.time_ns, end_ns);
}

/* --- rows --- */

static struct collective_row *collectives_row_of(struct collectives_state *mine, uint32_t name,
						 uint32_t process, bool is_kernel)
{
	struct collectives *all = &mine->all;
	const uint64_t words[3] = { name, all->by_rank ? process : 0, is_kernel };
	struct map_entry *entry;
	bool added;

	entry = map_put(&mine->rows, map_hash_bytes(words, sizeof(words), 0), &added);
	if (!added)
		return &all->row[entry->value];
	all->row = memory_room(all->row, all->row_count, &all->row_room, sizeof(*all->row));
	all->row[all->row_count] = (struct collective_row){ .name = name,
							    .process = process,
							    .is_kernel = is_kernel };
	entry->value = all->row_count++;
	return &all->row[entry->value];
}

/* `pieces` calls or kernels have moved the bytes of one operator. */
static void row_put_size(struct collective_row *row, const struct collective_size *size,
			 uint64_t pieces)
{
	if (size->bytes == COLLECTIVE_UNKNOWN ||
	    __builtin_add_overflow(row->bytes, size->bytes, &row->bytes))
		return;
	row->sized += pieces;
	if (size->bus_bytes < 0)
		return;
	row->bus_bytes += size->bus_bytes;
	row->bus_sized += pieces;
}

static uint64_t collectives_place_of(void *state, const struct source_event *event, bool counts)
{
	const struct collectives_state *mine = state;

	(void)counts;
	return collective_sizes_open(mine->sizes, event->thread->index);
}

static void collectives_kernel_add(struct collectives *all, const struct gpu_work *piece)
{
	all->kernel = memory_room(all->kernel, all->kernel_count, &all->kernel_room,
				  sizeof(*all->kernel));
	all->kernel[all->kernel_count++] = (struct collective_call){
		.name = piece->what,
		.process = piece->deferred.process,
		.begin_ns = piece->deferred.start_ns,
		.end_ns = deferred_end_ns(&piece->deferred)
	};
}

/* An operator may launch several kernels: its bytes count once. */
static void collectives_take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	struct collectives_state *mine = state;
	struct collective_row *row;
	struct collective_size *size, nothing = { 0 };

	if (piece->kind != GPU_WORK_KERNEL || !piece->is_communication)
		return;
	if (mine->wants_kernels)
		collectives_kernel_add(&mine->all, piece);
	row = collectives_row_of(mine, piece->what, work->process, true);
	timing_add(&row->time, work->duration_ns);
	if (place == DEFERRED_NOTHING)
		return;
	size = &mine->sizes->size[place - 1];
	row_put_size(row, size->has_kernel ? &nothing : size, 1);
	size->has_kernel = true;
}

/* --- waiting ranks, after the reading --- */

int collectives_compare_calls(const void *a, const void *b)
{
	const struct collective_call *left = a, *right = b;

	if (left->name != right->name)
		return left->name < right->name ? -1 : 1;
	if (left->process != right->process)
		return left->process < right->process ? -1 : 1;
	return (left->begin_ns > right->begin_ns) - (left->begin_ns < right->begin_ns);
}

static int by_order(const void *a, const void *b)
{
	const struct collective_call *left = a, *right = b;

	if (left->name != right->name)
		return left->name < right->name ? -1 : 1;
	if (left->ordinal != right->ordinal)
		return left->ordinal < right->ordinal ? -1 : 1;
	return (left->process > right->process) - (left->process < right->process);
}

static void number_calls(struct collectives *all)
{
	qsort(all->call, all->call_count, sizeof(*all->call), collectives_compare_calls);
	for (size_t i = 1; i < all->call_count; i++)
		if (all->call[i].name == all->call[i - 1].name &&
		    all->call[i].process == all->call[i - 1].process)
			all->call[i].ordinal = all->call[i - 1].ordinal + 1;
	qsort(all->call, all->call_count, sizeof(*all->call), by_order);
}

/* For the calls with one number of a label, in all processes. */
static void match_calls(struct collective_call *call, size_t count)
{
	uint64_t first_ns = UINT64_MAX, last_ns = 0;

	for (size_t i = 0; i < count; i++) {
		first_ns = call[i].begin_ns < first_ns ? call[i].begin_ns : first_ns;
		last_ns = call[i].begin_ns > last_ns ? call[i].begin_ns : last_ns;
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t upto_ns = last_ns < call[i].end_ns ? last_ns : call[i].end_ns;

		call[i].is_matched = true;
		call[i].wait_ns = upto_ns - call[i].begin_ns;
		call[i].skew_ns = last_ns - first_ns;
	}
}

/* Returns whether each number exists in each process. */
static bool is_called_equally(const struct collective_call *call, size_t count, size_t processes)
{
	for (size_t i = 0; i < count; i++)
		if (call[i].ordinal != i / processes)
			return false;
	return count % processes == 0;
}

static bool any_counts(const struct collective_call *call, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (call[i].counts)
			return true;
	return false;
}

/*
 * How far the clocks of the processes of these calls may be off from each other: by the doubts of
 * the two worst ones.
 */
static uint64_t calls_doubt_ns(const struct source *source, const struct collective_call *call,
			       size_t count)
{
	struct source_process *const *process;
	const struct source_file *worst, *second = NULL;

	source_processes(source, &process);
	worst = process[call[0].process]->file;
	for (size_t i = 1; i < count; i++) {
		const struct source_file *file = process[call[i].process]->file;
		uint64_t own_ns;

		if (file->clock == worst->clock)
			continue;
		own_ns = source_clock(source, file->clock)->doubt_ns;
		if (own_ns > source_clock(source, worst->clock)->doubt_ns) {
			second = worst;
			worst = file;
		} else if (!second || own_ns > source_clock(source, second->clock)->doubt_ns) {
			second = file;
		}
	}
	return second ? source_clocks_doubt_ns(source, worst, second) : 0;
}

/* For all calls of a label, by number. */
static void match_label(struct collectives_state *mine, struct collective_call *call, size_t count)
{
	struct collectives *all = &mine->all;
	size_t processes = 0;
	uint64_t doubt_ns;

	while (processes < count && !call[processes].ordinal)
		processes++;
	if (processes < 2 || !any_counts(call, count))
		return;
	if (source_families_passed(mine->source) & 1ull << EVT_FAMILY_torch) {
		all->unread++; /* forked ranks in one file */
		return;
	}
	if (!is_called_equally(call, count, processes)) {
		all->unmatched++;
		return;
	}
	doubt_ns = calls_doubt_ns(mine->source, call, processes);
	if (doubt_ns == CLOCK_DOUBT_UNKNOWN) {
		all->unclocked++;
		return;
	}
	all->doubt_ns = doubt_ns > all->doubt_ns ? doubt_ns : all->doubt_ns;
	for (size_t i = 0; i < count; i += processes)
		match_calls(call + i, processes);
}

/*
 * Sums for one kind of operation in one process: operators without a label inside, and labels
 * without an operator around them.
 */
struct kind_sum {
	uint64_t operators, labels;
	struct collective_size size; /* of all operators */
	uint32_t name;               /* of the labels */
	/* labels of two names exist: it is not known which operators belong to which */
	bool has_two;
};

static void sums_add_operators(struct collectives_state *mine, struct kind_sum *sums)
{
	for (size_t i = 0; i < mine->sizes->count; i++) {
		const struct collective_size *size = &mine->sizes->size[i];
		struct kind_sum *sum = &sums[size->process * COLLECTIVE_KINDS + size->kind];

		if (size->counts && !size->is_claimed) {
			collective_size_add(&sum->size, size);
			sum->operators++;
		}
	}
}

static void sums_add_labels(struct collectives_state *mine, struct kind_sum *sums)
{
	for (size_t i = 0; i < mine->all.call_count; i++) {
		const struct collective_call *call = &mine->all.call[i];
		const struct source_name *name = source_name_at(mine->source, call->name);
		struct collective_label label;
		enum collective_kind kind = COLLECTIVE_NO_KIND;
		struct kind_sum *sum;

		if (call->counts && !call->size &&
		    collective_label_of(name->text, name->length, &label))
			kind = collective_kind_of(label.op, label.op_length);
		if (kind == COLLECTIVE_NO_KIND)
			continue;
		sum = &sums[call->process * COLLECTIVE_KINDS + kind];
		sum->has_two |= sum->labels && sum->name != call->name;
		sum->name = call->name;
		sum->labels++;
	}
}

/* The label says what is really done: it moves the same bytes, but twice as many over the bus. */
static void sums_fold(struct kind_sum *of_process)
{
	struct kind_sum *from = &of_process[COLLECTIVE_reduce_scatter];
	struct kind_sum *to = &of_process[COLLECTIVE_all_reduce];

	if (from->labels || !from->operators)
		return;
	from->size.bus_bytes *= 2;
	collective_size_add(&to->size, &from->size);
	to->operators += from->operators;
}

static void add_sizes_by_kind(struct collectives_state *mine)
{
	struct source_process *const *process;
	size_t processes = source_processes(mine->source, &process);
	struct kind_sum *sums = memory_zero(processes * COLLECTIVE_KINDS, sizeof(*sums));

	sums_add_operators(mine, sums);
	sums_add_labels(mine, sums);
	for (size_t i = 0; i < processes; i++)
		sums_fold(&sums[i * COLLECTIVE_KINDS]);
	for (size_t i = 0; i < processes * COLLECTIVE_KINDS; i++) {
		const struct kind_sum *sum = &sums[i];

		if (sum->labels && sum->labels == sum->operators && !sum->has_two)
			row_put_size(collectives_row_of(mine, sum->name,
							(uint32_t)(i / COLLECTIVE_KINDS), false),
				     &sum->size, sum->labels);
	}
	free(sums);
}

static void collectives_add_up(struct collectives_state *mine)
{
	uint32_t last_process = UINT32_MAX;

	qsort(mine->all.call, mine->all.call_count, sizeof(*mine->all.call),
	      collectives_compare_calls);
	for (size_t i = 0; i < mine->all.call_count; i++) {
		const struct collective_call *call = &mine->all.call[i];
		struct collective_row *row;

		if (!call->counts)
			continue;
		row = collectives_row_of(mine, call->name, call->process, false);
		if (!row->time.count || call->process != last_process)
			row->processes++;
		last_process = call->process;
		timing_add(&row->time, call->end_ns - call->begin_ns);
		row->matched += call->is_matched;
		row->wait_ns += call->wait_ns;
		if (call->skew_ns > row->skew_max_ns)
			row->skew_max_ns = call->skew_ns;
		if (call->size)
			row_put_size(row, &mine->sizes->size[call->size - 1], 1);
	}
	add_sizes_by_kind(mine);
}

static void collectives_take_open(void *state, const struct async_scope *scope)
{
	struct collectives_state *mine = state;

	collectives_open_add(mine, mine->apart[scope->key].name, scope->place.process,
			     scope->place.time_ns, scope->counts);
}

static void collectives_finish(void *state)
{
	struct collectives_state *mine = state;
	struct collectives *all = &mine->all;
	struct source_process *const *process;
	size_t from = 0;

	for (size_t i = 0; i < source_processes(mine->source, &process); i++)
		async_scopes_cut(&mine->async, process[i]->index, collectives_take_open, mine);
	if (!all->call_count)
		return;
	number_calls(all);
	for (size_t i = 1; i <= all->call_count; i++)
		if (i == all->call_count || all->call[i].name != all->call[from].name) {
			match_label(mine, all->call + from, i - from);
			from = i;
		}
	collectives_add_up(mine);
}

/* --- the analysis --- */

static void collectives_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .place = collectives_place_of,
							   .take = collectives_take_work };
	struct collectives_state *mine = state;
	struct source_file *const *files;

	mine->source = run_source(run);
	mine->all.by_rank = ((const struct collectives_options *)options)->by == BY_nccl_rank;
	mine->wants_kernels = ((const struct collectives_options *)options)->wants_kernels;
	mine->naming = operator_naming_want(run, NULL);
	mine->sizes = collective_sizes_want(run, NULL);
	async_scopes_init(&mine->async);
	nest_init(&mine->nest, (struct nest_options){ 0 }, label_ended, mine);
	map_init(&mine->labels);
	map_init(&mine->rows);
	deferred_listen(deferred_want(run), &listener, mine);
	run_reads_keyed_scopes(run, EVT_SCOPE_KIND_operator, FIELD_BIT(torch_begin_ex, scope),
			       collectives_take_begin, collectives_take_end, mine);
	run_reads(run, EVT_torch_async_begin, FIELDS_ALL, collectives_take_async_begin, mine);
	run_reads(run, EVT_torch_async_end, FIELDS_ALL, collectives_take_async_end, mine);
	/* ranks have files of their own, and their calls are matched from the first one on */
	if (source_files(mine->source, &files) == 1)
		run_seeks(run, mine);
}

static void collectives_cut(void *state, const struct cut *cut)
{
	if (cut->thread)
		nest_cut(&((struct collectives_state *)state)->nest, cut_place(cut),
			 cut_ending(cut));
}

static void collectives_release(void *state)
{
	struct collectives_state *mine = state;

	for (size_t i = 0; i < mine->all.row_count; i++)
		timing_release(&mine->all.row[i].time);
	free(mine->all.row);
	free(mine->all.call);
	free(mine->all.kernel);
	free(mine->all.open_call);
	free(mine->begun);
	free(mine->apart);
	async_scopes_release(&mine->async);
	nest_release(&mine->nest);
	map_release(&mine->labels);
	map_release(&mine->rows);
}

const struct analysis_kind analysis_collectives = {
	.name = "collectives",
	.state_bytes = sizeof(struct collectives_state),
	.options_bytes = sizeof(struct collectives_options),
	.start = collectives_start,
	.cut = collectives_cut,
	.finish = collectives_finish,
	.release = collectives_release,
};

/* SPDX-License-Identifier: MIT */
/* Adds one row for each group, with the names that its key words stand for. */
#include "report/cuda/rows_cuda.h"

#include <inttypes.h>
#include <string.h>

#include "report/table/cells.h"
#include "report/table/rows_timing.h"

#define RATE_MAX 1e18 /* bytes per second; only a damaged file has more */

/* The parts from which a table is made. */
struct filling {
	const struct source *source;
	struct table *table;
	struct groups *groups;
	enum key_id by;
	const struct run_key *key;  /* NULL: another table has the key */
	struct kernel_names *names; /* of launches */
	uint64_t all_ns;
};

/*
 * Kernels that are shown under one name are joined into the first of them; the others then have no
 * calls.
 */
static void filling_join(struct filling *filling)
{
	struct groups *groups = filling->groups;
	struct map rows;
	bool added;

	map_init(&rows);
	for (size_t i = 0; i < groups->count; i++) {
		struct group *group = &groups->group[i];
		const struct kernel_name *kernel = kernel_name_of(filling->names,
								  group->key[LAUNCH_KERNEL]);
		uint64_t words[GROUP_WORDS];
		struct map_entry *row;

		memcpy(words, group->key, sizeof(words));
		words[LAUNCH_KERNEL] = map_hash_bytes(kernel->text, kernel->length, 0);
		row = map_put(&rows, map_hash_bytes(words, sizeof(words), 0), &added);
		if (added)
			row->value = i;
		else
			group_move(&groups->group[row->value], group);
	}
	map_release(&rows);
}

struct stream_columns {
	enum column_id stream, thread, pid;
};

static void filling_put_stream(const struct filling *filling, const struct group *group,
			       struct stream_columns column)
{
	struct source_process *const *process;
	struct source_thread *const *thread;
	uint64_t handle = group->key[STREAM_HANDLE], owner = group->key[STREAM_THREAD];

	source_processes(filling->source, &process);
	source_threads(filling->source, &thread);
	table_put_text(filling->table, column.stream,
		       !handle ? "default"
		       : owner ? "per-thread"
			       : text_store_format(&filling->table->texts, "0x%" PRIx64, handle));
	table_set_number(filling->table, column.pid, process[group->key[STREAM_PROCESS]]->pid);
	if (owner)
		table_set_number(filling->table, column.thread, thread[owner - 1]->tid);
}

static void filling_put_kernel(const struct filling *filling, const struct group *group)
{
	const uint64_t *key = group->key;
	struct table *table = filling->table;
	const struct kernel_name *name = kernel_name_of(filling->names, key[LAUNCH_KERNEL]);

	if ((uint32_t)key[LAUNCH_BLOCK_Z_PROCESS])
		table_put_text(table, COLUMN_launches_kernel,
			       text_store_format(&table->texts, "0x%" PRIx64, key[LAUNCH_HANDLE]));
	else
		table_set_text(table, COLUMN_launches_kernel, name->text, name->length);
	if (filling->by != BY_launches_grid)
		return;
	table_put_dimensions(table, COLUMN_launches_grid, (uint32_t)(key[LAUNCH_GRID_XY] >> 32),
			     (uint32_t)key[LAUNCH_GRID_XY],
			     (uint32_t)(key[LAUNCH_GRID_Z_SHARED] >> 32));
	table_put_dimensions(table, COLUMN_launches_block, (uint32_t)(key[LAUNCH_BLOCK_XY] >> 32),
			     (uint32_t)key[LAUNCH_BLOCK_XY],
			     (uint32_t)(key[LAUNCH_BLOCK_Z_PROCESS] >> 32));
	table_set_number(table, COLUMN_launches_shared_bytes, (uint32_t)key[LAUNCH_GRID_Z_SHARED]);
}

/* Adds the cells of a kind of key. Returns false if the rows are by something else. */
static bool filling_put_kind(const struct filling *filling, const struct group *group)
{
	if (!filling->key)
		return false;
	key_put(filling->key, group->key[KEY_WORD], filling->table);
	return true;
}

static const struct run_key *key_of_table(const struct cuda *cuda, enum cuda_table table)
{
	return cuda->keyed == table ? cuda_key(cuda) : NULL;
}

static void launches_put_key(const struct filling *filling, const struct group *group)
{
	static const struct stream_columns stream = { COLUMN_launches_stream,
						      COLUMN_launches_thread, COLUMN_launches_pid };

	if (filling_put_kind(filling, group))
		return;
	if (filling->by == BY_launches_stream)
		filling_put_stream(filling, group, stream);
	else
		filling_put_kernel(filling, group);
}

static double rows_cuda_share_of(const struct filling *filling, const struct group *group)
{
	return filling->all_ns ? 100.0 * (double)group->time.total_ns / (double)filling->all_ns : 0;
}

/* The columns that every table of calls has, for the row added last. */
#define FILLING_PUT(filling, report, group)                                                       \
	do {                                                                                      \
		table_set_number((filling)->table, COLUMN_##report##_calls, (group)->time.count); \
		table_set_number((filling)->table, COLUMN_##report##_total_ns,                    \
				 (group)->time.total_ns);                                         \
		table_set_real((filling)->table, COLUMN_##report##_percent,                       \
			       rows_cuda_share_of(filling, group));                               \
		timing_put((filling)->table, TIMING_COLUMNS(report), &(group)->time);             \
		table_set_number((filling)->table, COLUMN_##report##_errors, (group)->errors);    \
	} while (0)

/* Adds the next group's row; `group` is the one before, NULL at first. Returns NULL at the end. */
static const struct group *filling_next(const struct filling *filling, const struct group *group)
{
	const struct group *end = filling->groups->group + filling->groups->count;

	if (!group && filling->key)
		key_settle_groups(filling->key, filling->groups, KEY_WORD);
	for (group = group ? group + 1 : filling->groups->group; group < end; group++)
		if (group->time.count) {
			table_add_row(filling->table);
			return group;
		}
	return NULL;
}

void launches_fill_table(struct cuda *cuda, struct table *table, struct kernel_names *names)
{
	struct filling filling = {
		.source = names->source,
		.table = table,
		.groups = &cuda->launches,
		.by = cuda->by,
		.key = key_of_table(cuda, CUDA_LAUNCHES),
		.names = names,
		.all_ns = groups_total(&cuda->launches).time.total_ns,
	};
	const struct group *group = NULL;

	if (!filling.key && filling.by != BY_launches_stream)
		filling_join(&filling);
	while ((group = filling_next(&filling, group))) {
		launches_put_key(&filling, group);
		if (cuda->has_gpu)
			table_set_number(table, COLUMN_launches_gpu_ns, group->deferred_ns);
		FILLING_PUT(&filling, launches, group);
	}
}

void api_fill_table(struct cuda *cuda, const struct source *source, struct table *table)
{
	struct filling filling = { .source = source,
				   .table = table,
				   .groups = &cuda->api,
				   .by = cuda->by,
				   .key = key_of_table(cuda, CUDA_API),
				   .all_ns = groups_total(&cuda->api).time.total_ns };
	const struct group *group = NULL;

	while ((group = filling_next(&filling, group))) {
		(void)filling_put_kind(&filling, group);
		table_put_name(table, COLUMN_api_name, source, (uint32_t)group->key[API_FUNCTION]);
		FILLING_PUT(&filling, api, group);
	}
}

const char *copy_kind_text(uint64_t kind)
{
	static const char *const kinds[EVT_CUDA_COPY_LIMIT] = {
		[EVT_CUDA_COPY_HTOH] = "HtoH",       [EVT_CUDA_COPY_HTOD] = "HtoD",
		[EVT_CUDA_COPY_DTOH] = "DtoH",       [EVT_CUDA_COPY_DTOD] = "DtoD",
		[EVT_CUDA_COPY_DEFAULT] = "default", [EVT_CUDA_COPY_MEMSET] = "memset",
	};

	return kind < EVT_CUDA_COPY_LIMIT ? kinds[kind] : "unknown";
}

static void rows_cuda_copies_put_key(const struct filling *filling, const struct group *group)
{
	static const struct stream_columns stream = { COLUMN_memcpy_stream, COLUMN_memcpy_thread,
						      COLUMN_memcpy_pid };

	if (filling_put_kind(filling, group) && filling->by == BY_memcpy_op)
		return;
	if (filling->by == BY_memcpy_stream)
		filling_put_stream(filling, group, stream);
	else if (filling->by == BY_memcpy_function)
		table_put_name(filling->table, COLUMN_memcpy_function, filling->source,
			       (uint32_t)group->key[API_FUNCTION]);
	else
		table_put_text(filling->table, COLUMN_memcpy_kind,
			       copy_kind_text(group->key[COPY_KIND]));
}

static void copies_put_bytes(struct table *table, const struct group *group)
{
	uint64_t succeeded = group->time.count - group->errors;
	double rate = (double)group->bytes * 1e9 / (double)group->time.total_ns;

	table_set_number(table, COLUMN_memcpy_bytes, group->bytes);
	table_set_number(table, COLUMN_memcpy_max_bytes, group->max_bytes);
	if (succeeded)
		table_set_number(table, COLUMN_memcpy_avg_bytes, group->bytes / succeeded);
	if (group->time.total_ns && rate < RATE_MAX)
		table_set_number(table, COLUMN_memcpy_rate, (uint64_t)rate);
}

static void copies_put_gpu(struct table *table, const struct group *group)
{
	double rate = (double)group->bytes * 1e9 / (double)group->deferred_ns;

	table_set_number(table, COLUMN_memcpy_gpu_ns, group->deferred_ns);
	if (group->deferred_ns && rate < RATE_MAX)
		table_set_number(table, COLUMN_memcpy_gpu_rate, (uint64_t)rate);
}

void copies_fill_table(struct cuda *cuda, const struct source *source, struct table *table)
{
	struct filling filling = { .source = source,
				   .table = table,
				   .groups = &cuda->copies,
				   .by = cuda->by,
				   .key = key_of_table(cuda, CUDA_COPIES),
				   .all_ns = groups_total(&cuda->copies).time.total_ns };
	const struct group *group = NULL;

	while ((group = filling_next(&filling, group))) {
		rows_cuda_copies_put_key(&filling, group);
		copies_put_bytes(table, group);
		if (cuda->has_gpu)
			copies_put_gpu(table, group);
		FILLING_PUT(&filling, memcpy, group);
	}
}

uint64_t api_count_graph_launches(const struct cuda *cuda, const struct source *source)
{
	uint64_t launches = 0;

	for (size_t i = 0; i < cuda->api.count; i++) {
		const struct group *group = &cuda->api.group[i];
		const char *text = source_name_text(
			source_name_at(source, group->key[API_FUNCTION]));

		if (!strncmp(text, "cudaGraphLaunch", 15) || !strncmp(text, "cuGraphLaunch", 13))
			launches += group->time.count;
	}
	return launches;
}

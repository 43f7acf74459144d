/* SPDX-License-Identifier: MIT */
/*
 * Makes the tables of kernels, copies and waits from groups, and the rows of the trace on demand.
 */
#include "report/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "report/gpu/kernel_class.h"
#include "report/gpu/kernel_text.h"
#include "report/table/cells.h"
#include "report/table/rows_timing.h"

#define RATE_MAX 1e18 /* bytes per second; only a damaged file has more */

const char *gpu_copy_text(uint64_t kind)
{
	static const char *const texts[] = { "unknown", "HtoD",  "DtoH", "array", "array", "array",
					     "array",   "array", "DtoD", "HtoH",  "PtoP" };

	if (kind == GPU_KIND_SET)
		return "memset";
	return kind < sizeof(texts) / sizeof(texts[0]) ? texts[kind] : "unknown";
}

static const char *wait_text(uint64_t kind)
{
	static const char *const texts[] = { "unknown", "event", "stream for event", "stream",
					     "device" };

	return kind < sizeof(texts) / sizeof(texts[0]) ? texts[kind] : "unknown";
}

/* How names are shown. */
struct naming {
	const struct source *source;
	struct kernel_text names;
};

static bool uses_tensor_cores(const struct naming *naming, uint64_t index)
{
	const struct source_name *name = source_name_at(naming->source, (uint32_t)index);

	return name->text && kernel_class_of(name->text, name->length) & KERNEL_USES_TENSOR_CORES;
}

static void table_settle(struct gpu *gpu, enum gpu_table which)
{
	if (gpu->keyed == which)
		key_settle_groups(gpu_key(gpu), &gpu->table[which], GPU_KEY_PLACE);
}

static double rows_gpu_share_of(const struct group *group, uint64_t all_ns)
{
	return all_ns ? 100.0 * (double)group->time.total_ns / (double)all_ns : 0;
}

/* Puts the columns that all three tables have into the row added last. */
#define PUT_TIMES(table, report, group, all_ns)                                              \
	do {                                                                                 \
		table_set_number(table, COLUMN_##report##_calls, (group)->time.count);       \
		table_set_number(table, COLUMN_##report##_total_ns, (group)->time.total_ns); \
		table_set_real(table, COLUMN_##report##_percent,                             \
			       rows_gpu_share_of(group, all_ns));                            \
		timing_put(table, TIMING_COLUMNS(report), &(group)->time);                   \
	} while (0)

static void kernels_put_key(struct gpu *gpu, struct naming *naming, const struct group *group,
			    struct table *table)
{
	const uint64_t *key = group->key;

	if (gpu->form == GPU_BY_KIND && gpu->keyed == GPU_KERNELS) {
		key_put(gpu_key(gpu), key[GPU_KEY_PLACE], table);
		return;
	}
	if (gpu->keyed == GPU_KERNELS &&
	    (gpu->form == GPU_BY_DEVICE || gpu->form == GPU_BY_STREAM)) {
		table_set_number(table, COLUMN_kernels_device, key[GPU_KEY_DEVICE]);
		if (gpu->form == GPU_BY_STREAM)
			table_set_number(table, COLUMN_kernels_stream, key[GPU_KEY_STREAM]);
		return;
	}
	kernel_text_put(&naming->names, naming->source, table, COLUMN_kernels_name,
			key[GPU_KEY_WHAT]);
	table_put_text(table, COLUMN_kernels_tensor_cores,
		       uses_tensor_cores(naming, key[GPU_KEY_WHAT]) ? "yes" : "no");
	if (gpu->keyed != GPU_KERNELS || gpu->form != GPU_BY_GRID)
		return;
	table_put_dimensions(table, COLUMN_kernels_grid, (uint32_t)(key[GPU_KEY_GRID_XY] >> 32),
			     (uint32_t)key[GPU_KEY_GRID_XY],
			     (uint32_t)(key[GPU_KEY_GRID_Z_BLOCK_Z] >> 32));
	table_put_dimensions(table, COLUMN_kernels_block, (uint32_t)(key[GPU_KEY_BLOCK_XY] >> 32),
			     (uint32_t)key[GPU_KEY_BLOCK_XY],
			     (uint32_t)key[GPU_KEY_GRID_Z_BLOCK_Z]);
}

/* Leaves the cells empty if no kernel of the row has a known occupancy. */
static void kernels_put_occupancy(const struct group *group, struct table *table)
{
	double known_ns;

	if (!group->sum)
		return;
	if (group->time.total_ns)
		table_set_real(table, COLUMN_kernels_tc_percent,
			       100 * group->sum[GPU_SUM_TENSOR_NS] / (double)group->time.total_ns);
	known_ns = group->sum[GPU_SUM_KNOWN_NS];
	if (known_ns <= 0)
		return;
	table_set_real(table, COLUMN_kernels_sm_blocks, group->sum[GPU_SUM_SM_BLOCKS] / known_ns);
	table_set_real(table, COLUMN_kernels_occupancy_percent,
		       100 * group->sum[GPU_SUM_OCCUPANCY] / known_ns);
}

void gpu_fill_kernels(struct gpu *gpu, const struct run *run, struct table *table, bool mangled,
		      bool full)
{
	struct naming naming = { .source = run_source(run),
				 .names = { .mangled = mangled, .full = full } };
	struct groups *groups = &gpu->table[GPU_KERNELS];
	uint64_t all_ns = groups_total(groups).time.total_ns;

	table_settle(gpu, GPU_KERNELS);
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->group[i];

		if (!group->time.count)
			continue;
		table_add_row(table);
		kernels_put_key(gpu, &naming, group, table);
		PUT_TIMES(table, kernels, group, all_ns);
		kernels_put_occupancy(group, table);
	}
	kernel_text_release(&naming.names);
}

static void rows_gpu_copies_put_key(struct gpu *gpu, const struct group *group, struct table *table)
{
	const uint64_t *key = group->key;

	if (gpu->keyed == GPU_COPIES &&
	    (gpu->form == GPU_BY_DEVICE || gpu->form == GPU_BY_STREAM)) {
		table_set_number(table, COLUMN_gpu_copies_device, key[GPU_KEY_DEVICE]);
		if (gpu->form == GPU_BY_STREAM)
			table_set_number(table, COLUMN_gpu_copies_stream, key[GPU_KEY_STREAM]);
		return;
	}
	if (gpu->keyed == GPU_COPIES)
		key_put(gpu_key(gpu), key[GPU_KEY_PLACE], table);
	table_put_text(table, COLUMN_gpu_copies_kind, gpu_copy_text(key[GPU_KEY_WHAT]));
}

void gpu_fill_copies(struct gpu *gpu, struct table *table)
{
	struct groups *groups = &gpu->table[GPU_COPIES];
	uint64_t all_ns = groups_total(groups).time.total_ns;

	table_settle(gpu, GPU_COPIES);
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->group[i];
		double rate = (double)group->bytes * 1e9 / (double)group->time.total_ns;

		if (!group->time.count)
			continue;
		table_add_row(table);
		rows_gpu_copies_put_key(gpu, group, table);
		table_set_number(table, COLUMN_gpu_copies_bytes, group->bytes);
		table_set_number(table, COLUMN_gpu_copies_avg_bytes,
				 group->bytes / group->time.count);
		table_set_number(table, COLUMN_gpu_copies_max_bytes, group->max_bytes);
		if (group->time.total_ns && rate < RATE_MAX)
			table_set_number(table, COLUMN_gpu_copies_rate, (uint64_t)rate);
		PUT_TIMES(table, gpu_copies, group, all_ns);
	}
}

enum gpu_table gpu_table_of_waits(const struct gpu *gpu)
{
	return groups_total(&gpu->table[GPU_WAITS]).time.count ? GPU_WAITS : GPU_WAIT_CALLS;
}

void gpu_fill_waits(struct gpu *gpu, struct table *table)
{
	struct groups *groups = &gpu->table[gpu_table_of_waits(gpu)];
	uint64_t all_ns = groups_total(groups).time.total_ns;

	if (gpu->keyed == GPU_WAITS)
		key_settle_groups(gpu_key(gpu), groups, GPU_KEY_PLACE);
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->group[i];

		if (!group->time.count)
			continue;
		table_add_row(table);
		if (gpu->keyed == GPU_WAITS)
			key_put(gpu_key(gpu), group->key[GPU_KEY_PLACE], table);
		table_put_text(table, COLUMN_sync_kind, wait_text(group->key[GPU_KEY_WHAT]));
		PUT_TIMES(table, sync, group, all_ns);
	}
}

/* --- the trace --- */

#define TEXTS_KEPT 64u /* of dimensions: a program has few, and asks for them by turns */

/*
 * The texts of the latest dimensions are kept and not made again. All texts live as long as the
 * rows.
 */
struct gpu_trace_rows {
	struct gpu *gpu;
	struct naming naming;
	struct text_store texts;
	uint64_t last_start_ns; /* of the row made last */
	struct dimensions {
		uint32_t size[3];
		const char *text;
	} dimensions[TEXTS_KEPT];
};

static const char *trace_dimensions(struct gpu_trace_rows *rows, const uint32_t size[3])
{
	uint32_t hash = (size[0] * 31 + size[1]) * 31 + size[2];
	struct dimensions *known = &rows->dimensions[hash * 0x9e3779b1u >> 26];

	_Static_assert(TEXTS_KEPT == 1u << (32 - 26), "the hash has as many bits");
	if (!known->text || memcmp(known->size, size, sizeof(known->size)) != 0) {
		memcpy(known->size, size, sizeof(known->size));
		known->text = text_store_format(&rows->texts, "%ux%ux%u", size[0], size[1],
						size[2]);
	}
	return known->text;
}

static void trace_put(struct gpu_trace_rows *rows, const struct gpu_piece *piece,
		      struct table *table)
{
	const struct source *source = rows->naming.source;
	struct source_process *const *process;

	source_processes(source, &process);
	table_set_number(table, COLUMN_gpu_trace_start_ns, piece->start_ns);
	table_set_number(table, COLUMN_gpu_trace_duration_ns, piece->duration_ns);
	table_set_number(table, COLUMN_gpu_trace_device, piece->device);
	table_set_number(table, COLUMN_gpu_trace_context, piece->context);
	table_set_number(table, COLUMN_gpu_trace_stream, piece->stream);
	table_set_number(table, COLUMN_gpu_trace_correlation, piece->correlation);
	table_set_number(table, COLUMN_gpu_trace_pid, process[piece->process]->pid);
	if (piece->kind != GPU_WORK_KERNEL) {
		table_put_text(
			table, COLUMN_gpu_trace_name,
			gpu_copy_text(piece->kind == GPU_WORK_SET ? GPU_KIND_SET : piece->what));
		table_set_number(table, COLUMN_gpu_trace_bytes, piece->bytes);
		return;
	}
	kernel_text_put(&rows->naming.names, source, table, COLUMN_gpu_trace_name, piece->what);
	if (!piece->grid[0])
		return; /* not known of a kernel beside the sums */
	table_put_text(table, COLUMN_gpu_trace_grid, trace_dimensions(rows, piece->grid));
	table_put_text(table, COLUMN_gpu_trace_block, trace_dimensions(rows, piece->block));
}

static bool trace_next(void *state, struct table *table)
{
	struct gpu_trace_rows *rows = state;
	const struct gpu_piece *piece = spool_next(&rows->gpu->trace);

	if (!piece)
		return false;
	table_add_row(table);
	trace_put(rows, piece, table);
	rows->last_start_ns = piece->start_ns;
	return true;
}

static bool trace_ties(void *state)
{
	struct gpu_trace_rows *rows = state;
	const struct gpu_piece *piece = spool_peek(&rows->gpu->trace);

	return piece && piece->start_ns == rows->last_start_ns;
}

struct gpu_trace_rows *gpu_trace_rows_new(struct gpu *gpu, const struct run *run, bool mangled,
					  bool full)
{
	struct gpu_trace_rows *rows = memory_zero(1, sizeof(*rows));

	rows->gpu = gpu;
	rows->naming = (struct naming){
		.source = run_source(run),
		.names = { .mangled = mangled, .full = full, .texts = &rows->texts },
	};
	return rows;
}

void gpu_trace_rows_put(struct gpu_trace_rows *rows, struct table *table)
{
	spool_rewind(&rows->gpu->trace);
	table->pending = (struct table_pending){ .next = trace_next,
						 .ties = trace_ties,
						 .state = rows,
						 .order = COLUMN_gpu_trace_start_ns };
}

void gpu_trace_rows_free(struct gpu_trace_rows *rows)
{
	if (!rows)
		return;
	kernel_text_release(&rows->naming.names);
	text_store_release(&rows->texts);
	free(rows);
}

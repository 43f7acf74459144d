/* SPDX-License-Identifier: MIT */
/* cases: roofline */
/*
 * Report `roofline`: the kernels of report pyprof whose cost is known, by kernel and operator,
 * against the peaks of their GPUs. Peaks are weighted by time, for rows of several GPUs; a row with
 * a kernel whose peak is not known has no share.
 */
#include <stdlib.h>
#include <string.h>

#include "report/base/demangle.h"
#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/core/report_kind.h"
#include "report/roofline/peaks.h"
#include "report/table/cells.h"
#include "report/torch/pyprof.h"

#define NS_PER_S 1e9

struct roofline_row {
	uint32_t kernel, op;
	enum peak_unit unit;
	uint64_t calls, ns, flops, bytes;
	double flops_most, bytes_most; /* what the GPUs could do in that time */
	bool lacks_flops, lacks_bytes; /* a peak is not known */
	bool lacks_size;               /* the bytes of a kernel are not known */
};

struct roofline {
	struct pyprof *pyprof;
	struct peaks *peaks;
	struct roofline_row *row;
	size_t count, room;
	struct map rows; /* hash of kernel, operator and unit to row */
	uint64_t known_ns;
	bool is_made;
};

static void roofline_want(struct report *report)
{
	struct roofline *mine = report->state;

	mine->pyprof = pyprof_want(report->run, NULL);
	mine->peaks = peaks_want(report->run, NULL);
	map_init(&mine->rows);
}

/* True if the types of an operator's inputs have that word. */
static bool types_have(const struct source_name *types, const char *word)
{
	return types->text && memmem(types->text, types->length, word, strlen(word));
}

/* What computes the kernel, by the types of its operator's inputs; mixed ones leave it open. */
static enum peak_unit unit_of(struct source *source, const struct pyprof_kernel *kernel)
{
	const struct source_name *types;
	bool is_half, is_single, is_double;

	if (kernel->call.op.types == PYPROF_NO_NAME)
		return PEAK_UNIT_LIMIT;
	types = source_name_at(source, kernel->call.op.types);
	is_half = types_have(types, "Half") || types_have(types, "BFloat16");
	is_single = types_have(types, "float");
	is_double = types_have(types, "double");
	if (is_half + is_single + is_double != 1)
		return PEAK_UNIT_LIMIT;
	if (is_double)
		return kernel->uses_tensor_cores ? PEAK_UNIT_LIMIT : PEAK_fp64;
	if (kernel->uses_tensor_cores)
		return is_half ? PEAK_half : PEAK_tf32;
	return is_half ? PEAK_UNIT_LIMIT : PEAK_fp32;
}

static struct roofline_row *roofline_row_of(struct roofline *mine,
					    const struct pyprof_kernel *kernel, enum peak_unit unit)
{
	uint64_t words[] = { kernel->name, kernel->call.op.name, unit };
	bool added;
	struct map_entry *entry = map_put(&mine->rows, map_hash_bytes(words, sizeof(words), 0),
					  &added);

	if (!added)
		return &mine->row[entry->value];
	mine->row = memory_room(mine->row, mine->count, &mine->room, sizeof(*mine->row));
	mine->row[mine->count] = (struct roofline_row){ .kernel = kernel->name,
							.op = kernel->call.op.name,
							.unit = unit };
	entry->value = mine->count;
	return &mine->row[mine->count++];
}

static void roofline_add(struct roofline *mine, struct source *source,
			 const struct pyprof_kernel *kernel)
{
	enum peak_unit unit = unit_of(source, kernel);
	struct roofline_row *row = roofline_row_of(mine, kernel, unit);
	const struct peaks_device *peak = peaks_find(mine->peaks, kernel->process, kernel->device);
	double flops = peak && unit < PEAK_UNIT_LIMIT ? peak->flops[unit] : 0;
	double bytes = peak ? peak->bytes : 0, seconds = (double)kernel->duration_ns / NS_PER_S;

	row->calls++;
	row->ns += kernel->duration_ns;
	row->flops += kernel->call.cost.flops;
	row->bytes += kernel->call.cost.has_bytes ? kernel->call.cost.bytes : 0;
	row->lacks_size |= !kernel->call.cost.has_bytes;
	row->flops_most += flops * seconds;
	row->bytes_most += bytes * seconds;
	row->lacks_flops |= flops <= 0;
	row->lacks_bytes |= bytes <= 0;
	mine->known_ns += kernel->duration_ns;
}

static void roofline_make(struct roofline *mine, struct source *source)
{
	struct pyprof_kernel kernel;

	if (mine->is_made)
		return;
	mine->is_made = true;
	pyprof_rewind(mine->pyprof);
	while (pyprof_next(mine->pyprof, &kernel))
		if (kernel.has_call && kernel.has_its_cost && kernel.call.cost.is_known &&
		    kernel.duration_ns)
			roofline_add(mine, source, &kernel);
	pyprof_rewind(mine->pyprof); /* the rows of report pyprof are read on demand */
}

/*
 * Bytes are those of the operator's tensors. If they are more than the memory could move, the
 * kernel has not moved all of them: a tensor was expanded, or in the cache, or another kernel of
 * the operator used it.
 */
static bool row_has_bytes(const struct roofline_row *row)
{
	return !row->lacks_size && row->bytes &&
	       (row->lacks_bytes || (double)row->bytes <= row->bytes_most);
}

static void row_put_rates(struct table *table, const struct roofline_row *row)
{
	double seconds = (double)row->ns / NS_PER_S;
	bool has_bytes = row_has_bytes(row);

	table_set_number(table, COLUMN_roofline_flops, row->flops);
	table_set_number(table, COLUMN_roofline_flops_rate,
			 (uint64_t)((double)row->flops / seconds));
	if (row->unit < PEAK_UNIT_LIMIT)
		table_put_text(table, COLUMN_roofline_unit, peak_unit_names[row->unit]);
	if (row->flops && !row->lacks_flops)
		table_set_real(table, COLUMN_roofline_compute_percent,
			       100.0 * (double)row->flops / row->flops_most);
	if (!has_bytes)
		return;
	table_set_number(table, COLUMN_roofline_bytes, row->bytes);
	table_set_number(table, COLUMN_roofline_bytes_rate,
			 (uint64_t)((double)row->bytes / seconds));
	table_set_real(table, COLUMN_roofline_intensity, (double)row->flops / (double)row->bytes);
	if (row->lacks_bytes)
		return;
	table_set_real(table, COLUMN_roofline_memory_percent,
		       100.0 * (double)row->bytes / row->bytes_most);
	if (!row->lacks_flops)
		table_put_text(table, COLUMN_roofline_bound,
			       (double)row->flops * row->bytes_most <
					       (double)row->bytes * row->flops_most
				       ? "memory"
				       : "compute");
}

static void row_put_kernel(struct table *table, struct demangler *demangler,
			   const struct source_name *name)
{
	const char *shown = name->text ? demangle(demangler, name->text, name->length, false)
				       : NULL;

	table_put_text(
		table, COLUMN_roofline_kernel,
		text_store_format(&table->texts, "%s", shown ? shown : source_name_text(name)));
}

static void roofline_fill(struct report *report, struct table *table)
{
	struct demangler demangler = { .output = 0 };
	struct roofline *mine = report->state;
	struct source *source = run_source(report->run);

	roofline_make(mine, source);
	for (size_t i = 0; i < mine->count; i++) {
		const struct roofline_row *row = &mine->row[i];

		table_add_row(table);
		row_put_kernel(table, &demangler, source_name_at(source, row->kernel));
		if (row->op != PYPROF_NO_NAME)
			table_put_name(table, COLUMN_roofline_op, source, row->op);
		table_set_number(table, COLUMN_roofline_calls, row->calls);
		table_set_number(table, COLUMN_roofline_total_ns, row->ns);
		table_set_percent(table, COLUMN_roofline_percent, row->ns, mine->pyprof->total_ns);
		row_put_rates(table, row);
	}
	demangler_release(&demangler);
}

static void roofline_total(const struct report *report, struct facts *facts)
{
	const struct roofline *mine = report->state;

	facts_number(facts, "total_ns", UNIT_NS, mine->known_ns);
	facts_number(facts, "kernels_ns", UNIT_NS, mine->pyprof->total_ns);
	facts_number(facts, "flops", UNIT_COUNT, mine->pyprof->flops);
}

static void roofline_foot(const struct document *document, const struct screen *screen)
{
	const struct roofline *mine = ((const struct report *)document->context)->state;

	if (peaks_have_parts(mine->peaks))
		screen_print_prose(screen,
				   "The program has a part of a GPU (MIG): what CUPTI tells "
				   "of it may be of the whole GPU, so its peaks are not known, "
				   "and no share is shown.");
}

static const char *roofline_explain(const struct report *report, struct why_empty *absence)
{
	const struct roofline *mine = report->state;

	(void)absence;
	if (mine->pyprof->count && !mine->pyprof->inputs)
		return "no sizes of inputs were recorded: INTERCEPT_TRACE=+shapes in the program's "
		       "environment records them";
	return mine->pyprof->count ? "no kernel belongs to an operator whose cost is known" : NULL;
}

static void roofline_release(struct report *report)
{
	struct roofline *mine = report->state;

	free(mine->row);
	map_release(&mine->rows);
}

const struct report_kind report_kind_roofline = {
	.state_bytes = sizeof(struct roofline),
	.family = EVT_FAMILY_gpu,
	.want = roofline_want,
	.fill = roofline_fill,
	.total = roofline_total,
	.foot = roofline_foot,
	.explain = roofline_explain,
	.release = roofline_release,
};

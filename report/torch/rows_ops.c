/* SPDX-License-Identifier: MIT */
/*
 * Adds one row for each operator that is shown, with shares of the time that all operators cover.
 */
#include "report/torch/rows_ops.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/table/cells.h"
#include "report/table/rows_timing.h"
#include "report/torch/drawn_ops.h"
#include "report/torch/operator_events.h"

struct operator_text ops_row_name(const struct source *source, const struct operator_row *row)
{
	struct operator_text text;

	text.text = name_text(source_name_at(source, row->name), &text.length);
	return operator_text_shown(text);
}

bool ops_row_is_shown(const struct source *source, const struct operator_row *row)
{
	return row->calls && !operator_is_hidden(ops_row_name(source, row));
}

static const char *coverage_text(uint32_t scope)
{
	static const char *const scopes[] = {
		"function",      "backward",         "torchscript", "kernel dtype", "custom class",
		"build feature", "lite interpreter", "user",        "static op",    "static model",
	};

	return scope < sizeof(scopes) / sizeof(scopes[0]) ? scopes[scope] : "unknown";
}

/* Values over all rows. */
struct ops_whole {
	const struct operators *operators;
	uint64_t gpu_self_ns;
	uint64_t whole_ns; /* time of threads in operators, of which shares are parts */
	bool use_device, has_memory, has_gpu;
	const struct run_key *key; /* of the caller */
	/*
	 * most of what is inside of operators was not recorded: there is no self time and no share
	 */
	bool sampled;
};

/*
 * Shares of the time of threads in operators. Scopes of tasks that take turns on a thread, and
 * calls of an operator within itself, count once. Async operators run beside the others: one that
 * took longer than all of them has no share.
 */
static void put_shares(struct table *table, const struct operator_row *row,
		       const struct ops_whole *ops)
{
	uint32_t number = (uint32_t)(row - ops->operators->row);
	uint64_t covered_ns = operators_covered_ns(ops->operators, number);

	if (!ops->whole_ns)
		return;
	if (row->apart || covered_ns > row->total.ns)
		covered_ns = row->total.ns;
	table_set_real(table, COLUMN_ops_self_cpu_percent,
		       100.0 * (double)row->self.ns / (double)ops->whole_ns);
	if (covered_ns > ops->whole_ns)
		return;
	table_set_real(table, COLUMN_ops_total_cpu_percent,
		       100.0 * (double)covered_ns / (double)ops->whole_ns);
}

static void rows_ops_put_times(struct table *table, const struct operator_row *row,
			       const struct ops_whole *ops)
{
	static const struct timing_columns columns = {
		.avg = COLUMN_ops_avg_cpu_ns,
		.min = COLUMN_ops_min_cpu_ns,
		.max = COLUMN_ops_max_cpu_ns,
		.stddev = COLUMN_ops_stddev_cpu_ns,
		.p50 = COLUMN_ops_p50_cpu_ns,
		.p90 = COLUMN_ops_p90_cpu_ns,
		.p99 = COLUMN_ops_p99_cpu_ns,
	};

	table_set_number(table, COLUMN_ops_total_cpu_ns, row->total.ns);
	if (!ops->sampled)
		table_set_number(table, COLUMN_ops_self_cpu_ns, row->self.ns);
	if (!ops->sampled)
		put_shares(table, row, ops);
	timing_put(table, columns, &row->time);
}

/*
 * As in torch.profiler's table, there are no columns for device memory if the run has no tensor on
 * a device.
 */
static bool ops_use_device(const struct operators *operators)
{
	for (size_t i = 0; i < operators->row_count; i++)
		if (operators->row[i].total.device_bytes || operators->row[i].self.device_bytes)
			return true;
	return false;
}

static void rows_ops_put_memory(struct table *table, const struct operator_row *row,
				bool use_device)
{
	table_set_signed(table, COLUMN_ops_cpu_mem_bytes, (int64_t)row->total.cpu_bytes);
	table_set_signed(table, COLUMN_ops_self_cpu_mem_bytes, (int64_t)row->self.cpu_bytes);
	if (!use_device)
		return;
	table_set_signed(table, COLUMN_ops_cuda_mem_bytes, (int64_t)row->total.device_bytes);
	table_set_signed(table, COLUMN_ops_self_cuda_mem_bytes, (int64_t)row->self.device_bytes);
}

static void rows_ops_put_gpu(struct table *table, const struct operator_row *row,
			     uint64_t all_self_ns, bool has_all)
{
	table_set_number(table, COLUMN_ops_self_cuda_ns, row->gpu_self_ns);
	table_set_number(table, COLUMN_ops_total_cuda_ns, row->gpu_total_ns);
	if (row->calls && has_all)
		table_set_number(table, COLUMN_ops_avg_cuda_ns, row->gpu_total_ns / row->calls);
	if (all_self_ns)
		table_set_real(table, COLUMN_ops_self_cuda_percent,
			       100.0 * (double)row->gpu_self_ns / (double)all_self_ns);
}

static void rows_ops_put_key(struct table *table, const struct source *source,
			     const struct operator_row *row, const struct run_key *key)
{
	struct operator_text text = ops_row_name(source, row);
	const char *scope = coverage_text(row->scope);

	table_set_text(table, COLUMN_ops_name, text.text, text.length);
	table_set_text(table, COLUMN_ops_scope, scope, strlen(scope));
	if (key->kind)
		key_put(key, row->caller, table);
	if (row->shapes != OPERATOR_NONE)
		table_put_name(table, COLUMN_ops_input_shapes, source, row->shapes);
}

/* What a sum over recorded calls stands for: that times N, but of labels each is recorded. */
static uint64_t rows_ops_estimated(const struct operators *operators,
				   const struct operator_row *row, uint64_t recorded)
{
	uint64_t all;

	if (!ops_are_sampled(operators) || row->scope == EVT_SCOPE_USER)
		return recorded;
	return __builtin_mul_overflow(recorded, operators->one_in, &all) ? UINT64_MAX : all;
}

/* Each call was recorded with probability 1 / one_in, independently of the others. */
static void put_estimates(struct table *table, const struct operator_row *row,
			  const struct operators *operators)
{
	double one_in = (double)operators->one_in;

	table_set_number(table, COLUMN_ops_estimated_calls,
			 rows_ops_estimated(operators, row, row->calls));
	table_set_number(table, COLUMN_ops_estimated_cpu_ns,
			 rows_ops_estimated(operators, row, row->total.ns));
	if (row->scope != EVT_SCOPE_USER)
		table_set_real(table, COLUMN_ops_estimated_error,
			       100.0 * sqrt((double)row->calls * one_in * (one_in - 1)) /
				       ((double)row->calls * one_in));
}

/* Estimates of the whole run, from the windows of INTERCEPT_BUDGET. */
static void rows_ops_put_drawn(struct table *table, const struct operators *operators, size_t row)
{
	struct drawn_estimate calls = drawn_ops_calls(operators->drawn, row);
	struct drawn_estimate ns = drawn_ops_ns(operators->drawn, row);

	table_set_number(table, COLUMN_ops_estimated_calls, (uint64_t)(calls.value + 0.5));
	table_set_number(table, COLUMN_ops_estimated_cpu_ns, (uint64_t)(ns.value + 0.5));
	if (calls.value > 0)
		table_set_real(table, COLUMN_ops_estimated_error, 100 * calls.error / calls.value);
	if (ns.value > 0)
		table_set_real(table, COLUMN_ops_estimated_cpu_error, 100 * ns.error / ns.value);
}

static void rows_ops_put_row(struct table *table, const struct source *source,
			     const struct operator_row *row, const struct ops_whole *ops)
{
	table_add_row(table);
	rows_ops_put_key(table, source, row, ops->key);
	rows_ops_put_times(table, row, ops);
	if (ops->has_memory && !ops->sampled)
		rows_ops_put_memory(table, row, ops->use_device);
	if (ops->has_gpu)
		rows_ops_put_gpu(table, row, ops->gpu_self_ns, !ops->operators->has_gpu_windows);
	table_set_number(table, COLUMN_ops_calls, row->calls);
	if (ops->sampled && row->calls)
		put_estimates(table, row, ops->operators);
	else if (ops->operators->drawn)
		rows_ops_put_drawn(table, ops->operators, (size_t)(row - ops->operators->row));
	if (row->flops)
		table_set_number(table, COLUMN_ops_flops, row->flops);
	table_set_number(table, COLUMN_ops_threads, row->threads);
	table_set_number(table, COLUMN_ops_open, row->open);
	table_set_number(table, COLUMN_ops_cuda_calls, row->total.cuda_calls);
	table_set_number(table, COLUMN_ops_cuda_ns, row->total.cuda_ns);
	table_set_number(table, COLUMN_ops_launches, row->total.launches);
}

bool ops_are_sampled(const struct operators *operators)
{
	return operators->one_in > 1;
}

struct ops_totals ops_add_up(const struct operators *operators, const struct source *source)
{
	struct ops_totals totals = { 0 };

	for (size_t i = 0; i < operators->row_count; i++) {
		const struct operator_row *row = &operators->row[i];

		if (!ops_row_is_shown(source, row))
			continue;
		totals.calls += row->calls;
		totals.estimated_calls += rows_ops_estimated(operators, row, row->calls);
		totals.open += row->open;
		totals.self_cpu_ns += row->self.ns;
		totals.self_cuda_ns += row->gpu_self_ns;
	}
	return totals;
}

void ops_settle(struct operators *operators)
{
	const struct run_key *key = operators_key(operators);
	uint32_t *into = memory_zero(operators->row_count + 1, sizeof(*into));
	struct map rows;
	bool added;

	map_init(&rows);
	for (uint32_t i = 0; i < operators->row_count; i++) {
		struct operator_row *row = &operators->row[i];
		uint64_t words[4] = { row->name, row->scope, row->shapes,
				      key_settle(key, row->caller) };
		struct map_entry *first;

		row->caller = words[3];
		first = map_put(&rows, map_hash_bytes(words, sizeof(words), 0), &added);
		if (added)
			first->value = i;
		into[i] = (uint32_t)first->value;
	}
	operators_join(operators, into);
	for (size_t i = 0; i < operators->row_count; i++)
		if (operators->row[i].caller == KEY_LEFT_OUT)
			operators->row[i].calls = 0;
	map_release(&rows);
	free(into);
}

struct ops_totals ops_fill_table(const struct operators *operators, const struct source *source,
				 struct table *table)
{
	struct ops_totals totals = ops_add_up(operators, source);
	uint64_t covered_ns = operators_covered_ns(operators, OPERATOR_NONE);
	struct ops_whole whole = { .operators = operators,
				   .whole_ns = covered_ns > totals.self_cpu_ns ? covered_ns
									       : totals.self_cpu_ns,
				   .gpu_self_ns = totals.self_cuda_ns,
				   .use_device = ops_use_device(operators),
				   .has_memory = operators->has_memory,
				   .has_gpu = operators->has_gpu && !ops_are_sampled(operators),
				   .key = operators_key(operators),
				   .sampled = ops_are_sampled(operators) };

	for (size_t i = 0; i < operators->row_count; i++)
		if (ops_row_is_shown(source, &operators->row[i]))
			rows_ops_put_row(table, source, &operators->row[i], &whole);
	return totals;
}

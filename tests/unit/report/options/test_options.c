/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/options/options.c, report/table/row_filter.c: what is taken, and the one line that says
 * why not.
 */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/table/row_filter.h"
#include "report/options/options.h"

static char message[512];

#define PARSE(options, ...) parse(options, (char *[]){ (char *)"prof-report", __VA_ARGS__, NULL })

static int parse(struct options *options, char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	message[0] = '\0';
	return options_parse(options, argc, argv, message, sizeof(message));
}

TEST(report_options_and_files)
{
	struct options options;

	assert_int_equal(PARSE(&options, "alloc", "--sort=peak_bytes:asc", "-n", "5", "--by",
			       "size", "a.evt", "b.evt"),
			 0);
	assert_int_equal(options.report, REPORT_alloc);
	assert_string_equal(options.sort, "peak_bytes:asc");
	assert_int_equal(options.limit, 5);
	assert_int_equal(options.by, BY_alloc_size);
	assert_int_equal(options.file_count, 2);
	options_release(&options);
}

TEST(keys_are_those_of_the_report)
{
	struct options options;

	assert_int_equal(PARSE(&options, "--by", "grid", "launches", "--names=short"), 0);
	assert_int_equal(options.by, BY_launches_grid);
	assert_int_equal(options.of_report[REPORT_OPTION_names].choice, 1);
	options_release(&options);
	assert_int_equal(PARSE(&options, "device-memory"), 0);
	assert_int_equal(options.report, REPORT_device_memory);
	assert_int_equal(options.by, BY_device_memory_kind);
	options_release(&options);
	assert_int_equal(PARSE(&options, "device_memory", "--by", "range"), 0);
	assert_int_equal(options.by, BY_device_memory_range);
	options_release(&options);
	assert_int_equal(PARSE(&options, "memcpy", "--by", "kernel"), -1);
	assert_string_equal(message,
			    "--by 'kernel' is not one of kind, range, function, op, stream, stack, "
			    "caller_function, line, module, python");
	options_release(&options);
}

TEST(summary_is_the_default)
{
	struct options options;

	assert_int_equal(PARSE(&options, "run.evt"), 0);
	assert_int_equal(options.report, REPORT_summary);
	assert_int_equal(options.file_count, 1);
	options_release(&options);
}

static void refuses(const char *expected, char **argv)
{
	struct options options;

	assert_int_equal(parse(&options, argv), -1);
	if (!strstr(message, expected))
		fail_msg("'%s' does not say '%s'", message, expected);
	assert_null(strchr(message, '\n'));
	options_release(&options);
}

#define REFUSES(expected, ...) \
	refuses(expected, (char *[]){ (char *)"prof-report", __VA_ARGS__, NULL })

TEST(a_file_may_be_named_like_a_report)
{
	struct options options;

	assert_int_equal(PARSE(&options, "./alloc"), 0);
	assert_int_equal(options.report, REPORT_summary);
	options_release(&options);
	REFUSES("'nvtx' and 'alloc' are both reports; only one", "nvtx", "alloc");
	fclose(fopen("alloc", "w"));
	assert_int_equal(PARSE(&options, "nvtx", "alloc"), 0);
	remove("alloc");
	assert_int_equal(options.report, REPORT_nvtx);
	assert_string_equal(options.file[0], "alloc");
	options_release(&options);
	assert_int_equal(PARSE(&options, "nvtx", "--", "--list"), 0);
	assert_string_equal(options.file[0], "--list");
	options_release(&options);
}

TEST(times_are_read_with_open_ends)
{
	struct options options;

	assert_int_equal(PARSE(&options, "--time", "1.5s..2s"), 0);
	assert_true(options.scope.from_ns == 1500000000 && options.scope.to_ns == 2000000000);
	options_release(&options);
	assert_int_equal(PARSE(&options, "--time", "10ms.."), 0);
	assert_true(options.scope.from_ns == 10000000 && options.scope.to_ns == UINT64_MAX);
	options_release(&options);
	assert_int_equal(PARSE(&options, "--time", "..1min"), 0);
	assert_true(options.scope.from_ns == 0 && options.scope.to_ns == 60000000000);
	options_release(&options);
}

/* --time with a minus: before the end; resolved once the recording has been read. */
TEST(times_may_count_from_the_end)
{
	struct options options;

	assert_int_equal(PARSE(&options, "--time", "-10s.."), 0);
	assert_true(options.scope.from_end && options.scope.from_ns == 10000000000);
	assert_true(!options.scope.to_end && options.scope.to_ns == UINT64_MAX);
	options_release(&options);
	assert_int_equal(PARSE(&options, "--time=-10s..-5s"), 0);
	assert_true(options.scope.from_end && options.scope.to_end);
	assert_true(options.scope.to_ns == 5000000000);
	options_release(&options);
	assert_int_equal(PARSE(&options, "--time", "1s..-500ms"), 0);
	assert_true(!options.scope.from_end && options.scope.to_end);
	options_release(&options);
	assert_int_equal(PARSE(&options, "--time", "-1.5s..20s"), 0);
	assert_true(options.scope.from_end && options.scope.from_ns == 1500000000);
	options_release(&options);
	assert_int_equal(PARSE(&options, "--time", "-3s..", "--time", "1s..2s"), 0);
	assert_true(!options.scope.from_end && options.scope.to_ns == 2000000000);
	options_release(&options);
}

TEST(steps_are_numbers_or_a_name)
{
	struct options options;

	assert_int_equal(PARSE(&options, "ops", "--step", "7"), 0);
	assert_true(options.scope.by_step);
	assert_true(options.scope.step_first == 7 && options.scope.step_last == 7);
	options_release(&options);
	assert_int_equal(PARSE(&options, "alloc", "--step=5..9"), 0);
	assert_true(options.scope.step_first == 5 && options.scope.step_last == 9);
	options_release(&options);
	assert_int_equal(PARSE(&options, "alloc", "--step", "100.."), 0);
	assert_true(options.scope.step_first == 100 && options.scope.step_last == UINT64_MAX);
	options_release(&options);
	assert_int_equal(PARSE(&options, "steps", "--step", "..9"), 0);
	assert_true(options.scope.step_first == 0 && options.scope.step_last == 9);
	options_release(&options);
	assert_int_equal(PARSE(&options, "steps", "--step", "iteration 5"), 0);
	assert_false(options.scope.by_step);
	assert_string_equal(options.of_report[REPORT_OPTION_step].text, "iteration 5");
	options_release(&options);
	assert_int_equal(PARSE(&options, "steps", "--step", "12*"), 0);
	assert_string_equal(options.of_report[REPORT_OPTION_step].text, "12*");
	options_release(&options);
}

TEST(wrong_options_are_named)
{
	REFUSES("did you mean '--format'", "--formt", "csv");
	REFUSES("unknown option '-z'", "-z");
	REFUSES("--format 'xml' is not one of table, csv, json, markdown", "--format", "xml");
	REFUSES("--by 'siz' is not one of caller, stack, function, line, module, python, thread, "
		"size, process, op; did you mean 'size'",
		"alloc", "--by", "siz");
	REFUSES("--limit '-1' is not a whole number", "alloc", "--limit", "-1");
	REFUSES("--limit '99999999999999999999' is not", "alloc", "--limit",
		"99999999999999999999");
	REFUSES("--limit needs a value: N", "alloc", "--limit");
	REFUSES("--tree takes no value", "nvtx", "--tree=1");
	REFUSES("report 'alloc' takes no --tree; these do: nvtx", "alloc", "--tree");
	REFUSES("report 'alloc' takes no --against; these do: diff, page", "alloc", "--against",
		"x");
	REFUSES("report 'check' takes no --output; prof-report help check lists", "check", "-o",
		"x");
	REFUSES("--against: no recording follows it", "page", "run.evt", "--against");
	REFUSES("takes no --sort", "--sort", "x");
	REFUSES("--time '2..1' ends before it begins", "--time", "2..1");
	REFUSES("--time '7' is not A..B", "--time", "7");
	REFUSES("--time '3.6..3.7' has no unit", "--time", "3.6..3.7");
	REFUSES("--time '-3.6..' has no unit", "--time", "-3.6..");
	REFUSES("--time '-5s..-10s' ends before it begins", "--time", "-5s..-10s");
	REFUSES("--time '--5s..' is not A..B", "--time", "--5s..");
	REFUSES("--time '-..' is not A..B", "--time", "-..");
	REFUSES("--time '-+5s..' is not A..B", "--time", "-+5s..");
	REFUSES("--time '-inf..' is not A..B", "--time", "-inf..");
	REFUSES("--time '-1e999s..' is not A..B", "--time", "-1e999s..");
	REFUSES("--step '9..5' ends before it begins", "ops", "--step", "9..5");
	REFUSES("--step '..' is not N or A..B", "ops", "--step", "..");
	REFUSES("--step '1.5' is not N or A..B", "ops", "--step", "1.5");
	REFUSES("--step '1..2..3' is not N or A..B", "ops", "--step", "1..2..3");
	REFUSES("--step '1...3' is not N or A..B", "ops", "--step", "1...3");
	REFUSES("--step '99999999999999999999' is not", "ops", "--step", "99999999999999999999");
	REFUSES("--step '111111111111111111111111111111111111' is not", "ops", "--step",
		"111111111111111111111111111111111111");
	REFUSES("report 'ops' takes no --step NAME; these do: steps", "ops", "--step", "forward");
	REFUSES("report 'ops' takes no --step NAME; these do: steps", "ops", "--step", "-1");
	REFUSES("--step needs a value", "steps", "--step=");
	REFUSES("--range and --during: only one of them can be given", "--range", "a", "--range",
		"b");
	REFUSES("--range and --during: only one of them can be given", "--range", "a", "--during",
		"b");
	REFUSES("'nosuch' is neither a report nor a file; prof-report --list", "nosuch");
	REFUSES("--output needs", "--output=");
}

static int condition(struct row_filter *ret, const char *text)
{
	const struct column *columns[COLUMNS_MAX];
	size_t count = columns_of("alloc", columns);

	return row_filter_parse(ret, text, columns, count, message, sizeof(message));
}

TEST(conditions_are_parsed)
{
	struct row_filter parsed;

	assert_int_equal(condition(&parsed, "bytes_allocated>=10MiB"), 0);
	assert_int_equal(parsed.sign, ROW_FILTER_AT_LEAST);
	assert_true(parsed.number == 10485760);
	assert_int_equal(condition(&parsed, "caller = lib*"), 0);
	assert_string_equal(parsed.text, "lib*");
	assert_int_equal(condition(&parsed, "caller~a=b"), 0);
	assert_string_equal(parsed.text, "a=b");
	assert_int_equal(condition(&parsed, "allocations"), -1);
	assert_int_equal(condition(&parsed, "alocations>1"), -1);
	assert_non_null(strstr(message, "did you mean 'allocations'"));
	assert_int_equal(condition(&parsed, "allocations>1x"), -1);
	assert_int_equal(condition(&parsed, "allocations~1"), -1);
	assert_int_equal(condition(&parsed, "caller<1"), -1);
}

static bool kernel_meets(const char *text)
{
	static const char name[] = "at::native::im2col_kernel<float>(long, float const*)";
	const struct column *columns[COLUMNS_MAX];
	size_t count = columns_of("launches", columns);
	struct cell row[COLUMNS_MAX] = { 0 };
	struct row_filter parsed;
	size_t at = 0;

	while (at < count && strcmp(columns[at]->name, "kernel"))
		at++;
	assert_true(at < count);
	row[at] = (struct cell){ .text = name, .length = sizeof(name) - 1, .kind = CELL_TEXT };
	assert_int_equal(row_filter_parse(&parsed, text, columns, count, message, sizeof(message)),
			 0);
	return conditions_hold(&parsed, 1, row);
}

TEST(kernels_are_known_by_what_tables_show)
{
	assert_true(kernel_meets("kernel=im2col_kernel<float>"));
	assert_true(kernel_meets("kernel=*at::native::im2col*"));
	assert_true(kernel_meets("kernel~native"));
	assert_false(kernel_meets("kernel=im2col"));
	assert_false(kernel_meets("kernel!=im2col_kernel<float>"));
	assert_true(kernel_meets("kernel!=other"));
}

TEST(a_rate_has_a_unit)
{
	const struct column *columns[COLUMNS_MAX];
	size_t count = columns_of("memcpy", columns);
	struct row_filter parsed;

	assert_int_equal(
		row_filter_parse(&parsed, "GB/s>3GB/s", columns, count, message, sizeof(message)),
		0);
	assert_true(parsed.number == 3e9);
	assert_int_equal(
		row_filter_parse(&parsed, "GB/s>3", columns, count, message, sizeof(message)), -1);
	assert_non_null(strstr(message, "a number with its unit"));
}

TEST(every_report_has_what_it_is_sorted_by)
{
	for (int i = 0; i < REPORT_LIMIT; i++) {
		const struct column *columns[COLUMNS_MAX];
		size_t count = columns_of(report_infos[i].id, columns);
		const char *sort = report_infos[i].sort;

		if (sort && columns_find(columns, count, sort, strlen(sort)) < 0)
			fail_msg("report %s has no column %s", report_infos[i].id, sort);
		assert_true(count < COLUMNS_MAX);
	}
}

/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/imports/import_events.c: imports within each other, who imported a module first, what
 * failed, what has no end.
 */
#include "tests/unit/unit.h"
#include "report/imports/import_events.h"
#include "tests/unit/run_fixture.h"

static void begin(struct frame_writer *fw, uint64_t time_ns, const char *module, const char *file,
		  uint64_t line)
{
	FRAME_PUT(fw, time_ns, import_begin, .module = name_of(module), .file = name_of(file),
		  .line = line);
}

static void end(struct frame_writer *fw, uint64_t time_ns, bool failed)
{
	FRAME_PUT(fw, time_ns, import_end, .failed = failed);
}

static const char *text_of(uint32_t name)
{
	return source_name_text(source_name_at(source, name));
}

static size_t row_of(const struct imports *imports, const char *module)
{
	for (size_t i = 0; i < imports->ranges.row_count; i++)
		if (!strcmp(text_of(imports->ranges.row[i].name), module))
			return i;
	fail_msg("no row '%s'", module);
	return 0;
}

static const struct imports *read_imports(void)
{
	const struct imports *imports;

	recording_open();
	imports = imports_want(run, &(struct imports_options){ 0 });
	recording_read();
	return imports;
}

TEST(imports_nest)
{
	struct frame_writer *fw = recording_begin(1);
	const struct imports *imports;
	const struct range_row *outer, *inner;

	begin(fw, 1000, "outer", "main.py", 3);
	begin(fw, 1100, "inner", "outer.py", 7);
	end(fw, 1400, false);
	end(fw, 2000, false);
	imports = read_imports();
	outer = &imports->ranges.row[row_of(imports, "outer")];
	inner = &imports->ranges.row[row_of(imports, "inner")];
	assert_int_equal(outer->count, 1);
	assert_int_equal(outer->time.total_ns, 1000);
	assert_int_equal(outer->self_ns, 700);
	assert_int_equal(inner->time.total_ns, 300);
	assert_int_equal(inner->self_ns, 300);
	recording_close();
}

TEST(the_first_importer_is_kept)
{
	struct frame_writer *fw = recording_begin(1);
	const struct imports *imports;
	const struct import_origin *origin;

	begin(fw, 1000, "module", "first.py", 3);
	end(fw, 1100, true);
	begin(fw, 1200, "module", "second.py", 9);
	end(fw, 1300, false);
	imports = read_imports();
	origin = &imports->origin[row_of(imports, "module")];
	assert_true(origin->is_known);
	assert_string_equal(text_of(origin->file), "first.py");
	assert_int_equal(origin->line, 3);
	assert_int_equal(origin->failed, 1);
	assert_int_equal(imports->ranges.row[row_of(imports, "module")].count, 2);
	recording_close();
}

/*
 * An end without a begin closes nothing; what is open at the end of the recording is counted and
 * has no time.
 */
TEST(ends_and_begins_without_the_other)
{
	struct frame_writer *fw = recording_begin(1);
	const struct imports *imports;
	const struct range_row *row;

	end(fw, 900, false);
	begin(fw, 1000, "open", "main.py", 1);
	imports = read_imports();
	row = &imports->ranges.row[row_of(imports, "open")];
	assert_int_equal(row->count, 1);
	assert_int_equal(row->open, 1);
	assert_int_equal(row->time.total_ns, 0);
	assert_int_equal(imports->ranges.row_count, 1);
	recording_close();
}

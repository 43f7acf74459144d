/* SPDX-License-Identifier: MIT */
/*
 * The engines differ only in how a view of files is made. A file is written under another name and
 * renamed, so that several exports may do so at a time.
 */
#include "report/export/parquet_views.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/base/memory.h"

/*
 * Of each engine: its file; how the view of a table is made: `make` NAME `of` FOLDER `in` TABLE
 * `end`, for Spark with the folder once more; and how that of a question begins.
 */
static const struct {
	const char *file, *about;
	const char *make, *of, *in, *end;
	bool has_base;
} parquet_views_engines[] = {
	{ "views.sql", "DuckDB: .read views.sql", "CREATE OR REPLACE VIEW",
	  " AS SELECT * FROM read_parquet('",
	  "/*/*/family=", "/*.parquet', hive_partitioning = true)", false },
	{ "views.clickhouse.sql", "ClickHouse, with the setting use_hive_partitioning = 1",
	  "CREATE OR REPLACE VIEW", " AS SELECT * FROM file('",
	  "/*/*/family=", "/*.parquet', 'Parquet')", false },
	{ "views.spark.sql", "Spark", "CREATE OR REPLACE TEMPORARY VIEW",
	  " USING parquet OPTIONS (path '", "/*/*/family=", "', basePath '", true },
};

#define ENGINES (sizeof(parquet_views_engines) / sizeof(parquet_views_engines[0]))

static const struct {
	const char *name, *needs, *says, *query;
} parquet_views[] = {
#define VIEW(name, needs, says, query) { #name, needs, says, query },
#include "report/export/parquet_views.def"
};

#define VIEWS (sizeof(parquet_views) / sizeof(parquet_views[0]))

struct parquet_folder {
	const char *const *table;
	size_t tables;
	bool *is_there; /* by table */
};

/* --- which tables there are --- */

static void parquet_folder_note(struct parquet_folder *folder, const char *name)
{
	for (size_t i = 0; i < folder->tables; i++)
		if (!strcmp(folder->table[i], name))
			folder->is_there[i] = true;
}

/* host=H/rank=R/family=F */
static void parquet_folder_list(struct parquet_folder *folder, const char *path, unsigned int level)
{
	static const char *const prefixes[] = { "host=", "rank=", "family=" };
	size_t length = strlen(prefixes[level]);
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir))) {
		char inner[PATH_MAX];

		if (strncmp(entry->d_name, prefixes[level], length) != 0)
			continue;
		if (level == 2)
			parquet_folder_note(folder, entry->d_name + length);
		else if ((size_t)snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name) <
			 sizeof(inner))
			parquet_folder_list(folder, inner, level + 1);
	}
	if (dir)
		closedir(dir);
}

static bool parquet_folder_has(const struct parquet_folder *folder, const char *table)
{
	for (size_t i = 0; i < folder->tables; i++)
		if (folder->is_there[i] && !strcmp(folder->table[i], table))
			return true;
	return false;
}

/* --- the files --- */

/* As text of SQL, in which a quote is two; patterns of the engines have no escapes. */
static char *parquet_views_quoted(const char *path)
{
	char *text = memory_zero(2 * strlen(path) + 1, 1), *at = text;

	for (; *path; path++) {
		*at++ = *path;
		if (*path == '\'')
			*at++ = '\'';
	}
	return text;
}

static void parquet_views_print(FILE *out, size_t engine, const struct parquet_folder *folder,
				const char *path)
{
	fprintf(out, "-- Made by prof-report export parquet. %s\n",
		parquet_views_engines[engine].about);
	fprintf(out, "-- Tables of this folder, as it was named when they were exported:\n");
	for (size_t i = 0; i < folder->tables; i++)
		if (folder->is_there[i])
			fprintf(out, "%s %s%s%s%s%s%s%s%s;\n", parquet_views_engines[engine].make,
				folder->table[i], parquet_views_engines[engine].of, path,
				parquet_views_engines[engine].in, folder->table[i],
				parquet_views_engines[engine].end,
				parquet_views_engines[engine].has_base ? path : "",
				parquet_views_engines[engine].has_base ? "')" : "");
	for (size_t i = 0; i < VIEWS; i++) {
		fprintf(out, "\n-- %s\n", parquet_views[i].says);
		if (!parquet_folder_has(folder, parquet_views[i].needs)) {
			fprintf(out, "-- %s is left out: there is no table %s\n",
				parquet_views[i].name, parquet_views[i].needs);
			continue;
		}
		fprintf(out, "%s %s AS\n%s;\n", parquet_views_engines[engine].make,
			parquet_views[i].name, parquet_views[i].query);
	}
}

static int parquet_views_put(struct report_request *request, size_t engine,
			     const struct parquet_folder *folder, const char *quoted)
{
	const char *file = parquet_views_engines[engine].file;
	char path[PATH_MAX], new[PATH_MAX];
	bool failed;
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", request->options->output, file);
	snprintf(new, sizeof(new), "%s/.%s.%d", request->options->output, file, (int)getpid());
	out = fopen(new, "we");
	failed = !out;
	if (out) {
		parquet_views_print(out, engine, folder, quoted);
		failed = ferror(out) != 0;
		failed |= fclose(out) != 0;
	}
	if (!failed && !rename(new, path))
		return 0;
	snprintf(request->message, sizeof(request->message), "cannot write '%.300s': %s", path,
		 strerror(errno));
	unlink(new);
	return -1;
}

int parquet_views_write(struct report_request *request, const char *const *table, size_t tables)
{
	struct parquet_folder folder = { table, tables, memory_zero(tables, sizeof(bool)) };
	char *quoted = parquet_views_quoted(request->options->output);
	int failed = 0;

	parquet_folder_list(&folder, request->options->output, 0);
	for (size_t i = 0; i < ENGINES && !failed; i++)
		failed = parquet_views_put(request, i, &folder, quoted);
	free(quoted);
	free(folder.is_there);
	return failed;
}

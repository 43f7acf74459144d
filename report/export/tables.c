/* SPDX-License-Identifier: MIT */
/*
 * `export csv` and `export json`: every report as a file in a folder, from one reading. Each is the
 * output of `prof-report REPORT --format csv` or json. CSV has no place for losses and faults, so
 * they have files of their own.
 */
#include "report/export/exporter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/core/report_batch.h"
#include "report/export/sink.h"

#define ID_BYTES 64

struct tables {
	struct report_request *request;
	enum export_format format;
	uint64_t files, bytes;
};

static char *tables_path_of(const struct tables *tables, const char *name)
{
	const char *folder = tables->request->options->output;
	size_t room = strlen(folder) + ID_BYTES;
	char *path = memory_zero(room, 1);

	snprintf(path, room, "%s/%.40s.%s", folder, name, export_format_names[tables->format]);
	return path;
}

static void count_file(struct tables *tables, const char *path)
{
	struct stat status;

	tables->files++;
	tables->bytes += stat(path, &status) ? 0 : (uint64_t)status.st_size;
}

static int write_report(struct tables *tables, struct batch_report *one)
{
	char *path = tables_path_of(tables, report_infos[one->id].name);
	int status;

	one->options.output = path;
	status = report_job_write(&one->job);
	if (status)
		snprintf(tables->request->message, sizeof(tables->request->message), "%s",
			 one->request.message);
	else
		count_file(tables, path);
	request_release(&one->request);
	one->options.output = NULL;
	free(path);
	return status;
}

static void tables_put_losses(struct sink *sink, struct source *source)
{
	const struct source_loss *loss;
	size_t count = source_losses(source, &loss);

	sink_text(sink, "process,count,reason,from_ns,to_ns\n");
	for (size_t i = 0; i < count; i++) {
		const char *reason = source_loss_text(&loss[i]);

		if (loss[i].process)
			sink_unsigned(sink, loss[i].process->pid);
		sink_print(sink, ",%llu,\"%s\",%llu,%llu\n", (unsigned long long)loss[i].count,
			   reason, (unsigned long long)loss[i].from_ns,
			   (unsigned long long)loss[i].to_ns);
	}
}

/* The texts are ours: numbers and plain words, without quotes. */
static void tables_put_faults(struct sink *sink, struct source *source)
{
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault);

	sink_text(sink, "file,offset,fault\n");
	for (size_t i = 0; i < count; i++) {
		sink_print(sink, "%u,%llu,\"", fault[i].file ? fault[i].file->index : 0,
			   (unsigned long long)fault[i].offset);
		for (const char *at = fault[i].text; *at; at++)
			sink_put(sink, *at == '"' ? "'" : at, 1);
		sink_text(sink, "\"\n");
	}
}

static int write_aside(struct tables *tables, const char *name,
		       void (*put)(struct sink *sink, struct source *source))
{
	struct sink *sink = memory_zero(1, sizeof(*sink));
	char *path = tables_path_of(tables, name);
	int status = sink_open(sink, tables->request, path, false) ? STATUS_INPUT : STATUS_OK;

	if (!status) {
		put(sink, tables->request->source);
		status = sink_close(sink, tables->request) ? STATUS_INPUT : STATUS_OK;
	}
	if (!status)
		count_file(tables, path);
	free(path);
	free(sink);
	return status;
}

static int tables_make_folder(struct report_request *request)
{
	const char *folder = request->options->output;
	const char *format = request->options->word;
	struct stat status;

	if (!folder) {
		snprintf(request->message, sizeof(request->message),
			 "export %s needs a folder: add -o FOLDER", format);
		return STATUS_USAGE;
	}
	if (!mkdir(folder, 0777) ||
	    (errno == EEXIST && !stat(folder, &status) && S_ISDIR(status.st_mode)))
		return STATUS_OK;
	snprintf(request->message, sizeof(request->message),
		 "cannot make the folder '%.300s': %s; name another with -o", folder,
		 strerror(errno));
	return STATUS_INPUT;
}

/*
 * Call before anything is read, as for a single report: the code that fills a table may influence
 * its order.
 */
static int prepare_report(const struct tables *tables, struct batch_report *one)
{
	int status;

	one->options.format = tables->format;
	one->options.limit = LIMIT_DEFAULT;
	status = request_prepare(&one->request, &one->job.table);
	if (status)
		snprintf(tables->request->message, sizeof(tables->request->message), "%s",
			 one->request.message);
	return status;
}

static int write_tables(struct report_request *request, enum export_format format)
{
	struct tables tables = { .request = request, .format = format };
	struct batch batch;
	int status = tables_make_folder(request);

	if (status)
		return status;
	batch_init(&batch, request);
	batch.only_writes = true;
	for (int id = 0; id < REPORT_LIMIT; id++)
		if (batch_takes((enum report_id)id))
			batch_add(&batch, (enum report_id)id, batch_key((enum report_id)id, NULL));
	for (size_t i = 0; i < batch.count && !status; i++)
		status = prepare_report(&tables, batch.report[i]);
	if (!status)
		status = batch_read(&batch);
	for (size_t i = 0; i < batch.count && !status; i++)
		status = write_report(&tables, batch.report[i]);
	if (!status && format == FORMAT_CSV)
		status = write_aside(&tables, "losses", tables_put_losses);
	if (!status && format == FORMAT_CSV)
		status = write_aside(&tables, "faults", tables_put_faults);
	if (!status)
		export_say_written(request->options->output, tables.files, "file", tables.bytes);
	batch_release(&batch);
	return status;
}

int export_csv_tables(struct report_request *request)
{
	return write_tables(request, FORMAT_CSV);
}

int export_json_tables(struct report_request *request)
{
	return write_tables(request, FORMAT_JSON);
}

/* SPDX-License-Identifier: MIT */
/* A source whose files grow while it is read: source_resume(). */
#include <sys/stat.h>

#include "collector/format/error.h"
#include "report/session/source_state.h"

/*
 * The size never decreases. If the file was truncated, the missing part is noticed when the reader
 * gets there.
 */
static void file_measure(struct file_row *file)
{
	struct stat info;
	int failed = file->bytes.fd >= 0        ? fstat(file->bytes.fd, &info)
		     : file->bytes.path != NULL ? stat(file->bytes.path, &info)
						: -1;

	if (failed || (uint64_t)info.st_size <= file->bytes.size)
		return;
	file->bytes.size = (uint64_t)info.st_size;
	file->file.bytes = file->bytes.size;
}

int source_resume(struct source *source, bool grows)
{
	int error = EVT_OK;

	for (size_t i = 0; i < source->file_count && !error; i++) {
		struct file_row *file = source->file[i];

		if (!file->reader)
			continue;
		file_measure(file);
		file->file.live = grows;
		reader_follow(file->reader, grows);
		if (!source->begun || !file->ended)
			continue;
		file->ended = false;
		error = file_load(file);
	}
	return error;
}

/* SPDX-License-Identifier: MIT */
/*
 * Takes the recording's names that end as Python files do, then the files of symbolized lines. `.`
 * and `..` are removed from paths for the archive, and each file is added once.
 */
#include "report/pack/sources.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/base/map.h"
#include "report/symbols/answers.h"

#define FOLDER "source"

struct adding {
	struct zip *zip;
	struct map seen; /* hashes of names in the archive */
	struct sources_count count;
};

static const char *const endings_python[] = { ".py", NULL };
/* Of source files that compilers translate, and of those that they include. */
static const char *const endings_native[] = { ".c",   ".cc",  ".cpp", ".cxx", ".c++",
					      ".C",   ".h",   ".hh",  ".hpp", ".hxx",
					      ".h++", ".inl", ".ipp", ".tcc", ".cu",
					      ".cuh", ".rs",  ".go",  ".f",   ".f90",
					      ".F90", ".pyx", ".s",   ".S",   NULL };

static bool ends_with_any(const char *text, size_t length, const char *const *ending)
{
	for (; *ending; ending++) {
		size_t bytes = strlen(*ending);

		if (length > bytes && !memcmp(text + length - bytes, *ending, bytes))
			return true;
	}
	return false;
}

/* Returns whether the name has no control character and no backslash. */
static bool name_is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f || text[i] == '\\')
			return false;
	return true;
}

/*
 * A compiler that was called with "../x.c" records such a path: "." and ".." are removed, so that
 * the file unpacks inside of the folder.
 */
static void put_packed(char packed[PATH_MAX], const char *path)
{
	char *at = packed + sprintf(packed, FOLDER), *root = at;

	while (*path) {
		size_t length = strcspn(path, "/");

		if (length == 2 && !memcmp(path, "..", 2)) {
			while (at > root && *--at != '/')
				;
		} else if (length && !(length == 1 && *path == '.')) {
			*at++ = '/';
			memcpy(at, path, length);
			at += length;
		}
		path += length + (path[length] == '/');
	}
	*at = 0;
}

static bool sources_is_there(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) &&
	       status.st_size <= (off_t)SOURCE_BYTES_MAX && !access(path, R_OK);
}

/* Also returns 0 if the name is no source file, or the file cannot be taken. */
static int sources_add_file(struct adding *adding, const char *text, size_t length,
			    const char *const *endings)
{
	char path[PATH_MAX], packed[PATH_MAX];
	bool added;

	if (length >= PATH_MAX - sizeof(FOLDER) || *text != '/' ||
	    !ends_with_any(text, length, endings) || !name_is_plain(text, length))
		return 0;
	snprintf(path, sizeof(path), "%.*s", (int)length, text);
	put_packed(packed, path);
	map_put(&adding->seen, map_hash_bytes(packed, strlen(packed), 0), &added);
	if (!added)
		return 0;
	if (adding->count.taken >= SOURCE_FILES_MAX || !sources_is_there(path)) {
		adding->count.missing++;
		return 0;
	}
	adding->count.taken++;
	return zip_add(adding->zip, packed, path, true);
}

static int add_python(struct adding *adding, const struct source *source)
{
	size_t names = source_name_count(source);
	int error = 0;

	for (size_t i = 0; i < names && !error; i++) {
		const struct source_name *name = source_name_at(source, (uint32_t)i);

		if (name->text && name->length)
			error = sources_add_file(adding, name->text, name->length, endings_python);
	}
	return error;
}

/* Adds the source files of the lines of one binary file. */
static int add_answers(struct adding *adding, const struct source_symbols *symbols)
{
	struct answers answers;
	int error = 0;

	answers_init(&answers);
	if (answers_read(&answers, symbols->bytes, symbols->length))
		for (size_t i = 0; i < answers.frames && !error; i++)
			if (answers.frame[i].file)
				error = sources_add_file(adding, answers.frame[i].file,
							 strlen(answers.frame[i].file),
							 endings_native);
	answers_release(&answers);
	return error;
}

static int add_native(struct adding *adding, const struct source *source)
{
	struct source_file *const *file;
	size_t files = source_files(source, &file);
	int error = 0;

	for (size_t i = 0; i < files; i++)
		for (const struct source_symbols *symbols = file[i]->symbols; symbols && !error;
		     symbols = symbols->next)
			error = add_answers(adding, symbols);
	return error;
}

int sources_add(struct zip *zip, const struct source *source, struct sources_count *ret_count)
{
	struct adding adding = { .zip = zip };
	int error;

	map_init(&adding.seen);
	error = add_python(&adding, source);
	if (!error)
		error = add_native(&adding, source);
	map_release(&adding.seen);
	*ret_count = adding.count;
	return error;
}

/* SPDX-License-Identifier: MIT */
/*
 * Goes from the file up to the root: each folder on the way may be one that packages were installed
 * into, and the part of the path behind it is then what a package's list of files has (RECORD). A
 * folder of a project has no such list; where the program itself stands beside installed packages,
 * no list has it.
 */
#include "collector/processes/packages.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "collector/processes/redact.h"
#include "collector/region/region.h"

#define KEY "installed"
#define SLOTS (PACKAGES_KNOWN_MAX * 2)
#define RECORD_BYTES_MAX (4u << 20)

void packages_init(struct packages *packages, struct common *common)
{
	*packages = (struct packages){ .common = common };
}

void packages_release(struct packages *packages)
{
	free(packages->known);
	*packages = (struct packages){ 0 };
}

/* What is known of a path. A package's own folder may be asked for as both. */
enum packages_question { PACKAGES_ARE_IN_IT, IT_IS_INSTALLED };

/* Returns the entry of a path; NULL: there is no room. A new one has no hash yet. */
static struct packages_known *packages_find(struct packages *packages,
					    enum packages_question question, const char *path,
					    uint64_t *ret_hash)
{
	uint64_t hash = XXH64(path, strlen(path), question) | 1;
	uint32_t at = (uint32_t)(hash >> 32) & (SLOTS - 1);

	*ret_hash = hash;
	while (packages->known[at].hash && packages->known[at].hash != hash)
		at = (at + 1) & (SLOTS - 1);
	if (!packages->known[at].hash && packages->known_count == PACKAGES_KNOWN_MAX)
		return NULL;
	return &packages->known[at];
}

static void packages_keep(struct packages *packages, struct packages_known *entry, uint64_t hash,
			  bool is_so)
{
	*entry = (struct packages_known){ hash, is_so };
	packages->known_count++;
}

/*
 * Folders that say what was installed beside them: the end of their name, the list in them, and
 * what stands there before each path.
 */
static const struct package_list {
	const char *ending, *file, *before;
} package_lists[] = {
	{ ".dist-info", "RECORD", "" },
	{ ".egg-info", "installed-files.txt", "../" }, /* of `setup.py install`; others have none */
};

/* The kind of list that a folder of that name has; NULL: none. */
static const struct package_list *package_list_of(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(package_lists) / sizeof(package_lists[0]); i++) {
		size_t end = strlen(package_lists[i].ending);

		if (length > end && !strcmp(name + length - end, package_lists[i].ending))
			return &package_lists[i];
	}
	return NULL;
}

/* --- what a package has installed --- */

/* Whether a line of the text, behind `before`, is `name` or begins with it and "/" or ",". */
static bool text_has_name(const char *text, size_t bytes, const char *before, const char *name,
			  size_t length)
{
	const char *end = text + bytes;
	size_t skipped = strlen(before);

	for (const char *at = text; at < end;) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t line = (size_t)((line_end ? line_end : end) - at);

		if (line >= skipped + length && !memcmp(at, before, skipped) &&
		    !memcmp(at + skipped, name, length) &&
		    (line == skipped + length || memchr("/,\r", at[skipped + length], 3)))
			return true;
		at += line + 1;
	}
	return false;
}

/* A file of somebody else's: it may be anything, and may change meanwhile. */
static bool record_has_name(int folder, const char *package, const struct package_list *list,
			    const char *name, size_t length)
{
	char path[NAME_MAX + sizeof("/installed-files.txt")];
	struct stat status;
	char *text = NULL;
	bool has = false;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", package, list->file);
	fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0)
		return false;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size > 0) {
		size_t room = status.st_size < (off_t)RECORD_BYTES_MAX ? (size_t)status.st_size
								       : RECORD_BYTES_MAX;

		text = malloc(room);
		got = text ? read(fd, text, room) : -1;
		has = got > 0 && text_has_name(text, (size_t)got, list->before, name, length);
	}
	free(text);
	close(fd);
	return has;
}

/*
 * `name` NULL: returns whether the folder has any of these folders. Else whether one of them lists
 * the name.
 */
static bool folder_has(const char *path, const char *name, size_t length)
{
	DIR *folder = opendir(path);
	const struct package_list *list;
	bool has = false;
	struct dirent *entry;

	for (unsigned int i = 0; folder && !has && i < PACKAGES_ENTRIES_MAX; i++) {
		entry = readdir(folder);
		if (!entry)
			break;
		list = package_list_of(entry->d_name);
		has = list &&
		      (!name || record_has_name(dirfd(folder), entry->d_name, list, name, length));
	}
	if (folder)
		closedir(folder);
	return has;
}

static bool has_packages(struct packages *packages, const char *folder)
{
	uint64_t hash;
	struct packages_known *entry = packages_find(packages, PACKAGES_ARE_IN_IT, folder, &hash);

	if (!entry)
		return false;
	if (!entry->hash)
		packages_keep(packages, entry, hash, folder_has(folder, NULL, 0));
	return entry->is_so;
}

static void packages_tell(struct packages *packages, uint64_t process, const char *path)
{
	struct common *common = packages->common;

	JOURNAL_ADD(&common->journal, common->journal.string_ns, meta, .process = process,
		    .key = names_id_text(&common->names, KEY, sizeof(KEY) - 1),
		    .value = names_id_text(&common->names, path, strlen(path)));
}

/*
 * `path` ends behind the name that was perhaps installed, which begins behind `folder_length` and
 * a slash.
 */
static bool packages_look(struct packages *packages, uint64_t process, char *path,
			  size_t folder_length)
{
	const char *name = path + folder_length + 1;
	struct packages_known *entry;
	uint64_t hash;
	bool is_so;

	path[folder_length] = 0;
	is_so = has_packages(packages, path);
	path[folder_length] = '/';
	entry = is_so ? packages_find(packages, IT_IS_INSTALLED, path, &hash) : NULL;
	if (!entry)
		return false;
	if (!entry->hash) {
		path[folder_length] = 0;
		is_so = folder_has(path, name, strlen(name));
		path[folder_length] = '/';
		packages_keep(packages, entry, hash, is_so);
		if (is_so)
			packages_tell(packages, process, path);
	}
	return entry->is_so;
}

/* Every reader knows these folders by their names. */
static bool is_known_by_name(const char *file)
{
	return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") ||
	       strstr(file, "/lib/python") || strstr(file, "/lib64/python");
}

void packages_note(struct packages *packages, uint64_t process, const char *file, size_t length)
{
	char path[PATH_MAX];
	char *slash;

	if (!length || length >= sizeof(path) || file[0] != '/' || memchr(file, 0, length) ||
	    packages->common->view.redact & 1u << REGION_REDACT_paths)
		return;
	memcpy(path, file, length);
	path[length] = 0;
	if (is_known_by_name(path))
		return;
	if (!packages->known)
		packages->known = calloc(SLOTS, sizeof(*packages->known));
	while (packages->known && (slash = strrchr(path, '/')) && slash != path) {
		if (packages_look(packages, process, path, (size_t)(slash - path)))
			return;
		*slash = 0;
	}
}

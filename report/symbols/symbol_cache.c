/* SPDX-License-Identifier: MIT */
/*
 * What was found out about files of code, kept between runs: one file per build-id, written beside
 * and renamed.
 */
#include "report/symbols/symbol_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report/base/confine.h"
#include "report/base/descriptor.h"

#define ENDING ".symbols"
#define BUILD_ID_HEX_MIN 8u
#define BUILD_ID_HEX_MAX 128u
#define BASIS_BYTES 1024u
#define BASIS_METHOD "5" /* changed when answers become better: earlier results are then ignored */
#define DEBUG_FOLDER "/usr/lib/debug"
#define USED_S (24 * 60 * 60) /* the time of use is noted once a day */
#define LEFT_S (60 * 60)      /* a half-written file older than this has no writer */

struct cache_path {
	char folder[PATH_MAX];
	char file[PATH_MAX + 160];
};

/* False: there is no cache. */
static bool find_folder(char *ret_folder)
{
	const char *own = getenv(CACHE_VARIABLE);
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length;

	if (confine_is_on())
		return false;
	if (own && *own) {
		if (!strcmp(own, "off"))
			return false;
		length = snprintf(ret_folder, PATH_MAX, "%s", own);
	} else if (cache && cache[0] == '/') {
		length = snprintf(ret_folder, PATH_MAX, "%s/intercept/symbols", cache);
	} else if (home && home[0] == '/') {
		length = snprintf(ret_folder, PATH_MAX, "%s/.cache/intercept/symbols", home);
	} else {
		return false;
	}
	return length < PATH_MAX;
}

/* A recording may contain anything as a build-id. */
static bool is_build_id(const char *text)
{
	size_t length = strlen(text);

	return length >= BUILD_ID_HEX_MIN && length <= BUILD_ID_HEX_MAX &&
	       strspn(text, "0123456789abcdef") == length;
}

static bool find_file(struct cache_path *path, const char *build_id)
{
	if (!is_build_id(build_id) || !find_folder(path->folder))
		return false;
	snprintf(path->file, sizeof(path->file), "%s/%s" ENDING, path->folder, build_id);
	return true;
}

/* --- the files that answers were made from --- */

static void symbol_cache_add_file(char basis[BASIS_BYTES], const char *path)
{
	size_t used = strlen(basis);
	struct stat status;

	if (stat(path, &status))
		snprintf(basis + used, BASIS_BYTES - used, " -");
	else
		snprintf(basis + used, BASIS_BYTES - used, " %lld/%lld.%ld",
			 (long long)status.st_size, (long long)status.st_mtim.tv_sec,
			 status.st_mtim.tv_nsec);
}

static void describe_basis(char basis[BASIS_BYTES], const char *path, const char *build_id,
			   const char *link)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) : 0;
	char debug[PATH_MAX + 64];

	snprintf(basis, BASIS_BYTES, BASIS_METHOD);
	symbol_cache_add_file(basis, path);
	snprintf(debug, sizeof(debug), DEBUG_FOLDER "/.build-id/%.2s/%s.debug", build_id,
		 build_id + 2);
	symbol_cache_add_file(basis, debug);
	if (*link) {
		snprintf(debug, sizeof(debug), "%.*s/%s", folder, path, link);
		symbol_cache_add_file(basis, debug);
		snprintf(debug, sizeof(debug), "%.*s/.debug/%s", folder, path, link);
		symbol_cache_add_file(basis, debug);
		snprintf(debug, sizeof(debug), DEBUG_FOLDER "%.*s/%s", folder, path, link);
		symbol_cache_add_file(basis, debug);
	}
	snprintf(basis + strlen(basis), BASIS_BYTES - strlen(basis), " %.256s",
		 servers ? servers : "");
}

static bool is_complete(const struct object_place *place)
{
	for (size_t i = 0; i < place->frames; i++)
		if (!place->frame[i].function || !place->frame[i].file || !place->frame[i].line)
			return false;
	return place->frames;
}

/* --- reading --- */

/* Returns the whole file, to be freed; NULL if it is not one of ours. */
static uint8_t *symbol_cache_read_whole(const char *path, size_t *ret_length)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	struct stat status;
	uint8_t *bytes = NULL;
	ssize_t done = -1;

	if (file < 0)
		return NULL;
	if (!fstat(file, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	    status.st_size > 0 && status.st_size <= ANSWERS_BYTES_MAX) {
		bytes = memory_zero((size_t)status.st_size, 1);
		done = read(file, bytes, (size_t)status.st_size);
		if (status.st_mtim.tv_sec + USED_S < time(NULL))
			futimens(file, NULL);
	}
	close(file);
	if (done > 0) {
		*ret_length = (size_t)done;
		return bytes;
	}
	free(bytes);
	return NULL;
}

static void take_complete(struct answers *answers, const struct answers *found)
{
	const struct map_entry *entry = NULL;
	struct object_place place;

	/* they come in the order of their hash, see map_reserve() */
	map_reserve(&answers->addresses, answers->addresses.count + found->addresses.count);
	while ((entry = map_next(&found->addresses, entry)))
		if (answers_find(found, entry->key - 1, &place) && is_complete(&place))
			answers_add(answers, entry->key - 1, &place);
}

void symbol_cache_load(struct answers *answers, const char *path, const char *build_id)
{
	char basis[BASIS_BYTES];
	struct cache_path cache;
	struct answers found;
	uint8_t *bytes;
	size_t length;

	if (!find_file(&cache, build_id))
		return;
	bytes = symbol_cache_read_whole(cache.file, &length);
	if (!bytes)
		return;
	answers_init(&found);
	if (answers_read(&found, bytes, length) && !strcmp(found.subject.build_id, build_id) &&
	    !strncmp(found.subject.basis, BASIS_METHOD " ", sizeof(BASIS_METHOD))) {
		describe_basis(basis, path, build_id, found.subject.link);
		if (!strcmp(basis, found.subject.basis)) {
			answers_release(answers);
			*answers = found;
			answers_init(&found);
		} else {
			take_complete(answers, &found);
		}
	}
	answers_release(&found);
	free(bytes);
}

/* --- writing --- */

/* Makes the directories up to this one; existing ones are left as they are. */
static void symbol_cache_make_folder(const char *folder)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", folder);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
}

static void replace_file(const struct cache_path *cache, const uint8_t *bytes, size_t length)
{
	char temporary[PATH_MAX + 32];
	bool done;
	int file;

	snprintf(temporary, sizeof(temporary), "%s/new-XXXXXX", cache->folder);
	file = mkostemp(temporary, O_CLOEXEC); /* readable only for its owner */
	if (file < 0)
		return;
	done = descriptor_write(file, bytes, length);
	if (close(file) || !done || rename(temporary, cache->file))
		unlink(temporary);
}

void symbol_cache_save(const struct answers *answers, const char *path, const char *build_id,
		       const char *link)
{
	char basis[BASIS_BYTES];
	struct cache_path cache;
	uint8_t *bytes;
	size_t length;

	if (!answers->count || !find_file(&cache, build_id))
		return;
	describe_basis(basis, path, build_id, link);
	bytes = answers_write(
		answers,
		&(struct answers_subject){
			.path = path, .build_id = build_id, .link = link, .basis = basis },
		&length);
	if (!bytes)
		return;
	symbol_cache_make_folder(cache.folder);
	replace_file(&cache, bytes, length);
	free(bytes);
	symbol_cache_trim(cache.folder, CACHE_BYTES_MAX);
}

/* --- its size --- */

struct cached {
	char name[NAME_MAX + 1];
	struct timespec used;
	uint64_t bytes;
};

static int compare_cached(const void *a, const void *b)
{
	const struct timespec *left = &((const struct cached *)a)->used;
	const struct timespec *right = &((const struct cached *)b)->used;

	if (left->tv_sec != right->tv_sec)
		return left->tv_sec < right->tv_sec ? -1 : 1;
	return left->tv_nsec < right->tv_nsec ? -1 : left->tv_nsec > right->tv_nsec;
}

static bool symbol_cache_ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text);

	return length > strlen(ending) && !strcmp(text + length - strlen(ending), ending);
}

/* Lists the files of the cache; nothing else in the folder is ours. */
static struct cached *list_folder(DIR *folder, size_t *ret_count, uint64_t *ret_bytes)
{
	struct cached *cached = NULL;
	size_t count = 0, room = 0;
	const struct dirent *entry;
	uint64_t bytes = 0;

	while ((entry = readdir(folder))) {
		bool is_left = !strncmp(entry->d_name, "new-", 4) && strlen(entry->d_name) == 10;
		struct stat status;

		if ((!is_left && !symbol_cache_ends_with(entry->d_name, ENDING)) ||
		    fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(status.st_mode))
			continue;
		if (is_left && status.st_mtim.tv_sec + LEFT_S < time(NULL))
			unlinkat(dirfd(folder), entry->d_name, 0);
		if (is_left)
			continue;
		cached = memory_room(cached, count, &room, sizeof(*cached));
		snprintf(cached[count].name, sizeof(cached[count].name), "%s", entry->d_name);
		cached[count].used = status.st_mtim;
		cached[count++].bytes = (uint64_t)status.st_size;
		bytes += (uint64_t)status.st_size;
	}
	*ret_count = count;
	*ret_bytes = bytes;
	return cached;
}

void symbol_cache_trim(const char *folder, uint64_t bytes_max)
{
	DIR *open_folder = opendir(folder);
	struct cached *cached;
	uint64_t bytes;
	size_t count;

	if (!open_folder)
		return;
	cached = list_folder(open_folder, &count, &bytes);
	if (bytes > bytes_max)
		qsort(cached, count, sizeof(*cached), compare_cached);
	for (size_t i = 0; i < count && bytes > bytes_max; i++) {
		unlinkat(dirfd(open_folder), cached[i].name, 0);
		bytes -= cached[i].bytes;
	}
	free(cached);
	closedir(open_folder);
}

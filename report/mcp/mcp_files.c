/* SPDX-License-Identifier: MIT */
/* A folder is read in the order of its names, so that two lists of the same files are equal. */
#include "report/mcp/mcp_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/format/file.h"
#include "collector/format/error.h"
#include "report/base/confine.h"

#define ENTRIES_MAX 20000u /* of all folders that are looked at */

struct listing {
	const char *folder;
	struct json *json;
	size_t entries, count, left_out, outside;
};

/* evt, or evt.N: a recording that a later one took the name of */
static bool mcp_files_is_recording(const char *name)
{
	const char *end = name + strlen(name);

	while (end > name && end[-1] >= '0' && end[-1] <= '9')
		end--;
	if (*end && end > name && end[-1] == '.')
		end--;
	else
		end = name + strlen(name);
	return end - name > 4 && !strncmp(end - 4, ".evt", 4);
}

static bool read_header(int file, struct file_header *ret_header)
{
	uint8_t head[FILE_HEADER_BYTES_MAX];
	ssize_t got = pread(file, head, sizeof(head), 0);
	size_t length;

	return got > 0 && file_header_read(head, (size_t)got, ret_header, &length) == EVT_OK;
}

static void put_recording(struct listing *listing, const char *path, int file,
			  const struct stat *about)
{
	struct json *json = listing->json;
	struct file_header header;
	char when[32] = "";
	struct tm utc;

	if (gmtime_r(&about->st_mtime, &utc))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
	json_open(json, NULL, '{');
	json_string(json, "path", path);
	json_number(json, "bytes", (uint64_t)about->st_size);
	json_string(json, "written", when);
	if (read_header(file, &header)) {
		json_string(json, "program", header.program);
		json_string(json, "host", header.host);
		json_string(json, "session", header.session);
	} else {
		json_bool(json, "unreadable", true);
	}
	json_close(json, '}');
	listing->count++;
}

static void list_file(struct listing *listing, const char *path)
{
	char full[PATH_MAX];
	struct stat about;
	int file;

	if (snprintf(full, sizeof(full), "%s/%s", listing->folder, path) >= (int)sizeof(full))
		return;
	file = open(full, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file < 0 || !confine_is_file_below(file, listing->folder)) {
		*(file < 0 ? &listing->left_out : &listing->outside) += 1;
	} else if (!fstat(file, &about) && S_ISREG(about.st_mode)) {
		if (listing->count < MCP_FILES_MAX)
			put_recording(listing, path, file, &about);
		else
			listing->left_out++;
	}
	if (file >= 0)
		close(file);
}

static void mcp_list_folder(struct listing *listing, const char *path, unsigned int depth);

static void mcp_list_entry(struct listing *listing, const char *path, const struct dirent *entry,
			   unsigned int depth)
{
	char below[PATH_MAX], full[PATH_MAX];
	struct stat about;

	if (entry->d_name[0] == '.' || listing->entries++ >= ENTRIES_MAX)
		return;
	if (snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", entry->d_name) >=
		    (int)sizeof(below) ||
	    snprintf(full, sizeof(full), "%s/%s", listing->folder, below) >= (int)sizeof(full) ||
	    lstat(full, &about))
		return;
	if (S_ISDIR(about.st_mode)) {
		if (depth < MCP_DEPTH_MAX)
			mcp_list_folder(listing, below, depth + 1);
		else
			listing->left_out++;
	} else if ((S_ISREG(about.st_mode) || S_ISLNK(about.st_mode)) &&
		   mcp_files_is_recording(entry->d_name)) {
		list_file(listing, below);
	}
}

static void mcp_list_folder(struct listing *listing, const char *path, unsigned int depth)
{
	struct dirent **entry = NULL;
	char full[PATH_MAX];
	int count = -1;

	if (snprintf(full, sizeof(full), "%s/%s", listing->folder, path) < (int)sizeof(full))
		count = scandir(full, &entry, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		mcp_list_entry(listing, path, entry[i], depth);
		free(entry[i]);
	}
	free(entry);
}

void mcp_files_list(const char *folder, struct json *json)
{
	struct listing listing = { .folder = folder, .json = json };

	json_open(json, NULL, '{');
	json_open(json, "recordings", '[');
	mcp_list_folder(&listing, "", 0);
	json_close(json, ']');
	if (listing.entries > ENTRIES_MAX)
		listing.left_out += listing.entries - ENTRIES_MAX;
	json_open(json, "left_out", '{');
	json_number(json, "recordings", listing.left_out);
	json_number(json, "links_out_of_the_folder", listing.outside);
	json_close(json, '}');
	json_close(json, '}');
}

static bool has_dots(const char *path)
{
	for (const char *at = path; *at; at += strspn(at, "/")) {
		size_t length = strcspn(at, "/");

		if (length == 2 && at[0] == '.' && at[1] == '.')
			return true;
		at += length;
	}
	return false;
}

char *mcp_files_word(const char *folder, const char *path, char *why, size_t why_bytes)
{
	char full[PATH_MAX], real[PATH_MAX], *word;
	const char *wrong = NULL;
	struct stat about;

	if (!*path)
		wrong = "it is empty";
	else if (path[0] == '/' || has_dots(path))
		wrong = "only paths below the folder of this server are read, without ..";
	else if (snprintf(full, sizeof(full), "%s/%s", folder, path) >= (int)sizeof(full))
		wrong = "it is too long";
	else if (!realpath(full, real))
		wrong = strerror(errno);
	else if (!confine_is_below(real, folder))
		wrong = "it is a link that leads out of the folder of this server";
	else if (stat(real, &about) || !S_ISREG(about.st_mode))
		wrong = "it is no file";
	if (wrong) {
		snprintf(why, why_bytes,
			 "cannot read '%.200s': %s; list_recordings names what there is", path,
			 wrong);
		return NULL;
	}
	word = malloc(strlen(path) + 3);
	if (word)
		sprintf(word, "./%s", path);
	return word;
}

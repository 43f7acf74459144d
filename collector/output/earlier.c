/* SPDX-License-Identifier: MIT */
/* Collects the sessions of a folder in memory. If there is not enough memory, none is removed. */
#include "collector/output/earlier.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/format/file.h"
#include "collector/output/link.h"

#define NUMBER_MAX 1000u
#define GAP_MAX 16u /* the search for numbered files ends after this many free numbers */
#define SESSIONS_MAX 4096u
#define FOLDER_MAX 20000u /* limit for recordings examined in a folder */
#define COUNT_MAX 2000u   /* the same while a program waits for its end */
#define NS_PER_S 1000000000u

struct earlier {
	char session[FILE_SESSION_BYTES];
	uint64_t bytes;     /* size of all its known files */
	uint64_t base_real; /* start of its newest file */
	bool numbered;      /* it has a numbered file */
	/* it never had the name, because another run had it at that time; it is not counted */
	bool apart;
};

struct earlier_list {
	const struct rotation *rotation;
	const char *name; /* name of the output, without its folder */
	char folder[PATH_MAX];
	char at_output[FILE_SESSION_BYTES]; /* session of the file that has the name itself */
	struct earlier *earlier;            /* newest first, after sorting */
	size_t count;
	unsigned int most; /* limit for recordings examined in the folder */
	bool afresh;       /* the next check for processes must be fresh */
};

/* --- names --- */

/* Length of the name without its number. */
static size_t name_length(const char *name)
{
	const char *end = name + strlen(name), *digits = end;

	while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	return *digits && digits > name + 1 && digits[-1] == '.' ? (size_t)(digits - 1 - name)
								 : strlen(name);
}

static bool name_is_recording(const char *name)
{
	size_t length = name_length(name);

	return length > 4 && !strncmp(name + length - 4, ".evt", 4);
}

static size_t name_stem(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && !strcmp(name + length - 4, ".evt") ? length - 4 : length;
}

/*
 * The number at its end, as a writer gives one; 0: none, for example a date that the user has put
 * there.
 */
static unsigned long name_number(const char *name)
{
	const char *digits = name + name_length(name);
	unsigned long number = *digits && digits[1] != '0' ? strtoul(digits + 1, NULL, 10) : 0;

	return number <= NUMBER_MAX ? number : 0;
}

static bool name_is_numbered(const struct earlier_list *list, const char *name)
{
	size_t length = strlen(list->name);

	return name_length(name) == length && name_number(name) &&
	       !strncmp(name, list->name, length);
}

/* "<stem>.<host>.<pid>.<start>", followed by ".evt" or ".<n>.evt" */
static bool name_is_beside(const struct earlier_list *list, const char *name,
			   const struct file_header *header)
{
	char beside[PATH_MAX];
	int length = snprintf(beside, sizeof(beside), "%.*s.%s.%u.%llu.",
			      (int)name_stem(list->name), list->name, header->host, header->pid,
			      (unsigned long long)(header->base_real / NS_PER_S));

	return length > 0 && length < PATH_MAX && !strncmp(name, beside, (size_t)length) &&
	       name_is_recording(name);
}

/*
 * True if a writer, and not the user, has given the file that name. A file with the name of an
 * output itself, such as a rank's run.0.evt, is that output's recording, not an earlier one.
 */
static bool name_is_given(const struct earlier_list *list, const char *name,
			  const struct file_header *header)
{
	return name_is_numbered(list, name) || name_is_beside(list, name, header) ||
	       (name_number(name) && header->name && header->name == file_name_hash(name));
}

/* --- the folder --- */

typedef void take_file(struct earlier_list *list, const char *name, const char *path,
		       const struct file_header *header, uint64_t bytes, void *context);

/* Calls `take` for every recording whose name begins so. Returns false if there are too many. */
static bool folder_each(struct earlier_list *list, const char *begin, size_t length,
			take_file *take, void *context)
{
	DIR *folder = opendir(list->folder);
	unsigned int count = 0;
	struct dirent *entry;

	while (folder && count <= list->most && (entry = readdir(folder))) {
		char path[PATH_MAX];
		struct file_header header;
		uint64_t bytes;

		if (strncmp(entry->d_name, begin, length) != 0 || !name_is_recording(entry->d_name))
			continue;
		count++;
		if (snprintf(path, sizeof(path), "%s/%s", list->folder, entry->d_name) <
			    (int)sizeof(path) &&
		    rotation_read(path, &header, &bytes))
			take(list, entry->d_name, path, &header, bytes, context);
	}
	if (folder)
		closedir(folder);
	return count <= list->most;
}

static struct earlier *list_find(struct earlier_list *list, const char *session)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->earlier[i].session, session))
			return &list->earlier[i];
	}
	if (list->count == SESSIONS_MAX)
		return NULL;
	memset(&list->earlier[list->count], 0, sizeof(*list->earlier));
	memcpy(list->earlier[list->count].session, session, FILE_SESSION_BYTES);
	return &list->earlier[list->count++];
}

static void list_add(struct earlier_list *list, const struct file_header *header, uint64_t bytes,
		     bool numbered)
{
	struct earlier *earlier;

	if (!strcmp(header->session, list->at_output) ||
	    !strcmp(header->session, list->rotation->session))
		return;
	earlier = list_find(list, header->session);
	if (!earlier)
		return;
	earlier->bytes += bytes;
	earlier->numbered |= numbered;
	earlier->apart |= !numbered && (header->flags & FILE_CROWDED_OUT || !header->name);
	if (header->base_real > earlier->base_real)
		earlier->base_real = header->base_real;
}

static void list_add_numbered(struct earlier_list *list)
{
	char path[PATH_MAX];
	struct stat st;

	for (unsigned int number = 1, gap = 0; number <= NUMBER_MAX && gap < GAP_MAX;
	     number++, gap++) {
		struct file_header header;
		uint64_t bytes;

		if (snprintf(path, sizeof(path), "%s.%u", list->rotation->output, number) >=
			    (int)sizeof(path) ||
		    lstat(path, &st))
			continue;
		gap = 0;
		if (rotation_read(path, &header, &bytes))
			list_add(list, &header, bytes, true);
	}
}

static void take_beside(struct earlier_list *list, const char *name, const char *path,
			const struct file_header *header, uint64_t bytes, void *context)
{
	(void)path;
	(void)context;
	if (name_is_beside(list, name, header))
		list_add(list, header, bytes, false);
}

static void list_leave_apart(struct earlier_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->earlier[i].numbered || !list->earlier[i].apart)
			list->earlier[count++] = list->earlier[i];
	}
	list->count = count;
}

/* Newest first; those of the same moment keep their order. */
static void list_sort(struct earlier_list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		struct earlier moved = list->earlier[i];
		size_t at = i;

		for (; at > 0 && list->earlier[at - 1].base_real < moved.base_real; at--)
			list->earlier[at] = list->earlier[at - 1];
		list->earlier[at] = moved;
	}
}

/* --- removal --- */

struct removal {
	const char *session;
	bool may;       /* all its files may be removed */
	uint64_t bytes; /* their size */
};

static void take_look(struct earlier_list *list, const char *name, const char *path,
		      const struct file_header *header, uint64_t bytes, void *context)
{
	struct removal *removal = context;

	if (strcmp(header->session, removal->session) != 0 || !removal->may)
		return;
	removal->bytes += bytes;
	removal->may = name_is_given(list, name, header) &&
		       rotation_is_over(list->rotation, path, list->afresh);
	list->afresh = false;
}

static void take_away(struct earlier_list *list, const char *name, const char *path,
		      const struct file_header *header, uint64_t bytes, void *context)
{
	const struct removal *removal = context;

	(void)name;
	(void)bytes;
	(void)list;
	if (!strcmp(header->session, removal->session))
		(void)unlink(path);
}

/*
 * Removes a session for a recording of `bytes`. Files whose names differ from the output's are
 * weighed here for the first time.
 */
static void session_remove(struct earlier_list *list, const char *session, uint64_t bytes)
{
	struct removal removal = { session, true, 0 };

	if (folder_each(list, "", 0, take_look, &removal) && removal.may &&
	    rotation_outweighs(bytes, removal.bytes))
		(void)folder_each(list, "", 0, take_away, &removal);
}

/*
 * Returns the index of the oldest session, passing over any that is much larger than the one chosen
 * so far; -1 if a recording of `bytes` may displace none.
 */
static int list_choose(const struct earlier *earlier, size_t count, uint64_t bytes)
{
	size_t chosen = count - 1;

	for (size_t i = count; i-- > 0;) {
		if (!rotation_outweighs(earlier[i].bytes, earlier[chosen].bytes))
			chosen = i;
	}
	return rotation_outweighs(bytes, earlier[chosen].bytes) ? (int)chosen : -1;
}

static void list_prune(struct earlier_list *list, uint64_t bytes)
{
	size_t count = list->count, candidates = count;

	while (candidates && count > list->rotation->keep) {
		int chosen = list_choose(list->earlier, candidates, bytes);

		if (chosen < 0)
			return;
		/*
		 * removed, or it may not be removed by us, and then no other is removed in its
		 * place
		 */
		session_remove(list, list->earlier[chosen].session, bytes);
		count--;
		candidates--;
		memmove(&list->earlier[chosen], &list->earlier[chosen + 1],
			(candidates - (size_t)chosen) * sizeof(*list->earlier));
	}
}

void earlier_prune(const struct rotation *rotation, uint64_t bytes)
{
	const char *slash = strrchr(rotation->output, '/');
	struct earlier_list list = {
		.rotation = rotation,
		.name = slash ? slash + 1 : rotation->output,
		.earlier = calloc(SESSIONS_MAX, sizeof(struct earlier)),
		.most = FOLDER_MAX,
		.afresh = true,
	};
	struct file_header header;
	uint64_t size;

	if (!list.earlier)
		return;
	link_folder(rotation->output, list.folder);
	if (rotation_read(rotation->output, &header, &size))
		memcpy(list.at_output, header.session, sizeof(list.at_output));
	list_add_numbered(&list);
	if (folder_each(&list, list.name, name_stem(list.name), take_beside, NULL)) {
		list_leave_apart(&list);
		list_sort(&list);
		list_prune(&list, bytes);
	}
	free(list.earlier);
}

static void take_count(struct earlier_list *list, const char *name, const char *path,
		       const struct file_header *header, uint64_t bytes, void *context)
{
	(void)name;
	(void)path;
	(void)bytes;
	*(unsigned int *)context += !strcmp(header->session, list->rotation->session);
}

unsigned int earlier_count_own(const struct rotation *rotation)
{
	struct earlier_list list = { .rotation = rotation, .most = COUNT_MAX };
	unsigned int count = 0;

	link_folder(rotation->output, list.folder);
	return folder_each(&list, "", 0, take_count, &count) ? count : 0;
}

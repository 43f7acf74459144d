/* SPDX-License-Identifier: MIT */
/* Files of /proc are read in pieces and examined entry by entry. */
#include "preload/life/lineage.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GENERATIONS 64          /* limit for the number of parents examined */
#define FILE_BYTES (512u << 10) /* limit for one file of /proc */
#define PIECE_BYTES 4096u
#define STAT_FIELDS 19 /* fields of /proc/PID/stat, from the parent to the start time */

/* --- one file of /proc, entry by entry --- */

struct entries {
	int fd;
	char separator; /* between entries */
	size_t left;    /* bytes that may still be read */
	size_t at, length;
	char piece[PIECE_BYTES];
	/*
	 * the entry, terminated; only its beginning if it is longer than INTERCEPT_SESSION= and its
	 * value
	 */
	char text[sizeof(((struct lineage *)0)->told) + 16];
};

static char *lineage_number_put(char *at, unsigned long number)
{
	char digits[24];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	while (count)
		*at++ = digits[--count];
	return at;
}

/* "/proc/PID/FILE" */
static bool entries_open(struct entries *entries, long pid, const char *file, char separator)
{
	char path[64] = "/proc/";

	*lineage_number_put(path + strlen(path), (unsigned long)pid) = 0;
	strcat(path, "/");
	strcat(path, file);
	entries->fd = open(path, O_RDONLY | O_CLOEXEC);
	entries->separator = separator;
	entries->left = FILE_BYTES;
	entries->at = entries->length = 0;
	return entries->fd >= 0;
}

static bool entries_fill(struct entries *entries)
{
	ssize_t n = 0;

	if (entries->left >= PIECE_BYTES)
		n = read(entries->fd, entries->piece, PIECE_BYTES);
	if (n <= 0)
		return false;
	entries->left -= (size_t)n;
	entries->at = 0;
	entries->length = (size_t)n;
	return true;
}

/* Reads the next entry into `text`. Returns false at the end. */
static bool entries_next(struct entries *entries)
{
	size_t used = 0;
	bool any = false;

	for (;;) {
		char c;

		if (entries->at == entries->length && !entries_fill(entries))
			break;
		any = true;
		c = entries->piece[entries->at++];
		if (c == entries->separator)
			break;
		if (used + 1 < sizeof(entries->text))
			entries->text[used++] = c;
	}
	entries->text[used] = 0;
	return any;
}

/* --- a process --- */

/* "PID (name) S PPID ... START ..." */
static bool process_stat(long pid, struct entries *entries, long *ret_parent, uint64_t *ret_start)
{
	uint64_t number = 0;
	char *at = NULL;
	int field = 0;

	if (!entries_open(entries, pid, "stat", 0))
		return false;
	if (entries_next(entries))
		at = strrchr(entries->text, ')');
	close(entries->fd);
	if (!at || at[1] != ' ' || !at[2] || at[3] != ' ')
		return false;
	for (at += 4; *at && field < STAT_FIELDS; at++) {
		if (*at >= '0' && *at <= '9') {
			number = number * 10 + (uint64_t)(*at - '0');
		} else if (*at == ' ') {
			if (field == 0)
				*ret_parent = (long)number;
			field++;
			*ret_start = number;
			number = 0;
		}
	}
	return field == STAT_FIELDS;
}

enum membership {
	MEMBER_NOT,
	MEMBER_WITHOUT_SESSION, /* started with us preloaded, but was given no session */
	MEMBER_TOLD,            /* ret_told has the session it was given */
};

/* Decides by the environment that the process was started with. */
static enum membership process_membership(long pid, const char *library, struct entries *entries,
					  char *ret_told)
{
	static const char session[] = "INTERCEPT_SESSION=", preload[] = "LD_PRELOAD=";
	enum membership membership = MEMBER_NOT;

	if (!entries_open(entries, pid, "environ", 0))
		return MEMBER_NOT;
	while (membership != MEMBER_TOLD && entries_next(entries)) {
		if (!strncmp(entries->text, preload, sizeof(preload) - 1) &&
		    strstr(entries->text, library)) {
			membership = MEMBER_WITHOUT_SESSION;
		} else if (!strncmp(entries->text, session, sizeof(session) - 1)) {
			strcpy(ret_told, entries->text + sizeof(session) - 1);
			membership = MEMBER_TOLD;
		}
	}
	close(entries->fd);
	return membership;
}

static bool process_maps(long pid, const char *library, struct entries *entries)
{
	size_t length = strlen(library);
	bool maps = false;

	if (!entries_open(entries, pid, "maps", '\n'))
		return true; /* unknown: assumed to be like most processes */
	while (!maps && entries_next(entries)) {
		size_t end = strlen(entries->text);

		maps = end > length && !strcmp(entries->text + end - length, library) &&
		       entries->text[end - length - 1] == '/';
	}
	close(entries->fd);
	return maps;
}

/* --- the chain --- */

static void lineage_origin_read(struct session_origin *origin)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	memset(origin, 0, sizeof(*origin));
	if (fd >= 0) {
		n = read(fd, origin->boot, sizeof(origin->boot) - 1);
		origin->boot[n > 0 ? n : 0] = 0;
		close(fd);
	}
	if (stat("/proc/self/ns/pid", &st) == 0)
		origin->namespace_inode = st.st_ino;
}

/* This process's number in /proc, which may differ from getpid(). */
static long self_number(void)
{
	char text[24];
	ssize_t n = readlink("/proc/self", text, sizeof(text) - 1);
	long number = 0;

	for (ssize_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		number = number * 10 + (text[i] - '0');
	return number;
}

void lineage_find(const char *library, struct lineage *ret_lineage)
{
	struct session_origin origin;
	struct entries entries;
	long pid = self_number(), parent = 0;
	uint64_t start = 0;

	memset(ret_lineage, 0, sizeof(*ret_lineage));
	ret_lineage->own = true;
	ret_lineage->pid = pid;
	if (!pid || !process_stat(pid, &entries, &parent, &start))
		return;
	lineage_origin_read(&origin);
	for (int i = 0; i < GENERATIONS; i++) {
		enum membership membership;

		ret_lineage->pid = pid;
		origin.pid = (uint64_t)pid;
		origin.start_ticks = start;
		pid = parent;
		if (!pid)
			break;
		membership = process_membership(pid, library, &entries, ret_lineage->told);
		if (membership != MEMBER_WITHOUT_SESSION ||
		    !process_stat(pid, &entries, &parent, &start))
			break;
		ret_lineage->own = false;
	}
	session_id_make(ret_lineage->id, &origin);
	ret_lineage->aware = ret_lineage->own || process_maps(ret_lineage->pid, library, &entries);
}

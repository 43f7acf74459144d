/* SPDX-License-Identifier: MIT */
/*
 * Reads the environment of every process, which costs some 10 us each. Done only when a file is
 * about to be moved or removed.
 */
#include "collector/processes/living.h"

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/format/file.h"
#include "collector/processes/proc.h"
#include "collector/region/session_id.h"

#define ENVIRON_BYTES (256u << 10)
#define LIVING_MAX 256u

static struct living {
	bool known;
	bool overflow; /* more sessions than LIVING_MAX: any session may be alive */
	size_t count;
	char id[LIVING_MAX][FILE_SESSION_BYTES];
} living;

static void living_add(const char *id, size_t length)
{
	if (!length || length >= FILE_SESSION_BYTES)
		return;
	for (size_t i = 0; i < living.count; i++) {
		if (!strncmp(living.id[i], id, length) && !living.id[i][length])
			return;
	}
	if (living.count == LIVING_MAX) {
		living.overflow = true;
		return;
	}
	memcpy(living.id[living.count], id, length);
	living.id[living.count++][length] = 0;
}

/*
 * Finds the session of a process from the environment it was started with, else the session that it
 * has begun. `pid` is its name in /proc, in whatever namespace: sessions are named by these numbers
 * too.
 */
static void living_look(struct session_origin *origin, uint32_t pid, char *bytes)
{
	static const char session[] = "INTERCEPT_SESSION=", preload[] = "LD_PRELOAD=";
	char path[PROC_PATH_BYTES], id[SESSION_ID_BYTES];
	bool preloaded = false;
	struct proc_stat stat;
	size_t length;

	snprintf(path, sizeof(path), "/proc/%u/environ", pid);
	length = proc_read_file(path, bytes, ENVIRON_BYTES - 1);
	bytes[length] = 0;
	for (const char *at = bytes; at < bytes + length; at += strlen(at) + 1) {
		if (!strncmp(at, session, sizeof(session) - 1)) {
			at += sizeof(session) - 1;
			living_add(at, strcspn(at, ":"));
			return;
		}
		preloaded |= !strncmp(at, preload, sizeof(preload) - 1);
	}
	if (!preloaded || !proc_stat_numbered(pid, &stat))
		return;
	origin->pid = pid;
	origin->start_ticks = stat.start_ticks;
	session_id_make(id, origin);
	living_add(id, strlen(id));
}

static void living_origin_read(struct session_origin *origin)
{
	struct stat st;

	*origin = (struct session_origin){ 0 };
	proc_read_file("/proc/sys/kernel/random/boot_id", origin->boot, sizeof(origin->boot) - 1);
	if (stat("/proc/self/ns/pid", &st) == 0)
		origin->namespace_inode = st.st_ino;
}

static void living_read(void)
{
	char *bytes = malloc(ENVIRON_BYTES);
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	struct session_origin origin;

	living.known = true;
	living.overflow = false;
	living.count = 0;
	living_origin_read(&origin);
	while (bytes && proc && (entry = readdir(proc))) {
		uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (pid)
			living_look(&origin, pid, bytes);
	}
	if (proc)
		closedir(proc);
	free(bytes);
}

bool living_has(const char *session, bool afresh)
{
	if (!living.known || afresh)
		living_read();
	for (size_t i = 0; i < living.count; i++) {
		if (!strcmp(living.id[i], session))
			return true;
	}
	return living.overflow;
}

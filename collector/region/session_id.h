/* SPDX-License-Identifier: MIT */
/*
 * The id of a session is derived from the process that begins it, so that it can be derived again
 * from that process: for a child without INTERCEPT_SESSION (preload/life/lineage.c), and for a
 * collector that has to know whether a session still has a process (collector/processes/living.c).
 */
#ifndef COLLECTOR_REGION_SESSION_ID_H
#define COLLECTOR_REGION_SESSION_ID_H

#include <stddef.h>
#include <stdint.h>

#define SESSION_ID_BYTES 17u /* 16 hexadecimal digits and the terminator */
#define SESSION_BOOT_BYTES 37u

/*
 * Identifies a process on a machine. Its pid alone may be used again later, and in another pid
 * namespace even now.
 */
struct session_origin {
	char boot[SESSION_BOOT_BYTES]; /* /proc/sys/kernel/random/boot_id, or "" */
	uint64_t namespace_inode;      /* inode of /proc/self/ns/pid, or 0 */
	uint64_t pid;                  /* its number in /proc */
	uint64_t start_ticks;          /* /proc/PID/stat: since boot */
};

/* FNV-1a. */
static inline uint64_t session_hash(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = (const unsigned char *)bytes;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * 0x100000001b3u;
	return hash;
}

#define SESSION_HASH_START 0xcbf29ce484222325u

static inline void session_id_write(char *ret_id, uint64_t number)
{
	for (unsigned int i = 0; i < 16; i++)
		ret_id[i] = "0123456789abcdef"[number >> (60 - 4 * i) & 15];
	ret_id[16] = 0;
}

static inline void session_id_make(char *ret_id, const struct session_origin *origin)
{
	uint64_t hash = SESSION_HASH_START;

	for (size_t i = 0; i < SESSION_BOOT_BYTES && origin->boot[i]; i++)
		hash = session_hash(hash, &origin->boot[i], 1);
	hash = session_hash(hash, &origin->namespace_inode, sizeof(origin->namespace_inode));
	hash = session_hash(hash, &origin->pid, sizeof(origin->pid));
	hash = session_hash(hash, &origin->start_ticks, sizeof(origin->start_ticks));
	session_id_write(ret_id, hash);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The word that a thread waits for may be any futex. So each field of the struct must have a value
 * that a locked mutex can have, and the owner must be a thread of the process.
 */
#include "collector/samples/mutex.h"

#include <string.h>
#include <unistd.h>

#include "collector/processes/proc.h"

#define IS_CONTENDED 2u
#define KIND_MASK 0x3ffu   /* type, robust, priority, shared, elision */
#define USERS_MAX 65536u   /* threads that hold it or wait for it */
#define TID_MAX (1u << 22) /* PID_MAX_LIMIT of Linux */

/* glibc's struct __pthread_mutex_s on x86-64; its layout is part of the ABI. */
struct words {
	uint32_t lock, count, owner, users, kind;
};

uint32_t mutex_owner_of(const uint8_t bytes[MUTEX_BYTES])
{
	struct words words;

	memcpy(&words, bytes, sizeof(words));
	if (words.lock != IS_CONTENDED || !words.users || words.users > USERS_MAX ||
	    (words.kind & ~KIND_MASK) || words.owner >= TID_MAX)
		return 0;
	return words.owner;
}

uint32_t mutex_owner(struct memory *memory, uint32_t pid, uint64_t address)
{
	uint8_t bytes[MUTEX_BYTES];
	char path[PROC_PATH_BYTES];
	uint32_t owner;

	if (!address || memory_copy(memory, address, bytes, sizeof(bytes)) != sizeof(bytes))
		return 0;
	owner = mutex_owner_of(bytes);
	if (!owner)
		return 0;
	proc_thread_path(pid, owner, "schedstat", path, sizeof(path));
	return access(path, F_OK) == 0 ? owner : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Calls process_vm_readv() and process_vm_writev() on our own pid. Before the first use it checks
 * that no seccomp filter would kill us for the call, and tries to read one known word.
 */
#include "preload/base/own_memory.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/base/seccomp.h"

bool own_memory_read(uint64_t address, void *to, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { (void *)(uintptr_t)address, bytes };

	return syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1, &remote, 1, 0) ==
	       (long)bytes;
}

bool own_memory_write(uint64_t address, const void *from, size_t bytes)
{
	struct iovec local = { (void *)(uintptr_t)from, bytes };
	struct iovec remote = { (void *)(uintptr_t)address, bytes };

	return !seccomp_kills(SYS_process_vm_writev) &&
	       syscall(SYS_process_vm_writev, syscall(SYS_getpid), &local, 1, &remote, 1, 0) ==
		       (long)bytes;
}

/* A seccomp filter may kill the caller of this system call, so it is asked first. */
bool own_memory_is_readable(void)
{
	static const uint64_t probe = 1;
	uint64_t word = 0;

	return !seccomp_kills(SYS_process_vm_readv) &&
	       own_memory_read((uint64_t)(uintptr_t)&probe, &word, sizeof(word)) && word == probe;
}

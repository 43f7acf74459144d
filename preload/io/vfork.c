/* SPDX-License-Identifier: MIT */
/*
 * vfork(): the child runs in its parent's memory and on its stack until it calls exec or _exit. The
 * descriptors that it changes are its own, but the ring and the table of descriptors are its
 * parent's. So hooks must know that they run in such a child. A function in C cannot call vfork()
 * on behalf of its caller, because the child would return into its frame and destroy it. So this
 * one marks the thread and jumps to the original, which returns to the caller.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/arch/arch.h"
#include "collector/arch/jumps.h"
#include "preload/io/io.h"

/*
 * The original to which vfork() below jumps. If there is none, makes the fork system call directly.
 */
static pid_t fork_instead(void)
{
	return (pid_t)ARCH_FORK();
}

typedef pid_t vfork_function(void);
__attribute__((used, visibility("hidden"))) vfork_function *io_vfork_begins(void);

vfork_function *io_vfork_begins(void)
{
	int saved = errno;

	if (!hook_real.vfork && (!hook_resolve() || !hook_real.vfork))
		return fork_instead;
	io_has_vforked = true;
	errno = saved;
	return hook_real.vfork;
}

ARCH_JUMP_VFORK(io_vfork_begins);

/* SPDX-License-Identifier: MIT */
/*
 * fclose() of standard error: the last moment at which trouble can be said in a program that ends as all of
 * coreutils do. The original does the work.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "preload/hook/hook.h"
#include "preload/record/trouble.h"

HOOK_EXPORT int fclose(FILE *stream)
{
	if (stream && fileno_unlocked(stream) == STDERR_FILENO)
		trouble_look_last();
	if (hook_resolve() && hook_real.fclose)
		return hook_real.fclose(stream);
	errno = EBADF;
	return EOF;
}

/* SPDX-License-Identifier: MIT */
/*
 * Programs built with -fsanitize=address whose runtime is a shared library (gcc's): it refuses to start
 * when another library comes before it, which every preloaded one does. It asks this function for its
 * defaults first; ASAN_OPTIONS, and a function of this name in the program, come before ours.
 *
 * Called before any constructor: nothing but the text.
 */
#include "preload/hook/hook.h"

const char *__asan_default_options(void);

HOOK_EXPORT const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}

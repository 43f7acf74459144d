/* SPDX-License-Identifier: MIT */
/*
 * For programs built with -fsanitize=address whose runtime is a shared library (gcc's). The runtime
 * refuses to start if another library is loaded before it, as every preloaded library is. It first
 * asks this function for default options. ASAN_OPTIONS, and a function of this name in the program,
 * take precedence over ours.
 *
 * It is called before any constructor, so it only returns the text.
 */
#include "preload/hook/hook.h"

const char *__asan_default_options(void);

HOOK_EXPORT const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}

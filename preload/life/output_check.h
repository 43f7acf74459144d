/* SPDX-License-Identifier: MIT */
/*
 * Whether there is any hope for a file at that path, asked before a collector is started so that the answer
 * can be said at once. The collector decides: what is doubtful here passes.
 */
#ifndef PRELOAD_LIFE_OUTPUT_CHECK_H
#define PRELOAD_LIFE_OUTPUT_CHECK_H

/* NULL, or why nothing can be written to `path` (absolute): a sentence, or "" when errno says it. */
const char *output_check(const char *path);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Whether a file can be created at that path, asked before a collector is started, so that the
 * answer can be printed at once. The collector has the last word: a doubtful path passes here.
 */
#ifndef PRELOAD_LIFE_OUTPUT_CHECK_H
#define PRELOAD_LIFE_OUTPUT_CHECK_H

/*
 * Returns NULL, or why nothing can be written to `path` (absolute): a sentence, or "" if errno says
 * why.
 */
const char *output_check(const char *path);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Removes what the user wants left out (INTERCEPT_REDACT) before it comes to the file. `redact` is
 * 1 << enum region_redact, as view.redact has it. Nothing is kept here.
 */
#ifndef COLLECTOR_REDACT_H
#define COLLECTOR_REDACT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Changes a command line, words with spaces between, in place; returns its length. Of args the base name
 * of the first word stays; of paths, in each word and in what follows its = : , and quotes, the base name.
 */
size_t redact_command(uint32_t redact, char *text, size_t length);

/* The path, or its base name; *length is that of the result. */
const char *redact_path(uint32_t redact, const char *path, size_t *length);

/*
 * Replaces a host's name by one that tells hosts of a session apart and does not lead back to it:
 * "redacted-" and 8 hex digits of a hash of the name, the session and the kernel's random id of this boot.
 * `session` may lack its end, as in the region's header.
 */
void redact_host(uint32_t redact, char *host, size_t room, const char *session);

#define REDACT_TEXT_BYTES 64u

/* "args,host", or "" */
void redact_text(uint32_t redact, char text[REDACT_TEXT_BYTES]);

#endif

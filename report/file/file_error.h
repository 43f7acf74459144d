/* SPDX-License-Identifier: MIT */
/* Why a whole file cannot be read, as the rest of a sentence that begins with its name. */
#ifndef REPORT_FILE_FILE_ERROR_H
#define REPORT_FILE_FILE_ERROR_H

#include <stddef.h>

#define FILE_ERROR_BYTES 160u

/* `error_number` is used for EVT_IO only. */
void file_error_describe(int error, int error_number, char *text, size_t room);

#endif

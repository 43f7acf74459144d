/* SPDX-License-Identifier: MIT */
/* What processes told of their environment: see environment.h. */
#include "report/advice/environment.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

void environment_release(struct environment *environment)
{
	free(environment->row);
}

void environment_add(struct environment *environment, const struct environment_row *row)
{
	if (environment->count >= ENVIRONMENT_MAX)
		return;
	environment->row = memory_room(environment->row, environment->count, &environment->room,
				       sizeof(*environment->row));
	environment->row[environment->count++] = *row;
}

const struct environment_row *environment_find(const struct environment *environment,
					       uint32_t process, const char *key)
{
	for (size_t i = environment->count; i > 0; i--) {
		const struct environment_row *row = &environment->row[i - 1];

		if (row->process == process && row->key->text && !strcmp(row->key->text, key))
			return row;
	}
	return NULL;
}

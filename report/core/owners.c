/* SPDX-License-Identifier: MIT */
/* Keeps a state for each kind of families.def and asks the kinds one after the other. */
#include "report/core/owners.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/scopes/nest.h"

static const struct owner_kind *const kinds[] = {
#define OWNER_KIND(name) &owner_kind_##name,
#include "report/families.def"
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct owners {
	void *state[KINDS];
};

struct owners *owners_new(void)
{
	struct owners *owners = memory_zero(1, sizeof(*owners));

	for (size_t i = 0; i < KINDS; i++) {
		owners->state[i] = memory_zero(1, kinds[i]->state_bytes);
		kinds[i]->init(owners->state[i]);
	}
	return owners;
}

void owners_free(struct owners *owners)
{
	for (size_t i = 0; owners && i < KINDS; i++) {
		kinds[i]->release(owners->state[i]);
		free(owners->state[i]);
	}
	free(owners);
}

void owners_take(struct owners *owners, struct source *source, const struct source_event *event)
{
	for (size_t i = 0; i < KINDS; i++)
		kinds[i]->take(owners->state[i], source, event);
}

void owners_cut(struct owners *owners, uint32_t thread)
{
	for (size_t i = 0; i < KINDS; i++)
		kinds[i]->cut(owners->state[i], thread);
}

uint32_t owners_of(const struct owners *owners, uint32_t thread)
{
	uint32_t owner = NEST_NONE;

	for (size_t i = 0; i < KINDS && owner == NEST_NONE; i++)
		owner = kinds[i]->owner(owners->state[i], thread);
	return owner;
}

/* SPDX-License-Identifier: MIT */
/* Makes each name when it is first asked for, and keeps it. */
#include "report/cuda/kernel_names.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/symbol.h"

void kernel_names_init(struct kernel_names *names, const struct source *source,
		       enum kernel_form form)
{
	*names = (struct kernel_names){ .source = source, .form = form };
	names->name = memory_zero(source_name_count(source), sizeof(*names->name));
}

void kernel_names_release(struct kernel_names *names)
{
	demangler_release(&names->demangler);
	free(names->name);
}

const struct kernel_name *kernel_name_of(struct kernel_names *names, uint64_t index)
{
	struct kernel_name *name = &names->name[index];
	const struct source_name *recorded = source_name_at(names->source, index);

	if (name->text)
		return name;
	if (recorded->text && names->form != NAMES_MANGLED)
		name->text = demangle(&names->demangler, recorded->text, recorded->length,
				      names->form == NAMES_FULL);
	if (name->text) {
		name->length = strlen(name->text);
		if (names->form == NAMES_SHORT)
			name->text = symbol_base(name->text, name->length, &name->length);
		return name;
	}
	name->text = source_name_text(recorded);
	name->length = recorded->text ? recorded->length : strlen(name->text);
	return name;
}

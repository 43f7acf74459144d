/* SPDX-License-Identifier: MIT */
/*
 * Uses libiberty in the form that hands out its text piece by piece, so that demangling can be
 * aborted when a name grows beyond its bound.
 *
 * The return type of a template function is removed from the tree that libiberty makes of the name.
 * libiberty's option DMGL_RET_DROP would remove those of all function types, in template arguments
 * too: S<void (int)> and S<char (int)> would become one name.
 */
#include "report/base/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define INPUT_PLAIN 1024u     /* libiberty demangles no longer name while it limits its recursion */
#define SPINE_DEEP 256        /* limit for nested names whose return types are removed */
#define STACK_MIN (8ul << 20) /* a name of DEMANGLE_INPUT_MAX takes less than half of it */

struct demangling {
	char input[DEMANGLE_INPUT_MAX + 1], output[DEMANGLE_OUTPUT_MAX];
	size_t used;
	jmp_buf too_long;
};

void demangler_release(struct demangler *demangler)
{
	text_store_release(&demangler->texts);
}

static void demangling_collect(const char *text, size_t length, void *opaque)
{
	struct demangling *demangling = opaque;

	if (!length)
		return; /* Rust's demangler passes no text in this case */
	if (length > sizeof(demangling->output) - demangling->used)
		longjmp(demangling->too_long, 1);
	memcpy(demangling->output + demangling->used, text, length);
	demangling->used += length;
}

/* True if names that are long, and may be deeply nested, fit on the stack. */
static bool stack_is_large(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur >= STACK_MIN;
}

/*
 * Rust's names begin with _R. Older ones look like C++ names whose last part is a hash:
 * 17h0123456789abcdefE.
 */
bool demangle_is_rust(const char *name, size_t length)
{
	if (length < 2 || name[0] != '_')
		return false;
	return name[1] == 'R' || (length > 20 && name[1] == 'Z' && name[length - 1] == 'E' &&
				  !memcmp(name + length - 20, "17h", 3) &&
				  strspn(name + length - 17, "0123456789abcdef") == 16);
}

/*
 * Removes the return types of the function and of the functions that it is local to. Its template
 * arguments keep theirs.
 */
static void drop_return_types(struct demangle_component *name)
{
	for (unsigned int deep = 0; name && deep < SPINE_DEEP; deep++) {
		switch (name->type) {
		case DEMANGLE_COMPONENT_TYPED_NAME:
			if (name->u.s_binary.right &&
			    name->u.s_binary.right->type == DEMANGLE_COMPONENT_FUNCTION_TYPE)
				name->u.s_binary.right->u.s_binary.left = NULL;
			break;
		case DEMANGLE_COMPONENT_QUAL_NAME:
		case DEMANGLE_COMPONENT_LOCAL_NAME:
		case DEMANGLE_COMPONENT_TEMPLATE:
		case DEMANGLE_COMPONENT_CLONE:
		case DEMANGLE_COMPONENT_TAGGED_NAME:
		case DEMANGLE_COMPONENT_CONST_THIS:
		case DEMANGLE_COMPONENT_VOLATILE_THIS:
		case DEMANGLE_COMPONENT_RESTRICT_THIS:
		case DEMANGLE_COMPONENT_REFERENCE_THIS:
		case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
		case DEMANGLE_COMPONENT_GUARD:
		case DEMANGLE_COMPONENT_REFTEMP:
		case DEMANGLE_COMPONENT_THUNK:
		case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
		case DEMANGLE_COMPONENT_COVARIANT_THUNK:
			break;
		default:
			return;
		}
		name = name->u.s_binary.left;
	}
}

static bool demangling_run_cplus(struct demangling *demangling, int options, bool is_whole)
{
	void *volatile memory = NULL; /* volatile because of the longjmp() */
	struct demangle_component *name;
	void *made = NULL;
	bool done = false;

	name = cplus_demangle_v3_components(demangling->input, options, &made);
	memory = made;
	/* for names that can be read in two ways, the second reading is only in this form */
	if (!name)
		return cplus_demangle_v3_callback(demangling->input, options, demangling_collect,
						  demangling);
	if (!is_whole)
		drop_return_types(name);
	if (!setjmp(demangling->too_long))
		done = cplus_demangle_print_callback(options, name, demangling_collect, demangling);
	free(memory);
	return done;
}

/* Returns false if it is no mangled name, or one that is too long. */
static bool demangling_run(struct demangling *demangling, size_t length, int options, bool is_whole)
{
	demangling->used = 0;
	if (setjmp(demangling->too_long))
		return false;
	if (demangle_is_rust(demangling->input, length) &&
	    rust_demangle_callback(demangling->input, options & DMGL_NO_RECURSE_LIMIT,
				   demangling_collect, demangling))
		return true;
	demangling->used = 0;
	return demangling_run_cplus(demangling, options, is_whole);
}

/* Converts gfortran's __MODULE_MOD_PROCEDURE to MODULE::PROCEDURE; NULL if it is no such name. */
static const char *demangle_fortran(struct demangler *demangler, const char *name, size_t length)
{
	const char *middle = length > 7 && !memcmp(name, "__", 2)
				     ? memmem(name + 3, length - 3, "_MOD_", 5)
				     : NULL;
	const char *procedure = middle ? middle + 5 : NULL;

	if (!procedure || procedure == name + length || *procedure == '_' ||
	    memchr(name, '\0', length) || length > DEMANGLE_INPUT_MAX)
		return NULL;
	demangler->output += 2 * length;
	return text_store_format(&demangler->texts, "%.*s::%.*s", (int)(middle - name - 2),
				 name + 2, (int)(name + length - procedure), procedure);
}

static const char *demangle_as(struct demangler *demangler, const char *name, size_t length,
			       int options, bool is_whole)
{
	static struct demangling demangling; /* static because it is large; there is one thread */
	bool done;

	if (length < 3 || demangler->output >= DEMANGLE_OUTPUT_ALL)
		return NULL;
	if (!memcmp(name, "__", 2))
		return demangle_fortran(demangler, name, length);
	if (length > DEMANGLE_INPUT_MAX || memchr(name, '\0', length) ||
	    (memcmp(name, "_Z", 2) != 0 && memcmp(name, "_R", 2) != 0))
		return NULL;
	if (length > INPUT_PLAIN) {
		if (!stack_is_large())
			return NULL;
		options |= DMGL_NO_RECURSE_LIMIT;
	}
	memcpy(demangling.input, name, length);
	demangling.input[length] = '\0';
	done = demangling_run(&demangling, length, options, is_whole);
	demangler->output += demangling.used + length;
	return done ? text_store_put(&demangler->texts, demangling.output, demangling.used) : NULL;
}

const char *demangle(struct demangler *demangler, const char *name, size_t length,
		     bool with_parameters)
{
	return demangle_as(demangler, name, length, DMGL_ANSI | (with_parameters ? DMGL_PARAMS : 0),
			   false);
}

const char *demangle_whole(struct demangler *demangler, const char *name, size_t length)
{
	return demangle_as(demangler, name, length, DMGL_ANSI | DMGL_PARAMS, true);
}

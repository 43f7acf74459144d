/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/base/demangle.c, report/base/symbol.c: kernels' names, and names that were made to do
 * harm.
 */
#include <stdio.h>
#include <time.h>

#include "tests/unit/unit.h"
#include "report/base/demangle.h"
#include "report/base/symbol.h"

#define ADD                                                                   \
	"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_" \
	"addIfEEN3std5arrayIPcLm3EEEEEviT0_T1_"

TEST(names_are_those_of_the_source)
{
	struct demangler d = { 0 };

	assert_string_equal(
		demangle(&d, ADD, strlen(ADD), true),
		"at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
		"std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, "
		"std::array<char*, 3ul>)");
	assert_string_equal(
		demangle(&d, ADD, strlen(ADD), false),
		"at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
		"std::array<char*, 3ul> >");
	assert_string_equal(demangle(&d, "_RINvNtC3std3mem8align_ofdE", 27, true),
			    "std::mem::align_of::<f64>");
	assert_string_equal(
		demangle(&d, "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", 48, true),
		"core::fmt::Write::write_fmt");
	assert_string_equal(
		demangle(&d, "_ZN1r5inner14Thing$LT$T$GT$4grow17hdec0d66c82b41f22E", 52, false),
		"r::inner::Thing<T>::grow");
	assert_string_equal(demangle(&d, "__shapes_MOD_grow", 17, true), "shapes::grow");
	assert_null(demangle(&d, "__shapes_MOD___vtab", 19, true));
	assert_null(demangle(&d, "__shapes_MOD_", 13, true));
	assert_null(demangle(&d, "___MOD_x", 8, true));
	assert_null(demangle(&d, "__libc_start_main", 17, true));
	assert_null(demangle(&d, "_R", 2, true));
	assert_null(demangle(&d, "_Rnonsense", 10, true));
	assert_null(demangle(&d, "triton_poi_fused_0", 18, true));
	assert_null(demangle(&d, "_Znonsense", 10, true));
	assert_null(demangle(&d, "_Z", 2, true));
	assert_null(demangle(&d, "", 0, true));
	assert_null(demangle(&d, "_Z1f\0v", 6, true));
	demangler_release(&d);
}

/* As other profilers show kernels: with what only template functions have in their names. */
TEST(whole_names_keep_their_return_type)
{
	static const char *const names[][2] = {
		{ "_Z3tplIiEPvv", "void* tpl<int>()" },
		{ "_Z6returnIiEPFivET_", "int (*return<int>(int))()" },
		{ "_Z5smallPf", "small(float*)" },
	};
	struct demangler d = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(demangle_whole(&d, names[i][0], strlen(names[i][0])),
				    names[i][1]);
	assert_true(!strncmp(demangle_whole(&d, ADD, strlen(ADD)),
			     "void at::native::vectorized_elementwise_kernel<4, ", 50));
	assert_null(demangle_whole(&d, "triton_poi_fused_0", 18));
	demangler_release(&d);
}

/* What libiberty's own option would take out of the arguments, too. */
TEST(only_the_function_loses_its_return_type)
{
	static const struct {
		const char *mangled, *plain, *full;
	} names[] = {
		{ "_ZN1SIFdlEE4makeEi", "S<double (long)>::make", "S<double (long)>::make(int)" },
		{ "_ZN1SIFvlEE4makeEi", "S<void (long)>::make", "S<void (long)>::make(int)" },
		{ "_Z3tplIiEPvv", "tpl<int>", "tpl<int>()" },
		{ "_Z3tplIFPviEEPvT_", "tpl<void* (int)>", "tpl<void* (int)>(void* (int))" },
		{ "_Z5localIiEPvT_PFivE", "local<int>", "local<int>(int, int (*)())" },
		{ "_Z6returnIiEPFivET_", "return<int>", "return<int>(int)" },
		{ "_ZZ3tplIiEPvT_ENKUlcE_clEc", "tpl<int>(int)::{lambda(char)#1}::operator()",
		  "tpl<int>(int)::{lambda(char)#1}::operator()(char) const" },
		{ "_ZNKSt8functionIFbPKcEEclES1_", "std::function<bool (char const*)>::operator()",
		  "std::function<bool (char const*)>::operator()(char const*) const" },
		{ "_ZN1A3fooB5cxx11IiEEvv", "A::foo[abi:cxx11]<int>", "A::foo[abi:cxx11]<int>()" },
	};
	struct demangler d = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *mangled = names[i].mangled;

		assert_string_equal(demangle(&d, mangled, strlen(mangled), false), names[i].plain);
		assert_string_equal(demangle(&d, mangled, strlen(mangled), true), names[i].full);
	}
	demangler_release(&d);
}

static const char *base_of(const char *name)
{
	static char text[256];
	size_t length;
	const char *base = symbol_base(name, strlen(name), &length);

	snprintf(text, sizeof(text), "%.*s", (int)length, base);
	return text;
}

static const char *compact_of(const char *name)
{
	static char text[1024];

	symbol_compact(text, name, strlen(name));
	return text;
}

static const char *brief_of(const char *name)
{
	static char text[1024];

	size_t length = symbol_brief(text, name, strlen(name));

	assert_int_equal(length, strlen(text));
	return text;
}

TEST(a_brief_name_has_the_class_that_distinguishes_it)
{
	assert_string_equal(brief_of("cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>"
				     "(cutlass_80_simt_sgemm_256x128_8x4_nn_align1::Params)"),
			    "Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>");
	assert_string_equal(
		brief_of("at::native::vectorized_elementwise_kernel<4, "
			 "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)"),
		"vectorized_elementwise_kernel<CUDAFunctor_add>");
	assert_string_equal(brief_of("f<float, c10::BFloat16, 4, true>(int)"), "f");
	assert_string_equal(brief_of("f<g<h>, k>"), "f<g>");
	assert_string_equal(brief_of("a::f<float, g>::k"), "k");
	assert_string_equal(brief_of("nvjet_sm90_tst_320x128_NTT"), "nvjet_sm90_tst_320x128_NTT");
	assert_string_equal(brief_of("f<"), "f");
	assert_string_equal(brief_of(""), "");
}

TEST(parts_of_names_are_found_by_their_brackets)
{
	assert_string_equal(base_of("at::native::f<4, a::b<float> >"), "f");
	assert_string_equal(base_of("(anonymous namespace)::g"), "g");
	assert_string_equal(base_of("a<b::c>::d<e>"), "d");
	assert_string_equal(base_of("plain"), "plain");
	assert_string_equal(base_of("a::operator< <int>"), "operator<");
	assert_string_equal(base_of("a::operator()<int>"), "operator()");
	assert_string_equal(base_of("a<(b)->c, d::e>::f"), "f");
	assert_string_equal(base_of(""), "");
	assert_string_equal(base_of("<"), "<");
	assert_string_equal(base_of("a::"), "a::");
	assert_string_equal(compact_of("at::native::f<4, std::array<char*, 3ul> >(int, a::b)"),
			    "f<4, array<char*, 3ul> >");
	assert_string_equal(compact_of("(anonymous namespace)::g((anonymous namespace)::t)"), "g");
	assert_string_equal(compact_of("a<b::c>::d(int) const"), "a<c>::d");
	assert_string_equal(compact_of("operator()(int)"), "operator()");
	assert_string_equal(compact_of("::x"), "::x");
	assert_string_equal(compact_of("(x)"), "(x)");
	assert_string_equal(compact_of(")"), ")");
	assert_string_equal(compact_of("((("), "(((");
}

static const char *shortened_of(const char *name, size_t width)
{
	static char text[1024];

	symbol_shorten(text, name, strlen(name), width, "..");
	return text;
}

/* Of tokenizers, polars, ruff, std, libstdc++ and PyTorch, as their files have them. */
TEST(long_names_keep_their_function)
{
	static const struct {
		size_t width;
		const char *name, *shown;
	} names[] = {
		{ 40,
		  "<alloc::vec::Vec<T> as "
		  "alloc::vec::spec_from_iter::SpecFromIter<T,I>>::from_iter",
		  "<alloc::vec::Vec<T> as allo..::from_iter" },
		{ 60,
		  "<tokenizers::tokenizer::TokenizerImpl<M,N,PT,PP,D> as "
		  "core::clone::Clone>::clone",
		  "<tokenizers::tokenizer::TokenizerImpl<..> as core::..::clone" },
		{ 60,
		  "alloc::vec::Vec<u8>::from_iter::<core::ops::range::Range<usize>> "
		  "(spec_from_iter.rs:33)",
		  "alloc::vec::Vec<..>::from_iter::<..> (spec_from_iter.rs:33)" },
		{ 46, "core::ptr::drop_in_place<alloc::vec::Vec<tokenizers::tokenizer::Token>>",
		  "core::ptr::drop_in_place<alloc::vec::Vec<..>>" },
		{ 48,
		  "hashbrown::map::HashMap<alloc::string::String,u32,S,A>::insert (map.rs:1754)",
		  "hashbrown::map::HashMap<..::insert (map.rs:1754)" },
		{ 44,
		  "polars_core::chunked_array::ops::sort::arg_sort::{{closure}} (arg_sort.rs:52)",
		  "po..::arg_sort::{{closure}} (arg_sort.rs:52)" },
		{ 50,
		  "polars_core::series::implementations::<impl polars_core::series::SeriesTrait "
		  "for SeriesWrap<ChunkedArray<T>>>::rename",
		  "polars_core::series::implementations::<i..::rename" },
		{ 40,
		  "ruff_python_parser::parser::expression::<impl "
		  "ruff_python_parser::parser::Parser>::parse_call_expression",
		  "ruff_python_par..::parse_call_expression" },
		{ 50,
		  "std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, "
		  "std::string> > >::push_back(int)",
		  "std::vector<..>::push_back(int)" },
		{ 46,
		  "std::_Hashtable<int, std::pair<int const, c10::Type> >::operator<< "
		  "<long>(std::ostream&)",
		  "std::_Hash..::operator<< <long>(std::ostream&)" },
		{ 12, "tokenizers::models::bpe::word::Word::merge_all", "..::merge_.." },
		{ 20, "a->b<c<d::e and so on", "" },
		{ 30, "python -m pytest checks/test_all.py::test_one --verbose", "" },
		{ 12, "<<<<<<::<<<<<<<<<", "" },
		{ 1, "a::b", "" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *shown = shortened_of(names[i].name, names[i].width);

		assert_true(strlen(shown) <= names[i].width);
		if (*names[i].shown)
			assert_string_equal(shown, names[i].shown);
	}
}

/* f(A<i,i>, A<S,S>, ...): each argument is twice as long as the one before. */
static size_t name_that_doubles(char *text, unsigned int times)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t used = (size_t)sprintf(text, "_Z1f1AIiiE");

	for (unsigned int i = 0; i < times; i++)
		used += (size_t)sprintf(text + used, "S_IS%c_S%c_E", digits[i], digits[i]);
	return used;
}

static size_t name_of_many(char *text, const char *head, const char *part, unsigned int times,
			   const char *tail)
{
	size_t used = (size_t)sprintf(text, "%s", head);

	for (unsigned int i = 0; i < times; i++)
		used += (size_t)sprintf(text + used, "%s", part);
	return used + (size_t)sprintf(text + used, "%s", tail);
}

TEST(hostile_names_take_bounded_time_and_memory)
{
	static const struct {
		const char *head, *part, *tail;
	} deep[] = { { "_Z1f", "P", "i" },        { "_Z1f", "FP", "v" },    { "_Z1fIX", "ad", "" },
		     { "_Z1fI", "1AI", "iEvT_" }, { "_Z1f", "A_", "i" },    { "_Z1f", "M1A", "i" },
		     { "_Z1f", "DTcl", "" },      { "_ZN", "1a", "E" },     { "_Z1fIX", "pl", "" },
		     { "_Z1fI", "J", "" },        { "_Z1fI", "LZ1fvE", "" } };
	struct demangler d = { 0 };
	char *text = malloc(70000);
	clock_t start = clock();

	for (unsigned int i = 0; i < 1000; i++)
		assert_null(demangle(&d, text, name_that_doubles(text, 34), true));
	assert_true(d.output <= 1001 * (DEMANGLE_OUTPUT_MAX + 1000));
	for (size_t i = 0; i < sizeof(deep) / sizeof(deep[0]); i++)
		for (unsigned int bytes = 900; bytes < 60000; bytes *= 3)
			demangle(&d, text,
				 name_of_many(text, deep[i].head, deep[i].part,
					      bytes / (unsigned int)strlen(deep[i].part),
					      deep[i].tail),
				 true);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 5);
	for (unsigned int i = 0; i < 3000; i++)
		demangle(&d, text, name_that_doubles(text, 34), true);
	assert_true(d.output <= DEMANGLE_OUTPUT_ALL + DEMANGLE_OUTPUT_MAX + 1000);
	assert_null(demangle(&d, "_Z1fv", 5, true)); /* enough */
	demangler_release(&d);
	free(text);
}

TEST(names_of_10000_characters_are_names)
{
	struct demangler d = { 0 };
	char *text = malloc(20000), *name = malloc(20000);
	size_t length;

	memset(name, 'k', 9994);
	name[9994] = '\0';
	length = (size_t)sprintf(text, "_Z9994%sv", name);
	strcat(name, "()");
	assert_string_equal(demangle(&d, text, length, true), name);
	demangler_release(&d);
	free(text);
	free(name);
}

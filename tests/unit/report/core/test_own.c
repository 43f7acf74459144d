/* SPDX-License-Identifier: MIT */
/* links: report format */
/* Whose code a frame is, by paths as programs of all kinds have them. */
#include "tests/unit/unit.h"

#include "report/options/options.h"
#include "report/core/own.h"

static struct own own_of(const struct options *options)
{
	struct own own;

	unsetenv("INTERCEPT_OWN");
	own_init(&own, NULL, options);
	return own;
}

static bool has_file(const struct own *own, const char *file)
{
	return own_has_file(own, file, strlen(file));
}

TEST(python_files)
{
	static const struct {
		const char *file;
		bool is_users;
	} files[] = {
		{ "/home/me/project/train.py", true },
		{ "train.py", true },
		{ "./data/loader.py", true },
		{ "/home/me/lib/model.py", true },
		{ "/srv/editable/src/mypackage/core.py", true },
		{ "<stdin>", true },
		{ "<ipython-input-3-abc>", true },
		{ "/tmp/ipykernel_1/2.py", true },
		{ "/home/me/bin/train.py", true },
		{ "/usr/lib/python3.11/json/decoder.py", false },
		{ "/usr/lib64/python3.9/threading.py", false },
		{ "/opt/conda/lib/python3.12/asyncio/events.py", false },
		{ "/home/me/project/.venv/lib/python3.11/site-packages/torch/_ops.py", false },
		{ "/usr/lib/python3/dist-packages/numpy/core/numeric.py", false },
		{ "/venv/bin/uvicorn", false },
		{ "<frozen importlib._bootstrap>", false },
		{ "<__array_function__ internals>", false },
		{ "<string>", false },
		{ "<eval_with_key>.3", false },
		{ "", false },
	};
	struct own own = own_of(NULL);

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (has_file(&own, files[i].file) != files[i].is_users)
			fail_msg("%s", files[i].file);
	own_release(&own);
}

TEST(asked_for)
{
	struct options options = {
		.of_report[REPORT_OPTION_own]
			.text = "torchvision,*/lib/python3.?/site-packages/mine/*",
	};
	struct own own = own_of(&options);

	assert_true(has_file(&own, "/v/lib/python3.11/site-packages/torchvision/io.py"));
	assert_true(has_file(&own, "/v/lib/python3.9/site-packages/mine/a.py"));
	assert_false(has_file(&own, "/v/lib/python3.11/site-packages/mine/a.py"));
	assert_false(has_file(&own, "/v/lib/python3.11/site-packages/numpy/a.py"));
	own_release(&own);
	setenv("INTERCEPT_OWN", "numpy,,*/scipy/*", 1);
	own_init(&own, NULL, NULL);
	assert_true(has_file(&own, "/v/lib/python3.11/site-packages/numpy/a.py"));
	assert_true(has_file(&own, "/v/lib/python3.11/site-packages/scipy/a.py"));
	assert_false(has_file(&own, "/v/lib/python3.11/site-packages/torch/a.py"));
	own_release(&own);
	unsetenv("INTERCEPT_OWN");
}

TEST(native_code)
{
	static const struct {
		const char *executable, *function, *file, *path;
		bool is_users;
	} frames[] = {
		{ "/home/me/app", "parse", "/home/me/app.c", "/home/me/app", true },
		{ "/home/me/app", "parse", NULL, "/home/me/libmine.so", true },
		{ "/home/me/app", "Node::add", NULL, "/home/me/app", true },
		{ "/home/me/app", "std::vector<int> make<int>", NULL, "/home/me/app", true },
		{ "/home/me/app", "void std::vector<int>::push_back", NULL, "/home/me/app", false },
		{ "/home/me/app", "std::vector<my::T, std::allocator<my::T> >::resize", NULL,
		  "/home/me/app", false },
		{ "/home/me/app", "operator new", NULL, "/home/me/app", false },
		{ "/home/me/app", "<alloc::vec::Vec<T> as core::iter::Extend>::extend", NULL,
		  "/home/me/app", false },
		{ "/home/me/app", "helper", "/usr/include/c++/12/bits/stl_vector.h", "/home/me/app",
		  false },
		{ "/home/me/app", "__GI__IO_doallocbuf", NULL, "/lib/x86_64-linux-gnu/libc.so.6",
		  false },
		{ "/home/me/app", "g_malloc", NULL, "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0",
		  false },
		{ "/usr/bin/jq", "jv_string", NULL, "/usr/lib/x86_64-linux-gnu/libjq.so.1", true },
		{ "/usr/bin/jq", "malloc", NULL, "/lib/x86_64-linux-gnu/libc.so.6", false },
		{ "/usr/bin/python3.11", "PyList_New", NULL, "/usr/bin/python3.11", false },
		{ "/usr/bin/python3.11", "at::empty", NULL,
		  "/v/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so", false },
		{ "/usr/bin/python3.11", "count_words", NULL, "/home/me/libleak.so", true },
		{ "/home/me/app", "jitted", NULL, NULL, true },
		{ "/home/me/app", NULL, NULL, NULL, false },
	};

	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct own own = own_of(NULL);
		struct source_name executable = { .text = frames[i].executable,
						  .length = strlen(frames[i].executable) };
		struct source_process process = { .executable = &executable };

		if (own_has_code(&own, &(struct own_code){ &process, frames[i].function,
							   frames[i].file, frames[i].path }) !=
		    frames[i].is_users)
			fail_msg("%s: %s", frames[i].executable,
				 frames[i].function ? frames[i].function : "?");
		own_release(&own);
	}
}

TEST(constructors)
{
	assert_true(own_is_constructor("Derived::Derived"));
	assert_true(own_is_constructor("ns::Node<int, A::B>::Node"));
	assert_true(own_is_constructor("ns::Node<int>::Node<long>"));
	assert_false(own_is_constructor("Derived::~Derived"));
	assert_false(own_is_constructor("Derived::run"));
	assert_false(own_is_constructor("main"));
	assert_false(own_is_constructor("a::b"));
	assert_false(own_is_constructor(""));
	assert_false(own_is_constructor("::"));
	assert_false(own_is_constructor(">::>"));
}

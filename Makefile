# SPDX-License-Identifier: MIT
#
# The one Makefile. Sources are found by wildcard, a directory a program and its folders: a new file
# needs no line here. A unit test, a fuzz target and a test program say at their top what they are linked with.

VERSION := 0.1.0
O       ?= build
PREFIX  ?= /usr/local
DEBUG   ?= 0
WERROR  ?= 1
SAN     ?=
FUZZ_SECONDS ?= 60
export O CC CXX SAN PYTHON

# All cores. A -jN of the caller holds instead; a make below another one shares its jobs; goals come one after the other, as in
# `make clean all`.
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

Q     := $(if $(filter 1,$(V)),,@)
begin  = @mkdir -p $(@D)$(if $(Q), && echo '  $(1)  $@')
comma := ,

# What the compiler builds for; CC=aarch64-linux-gnu-gcc builds for aarch64 elsewhere.
TARGET := $(shell $(CC) -dumpmachine 2>/dev/null)
ARCH   := $(firstword $(subst -, ,$(TARGET)))
ifeq ($(TARGET),)
ARCH := $(shell uname -m)
endif
ifeq ($(filter x86_64 aarch64,$(ARCH))$(filter Linux,$(shell uname -s)),$(ARCH)Linux)
else
$(error intercept runs on Linux on x86-64 and aarch64 only, '$(CC)' builds for '$(or $(TARGET),$(shell uname -sm))')
endif

# --- flags --------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla \
	$(if $(filter 1,$(WERROR)),-Werror)
OPTIMISE := $(if $(filter 1,$(DEBUG)),-O0 -g3,-O2 -g)
# ThreadSanitizer knows no fences, which gcc says of each one: tests/memory_order.py explores those.
SANITISE := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer -DSANITISED $(if $(filter thread,$(SAN)),-Wno-tsan))
# Plain char is signed on x86-64 and unsigned on aarch64.
ARCH_FLAGS := $(if $(filter aarch64,$(ARCH)),-fsigned-char)
COMMON   := $(strip -std=gnu11 -D_GNU_SOURCE= -DINTERCEPT_VERSION='"$(VERSION)"' -I. $(OPTIMISE) $(WARNINGS) $(ARCH_FLAGS))
DEPFLAGS  = -MMD -MP -MF $@.d

# The compiler must not turn malloc+memset into calloc, or drop a pair, in the file that defines them.
HEAP_NAMES := malloc calloc realloc reallocarray free posix_memalign aligned_alloc memalign valloc \
	pvalloc cfree malloc_usable_size
# In a foreign process there is no sanitiser runtime: only the checks that need none (a trap).
PRELOAD_SANITISE := $(if $(filter undefined,$(subst $(comma), ,$(SAN))),-fsanitize=undefined \
	-fsanitize-undefined-trap-on-error -DSANITISED)
PRELOAD_CFLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec $(HEAP_NAMES:%=-fno-builtin-%)
# As needed: with glibc 2.34 and newer libc alone remains.
PRELOAD_LIBS := -Wl,--as-needed -lpthread -ldl
# The largest alignment first: thread-local data has no holes (tests/cases/elf.sh).
PRELOAD_LDFLAGS := -shared -Wl,-z,now,-z,relro,-z,nodelete,--no-undefined,--sort-section=alignment -Wl,-soname,libintercept.so

# The archive, where there is one: the shared library brings libstdc++, which makes a start of 1.7 ms one of 2.2.
ALLOCATOR = $(if $(SAN),,$(or $(JEMALLOC_ARCHIVE),$(JEMALLOC_LIBS)))
COLLECTOR_LIBS = -lzstd -lpthread -ldl
REPORT_LIBS = -lzstd -lz -lsqlite3 -ljson-c -liberty -ldw -lelf -lm -lpthread $(ALLOCATOR) -ldl
TEST_LIBS := -Wl,--as-needed -lcmocka -lzstd -lz -lsqlite3 -ljson-c -liberty -ldw -lelf -lm -lpthread -ldl

# --- what there is to build ---------------------------------------------------------------------

# objects: DIRECTORIES with their folders, and where what is made of their sources lies
objects = $(patsubst %.c,$(2)/%.o,$(wildcard $(1:%=%/*.c) $(1:%=%/*/*.c)))
UNIT_PRELOAD_DIR := $(if $(SAN),$(O)/unit-objects,$(O))

FORMAT_OBJECTS       := $(call objects,collector/format collector/region collector/control,$(O))
COLLECTOR_OBJECTS    := $(filter-out $(FORMAT_OBJECTS),$(call objects,collector,$(O)))
PAGE_DIGESTS         := $(O)/report/page/page_digests.o
REPORT_OBJECTS       := $(call objects,report,$(O)) $(PAGE_DIGESTS)
CFI_OBJECTS          := $(call objects,collector/cfi,$(O))
PRELOAD_OBJECTS      := $(call objects,preload,$(O)) $(call objects,collector/cfi,$(O)/shared)
UNIT_PRELOAD_OBJECTS := $(call objects,preload,$(UNIT_PRELOAD_DIR)) $(CFI_OBJECTS)

LIBRARY   := $(O)/libintercept.so
COLLECTOR := $(O)/intercept-collector
REPORT    := $(O)/prof-report

# The fake CUDA: libfakecuda.so has what its libraries share. Each is lib<name> of its sources. Its NVML, which the collector
# opens, shares nothing with them.
FAKE_PARTS := fakecuda.so cudart.so.12 cudart.so.13 cuda.so.1 cublas.so.13 cublasLt.so.13 cupti.so.12 cupti.so.13 nvidia-ml.so.1
FAKE_CUDA  := $(FAKE_PARTS:%=$(O)/fake/lib%)
fake_sources = $(sort $(wildcard $(1:%=tests/fake/%.c)))
fakecuda_SOURCES := counts device kernels memory objects write
cudart_SOURCES   := cudart cudart_*
cuda_SOURCES     := cuda cuda_*
cublas_SOURCES   := cublas cublas_*
cublasLt_SOURCES := cublaslt cublaslt_*
cupti_SOURCES    := cupti cupti_*
nvidia-ml_SOURCES := nvml
FAKE_HEADERS := $(wildcard tests/fake/*.h tests/fake/*.def) $(wildcard collector/device/nvml_*) preload/cuda/hooks.def preload/cuda/cuda_api.h preload/gpu/cupti_api.h preload/gpu/callbacks.def \
	collector/format/events.h collector/format/events.def collector/format/scopes.def \
	$(wildcard collector/format/events/*.def)

UNIT_SOURCES := $(wildcard tests/unit/*/*/test_*.c)
unbuilt     := $(filter-out $(UNIT_SOURCES),$(shell find tests/unit -name 'test_*.c'))
$(if $(unbuilt),$(error unit tests stand in tests/unit/PROGRAM/FOLDER/, these do not and would never run: $(unbuilt)))
twice       := $(shell printf '%s\n' $(notdir $(UNIT_SOURCES)) | sort | uniq -d)
$(if $(twice),$(error unit tests have names of their own, two are called: $(twice)))
UNIT_TESTS  := $(addprefix $(O)/unit/,$(basename $(notdir $(UNIT_SOURCES))))
FUZZ_NAMES  := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_REPLAY := $(FUZZ_NAMES:%=$(O)/fuzz/replay_%)
LIBRARY_SOURCES := $(wildcard tests/programs/fake_*.c tests/programs/lib*.c)
TEST_PROGRAMS := \
	$(patsubst tests/programs/fake_%.c,$(O)/programs/libfake_%.so,$(wildcard tests/programs/fake_*.c)) \
	$(patsubst tests/programs/%.c,$(O)/programs/%.so,$(wildcard tests/programs/lib*.c)) \
	$(patsubst tests/programs/%.c,$(O)/programs/%,$(filter-out $(LIBRARY_SOURCES), \
		$(wildcard tests/programs/*.c))) \
	$(patsubst tests/programs/%.cpp,$(O)/programs/%,$(wildcard tests/programs/*.cpp))

# The words after "links:" or "build:" in a comment of its own at the top of a test source.
top_line = $(shell sed -n 's@^/\* *$(1): *\(.*[^ ]\) *\*/ *$$@\1@p;30q' $(2))
part_collector := $(filter-out $(O)/collector/turn/main.o,$(COLLECTOR_OBJECTS)) $(FORMAT_OBJECTS)
part_format    := $(FORMAT_OBJECTS)
part_report    := $(filter-out $(O)/report/app/main.o,$(REPORT_OBJECTS)) $(FORMAT_OBJECTS)
part_preload   := $(UNIT_PRELOAD_OBJECTS)
part_cfi       := $(CFI_OBJECTS)
part_source = $(patsubst preload:%.c,$(UNIT_PRELOAD_DIR)/preload/%.o, \
	$(patsubst collector:%.c,$(O)/collector/%.o, \
	$(patsubst report:%.c,$(O)/report/%.o,$(subst $(comma), $(firstword $(subst :, ,$(1))):,$(1)))))
part = $(or $(part_$(1)),$(part_source))
# A test may compile a source in its own way, by including it: `replaces:` names it.
replaced_objects = $(patsubst %.c,$(O)/%.o,$(call top_line,replaces,$(1)))
linked_objects = $(sort $(filter-out $(call replaced_objects,$(1)),$(foreach word,$(call top_line,links,$(1)),$(call part,$(word)))))

# --- programs -----------------------------------------------------------------------------------

.PHONY: all programs tests fake-cuda
.DELETE_ON_ERROR:
all: programs ## build libintercept.so, intercept-collector and prof-report (the default)
	@[ -f $(O)/options.txt ] || scripts/probe.sh $(O)/config.mk $(O)/options.txt
	@cat $(O)/options.txt

programs: $(LIBRARY) $(COLLECTOR) $(REPORT)
fake-cuda: $(FAKE_CUDA)
tests: programs $(UNIT_TESTS) $(FAKE_CUDA) $(TEST_PROGRAMS) $(FUZZ_REPLAY)

# What this machine has (scripts/probe.sh): asked once, again after `make deps` or `make clean`.
SIMPLE_GOALS := help deps demo demo-cuda format clean uninstall stats
ifneq ($(filter-out $(SIMPLE_GOALS),$(or $(MAKECMDGOALS),all)),)
include $(O)/config.mk
endif
$(O)/config.mk: scripts/probe.sh scripts/find-python.sh
	@mkdir -p $(@D)
	@scripts/probe.sh $@ $(O)/options.txt

# Objects are rebuilt when the flags change.
FLAG_LINE = $(CC) $(subst ',,$(COMMON) $(PRELOAD_CFLAGS) $(SANITISE) $(CFLAGS))
$(O)/flags: always
	@mkdir -p $(@D)
	@echo '$(FLAG_LINE)' | cmp -s - $@ || \
		echo '$(FLAG_LINE)' >$@
.PHONY: always

$(O)/preload/%.o: preload/%.c $(O)/flags
	$(call begin,CC)
	$(Q)$(CC) $(COMMON) $(PRELOAD_CFLAGS) $(PRELOAD_SANITISE) $(DEPFLAGS) $(CFLAGS) -c $< -o $@

# What the library shares with the collector is compiled for each.
$(O)/shared/%.o: %.c $(O)/flags
	$(call begin,CC)
	$(Q)$(CC) $(COMMON) $(PRELOAD_CFLAGS) $(PRELOAD_SANITISE) $(DEPFLAGS) $(CFLAGS) -c $< -o $@

$(O)/unit-objects/preload/%.o: preload/%.c $(O)/flags
	$(call begin,CC)
	$(Q)$(CC) $(COMMON) $(PRELOAD_CFLAGS) $(SANITISE) $(DEPFLAGS) $(CFLAGS) -c $< -o $@

$(O)/%.o: %.c $(O)/flags
	$(call begin,CC)
	$(Q)$(CC) $(COMMON) $(SANITISE) $(DEPFLAGS) $(CFLAGS) -c $< -o $@

# .incbin is not seen by -MMD: what lies beside a Python file may hold it.
beside = $(patsubst %.c,$(2)/%.o,$(wildcard $(dir $(1))*.c))
$(foreach file,$(wildcard preload/*/*.py),\
	$(eval $(call beside,$(file),$(O)) $(call beside,$(file),$(O)/unit-objects): $(file)))
$(O)/report/page/page_source.o: $(wildcard report/page/*.js report/page/*.css report/page/*.html)

$(PAGE_DIGESTS:.o=.c): report/page/page_source.def $(wildcard report/page/*.js report/page/*.css) \
		scripts/gen-page-digests.sh
	$(call begin,GEN)
	$(Q)scripts/gen-page-digests.sh >$@

$(PAGE_DIGESTS): $(PAGE_DIGESTS:.o=.c) $(O)/flags
	$(call begin,CC)
	$(Q)$(CC) $(COMMON) $(SANITISE) $(DEPFLAGS) $(CFLAGS) -c $< -o $@

$(O)/exports.map: preload/families.def $(wildcard preload/*/hooks.def) scripts/gen-exports.sh
	$(call begin,GEN)
	$(Q)scripts/gen-exports.sh >$@

$(LIBRARY): $(PRELOAD_OBJECTS) $(O)/exports.map
	$(call begin,LD)
	$(Q)$(CC) $(PRELOAD_LDFLAGS) -Wl,--version-script,$(O)/exports.map $(LDFLAGS) \
		$(PRELOAD_OBJECTS) $(PRELOAD_LIBS) -o $@

$(COLLECTOR): $(COLLECTOR_OBJECTS) $(FORMAT_OBJECTS)
	$(call begin,LD)
	$(Q)$(CC) $(SANITISE) $(LDFLAGS) $^ $(COLLECTOR_LIBS) -o $@

$(REPORT): $(REPORT_OBJECTS) $(FORMAT_OBJECTS)
	$(call begin,LD)
	$(Q)$(CC) $(SANITISE) $(LDFLAGS) $^ $(REPORT_LIBS) -o $@

# --- tests --------------------------------------------------------------------------------------

# Hundreds of links of the same objects: lld takes a third of the CPU time of the usual linker. Cross compilers do not find it.
TEST_LDFLAGS := $(if $(filter $(ARCH),$(shell uname -m)),$(if $(shell command -v ld.lld),-fuse-ld=lld))

# Tests compare our declarations with the real headers, where there are some.
$(O)/tests/%.o: private COMMON += $(NVTX_CFLAGS) $(CUDA_CFLAGS)

.SECONDEXPANSION:
unit_source = $(filter %/$(1).c,$(UNIT_SOURCES))
unit_object = $(patsubst %.c,$(O)/%.o,$(call unit_source,$(1)))
$(UNIT_TESTS): $(O)/unit/%: $$(call unit_object,%) $$(call linked_objects,$$(call unit_source,%))
	$(call begin,LD)
	$(Q)$(CC) $(SANITISE) $(LDFLAGS) $(TEST_LDFLAGS) $^ $(TEST_LIBS) -o $@

$(FUZZ_REPLAY): $(O)/fuzz/replay_%: $(O)/tests/fuzz/fuzz_%.o $(O)/tests/fuzz/replay.o \
		$$(call linked_objects,tests/fuzz/fuzz_%.c)
	$(call begin,LD)
	$(Q)$(CC) $(SANITISE) $(LDFLAGS) $(TEST_LDFLAGS) $^ $(TEST_LIBS) -o $@

# libFuzzer comes with clang: everything is compiled again, instrumented. A "%" of patsubst in a static pattern
# rule would be replaced by the rule's stem, so that nothing matched: hence a function.
sources_of = $(patsubst $(O)/%.o,%.c,$(filter-out $(PAGE_DIGESTS),$(1))) $(patsubst %.o,%.c,$(filter $(PAGE_DIGESTS),$(1)))
$(FUZZ_NAMES:%=$(O)/fuzz/fuzz_%): $(O)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c \
		$$(call sources_of,$$(call linked_objects,tests/fuzz/fuzz_%.c))
	$(call begin,FUZZ)
	$(Q)clang $(COMMON) -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all $^ $(TEST_LIBS) -o $@

# Test programs are other people's programs: no sanitiser, few warnings, one command each.
PROGRAM_FLAGS = $(ARCH_FLAGS) -I. -O1 -g -Wall $(NVTX_CFLAGS) $(DEPFLAGS)
$(O)/programs/libfake_%.so: tests/programs/fake_%.c $(O)/flags
	$(call begin,CC)
	$(Q)$(CC) -D_GNU_SOURCE= $(PROGRAM_FLAGS) -fPIC -shared $< -o $@ $(call top_line,build,$<)

$(O)/programs/lib%.so: tests/programs/lib%.c $(O)/flags
	$(call begin,CC)
	$(Q)$(CC) -D_GNU_SOURCE= $(PROGRAM_FLAGS) -fPIC -shared $< -o $@ $(call top_line,build,$<)

$(O)/programs/%: tests/programs/%.c $(O)/flags
	$(call begin,CC)
	$(Q)$(CC) -D_GNU_SOURCE= $(PROGRAM_FLAGS) $< -o $@ $(call top_line,build,$<)

$(O)/programs/%: tests/programs/%.cpp $(O)/flags
	$(call begin,CXX)
	$(Q)$(CXX) $(PROGRAM_FLAGS) $< -o $@ $(call top_line,build,$<)

# The fake CUDA stands in for a vendor's libraries: no sanitiser, versions and names as the real ones.
fake_name    = $(firstword $(subst .so, ,$(patsubst lib%,%,$(notdir $(1)))))
fake_version = $(if $(filter %.so.12 %.so.13,$(1)),-Wl$(comma)--version-script$(comma)$(1).map)
$(FAKE_CUDA): $(O)/fake/lib%: $$(call fake_sources,$$($$(call fake_name,$$@)_SOURCES)) $(FAKE_HEADERS) $(O)/flags
	$(call begin,CC)
	@echo '$(@F) { global: cu*; __cuda*; local: *; };' >$@.map
	$(Q)$(CC) $(COMMON) -fPIC -shared -pthread $(if $(filter %fakecuda.so,$@),-Wl$(comma)-z$(comma)nodelete, \
		-fvisibility=hidden) -DFAKE_MAJOR=$(lastword $(subst ., ,$@)) \
		-Wl,-soname,$(@F),-rpath,'$$ORIGIN' $(call fake_version,$@) $(filter %.c,$^) -o $@ \
		$(if $(filter %fakecuda.so %nvidia-ml.so.1,$@),,-L$(O)/fake -lfakecuda) -ldl
$(filter-out %fakecuda.so,$(FAKE_CUDA)): $(O)/fake/libfakecuda.so

$(filter $(O)/programs/cuda_% $(O)/programs/libcuda_%,$(TEST_PROGRAMS)): | $(FAKE_CUDA)
$(O)/programs/first_malloc: | $(O)/programs/libfirst_malloc.so
$(O)/programs/libdlsym_callers.so: | $(O)/programs/libdlsym_resolver.so
$(O)/programs/dlsym_callers: | $(O)/programs/libdlsym_callers.so

.PHONY: help deps demo demo-cuda test test-all check bench lint format fuzz fuzz-replay docs check-generated
# With T=name neither leaves a test out. tests/suites.sh says which tests belong to what.
check: tests ## unit tests, fuzz corpora and the cases that are quick and need no download; two minutes
	@set -f; tests/run $(if $(T),,--suite check) $(T)

test: tests ## the tests that need PyTorch as their only download, which it installs; no GPU needed; one: make test T=name
	@$(if $(T),,scripts/test-env.sh)
	@set -f; tests/run $(if $(T),,--suite test) $(T)

test-all: tests ## all tests: with other downloads, browsers, every Python of this machine; installs what they need
	@$(if $(T),,scripts/test-env.sh all)
	@set -f; tests/run $(if $(T),,--alone 3) $(T)

.PHONY: test-gpu
test-gpu: programs ## what only a GPU can show; skipped with the reason where there is none
	@scripts/test-gpu.sh

.PHONY: test-arm
test-arm: ## builds for aarch64 and runs what can run under qemu-user (1.5 GB); one: make test-arm T=name
	+@set -f; scripts/test-arm.sh $(T)

# As many as T says, which is a pattern as tests/run takes it.
.PHONY: units test-tsan
units: $(if $(T),$(filter $(addprefix $(O)/unit/,$(subst *,%,$(T))),$(UNIT_TESTS)),$(UNIT_TESTS))
test-tsan: ## unit tests under ThreadSanitizer, in O-tsan; one: make test-tsan T=test_drain
	+@set -f; $(MAKE) --no-print-directory SAN=thread O=$(O)-tsan T='$(T)' units && O=$(O)-tsan tests/run $(or $(T),test_*)

.PHONY: test-torch-versions
test-torch-versions: tests ## several releases of PyTorch and Python (14 GB, an hour); docs/COMPATIBILITY.md
	@scripts/test-torch-versions.sh $(T)

fuzz-replay: $(FUZZ_REPLAY) ## run the fuzz targets over their corpora (part of make test)
	$(Q)for name in $(FUZZ_NAMES); do \
		$(O)/fuzz/replay_$$name tests/fuzz/corpus/$$name || exit 1; done

fuzz: $(FUZZ_NAMES:%=$(O)/fuzz/fuzz_%) ## fuzz with clang, FUZZ_SECONDS=60 a target
	$(Q)for name in $(FUZZ_NAMES); do mkdir -p $(O)/fuzz/corpus_$$name; \
		$(O)/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=$(O)/fuzz/ \
		$(O)/fuzz/corpus_$$name tests/fuzz/corpus/$$name || exit 1; done

lint: programs ## layout, includes, exports, formatting, cppcheck, clang-tidy, shellcheck
	@scripts/lint.sh

.PHONY: soak
soak: programs ## programs of this machine, bare and under the preload: SOAK='sweep jobs' (or cpython, kills)
	@scripts/soak.sh

bench: programs ## cost per event beside the peers; prints ratios and targets
	@scripts/bench.sh

# --- the rest -----------------------------------------------------------------------------------

help: ## this text
	@echo 'Targets:'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | sort | expand -t 20
	@echo 'Knobs:'
	@printf '  %s\n' 'O=build              where everything is built' \
		'DEBUG=1              no optimisation' 'WERROR=0             warnings do not stop' \
		'SAN=address,undefined (or thread)   with sanitisers; use another O=' \
		'V=1                  show the commands' 'PYTHON=...           an interpreter with torch'

deps: ## install the Debian packages that are missing (root or sudo)
	@scripts/install-deps.sh
	@rm -f $(O)/config.mk

demo: ## train a small network under intercept and print the report; PYTHON=... chooses
	+@scripts/demo.sh

demo-cuda: ## the same on a fake GPU: real calls, kernels and bytes; results are garbage
	+@scripts/demo-cuda.sh

format: ## clang-format in place
	@scripts/check-format.sh --fix

docs: ## write the generated parts of docs/ and README.md again
	@scripts/gen-docs.sh

check-generated: ## fail when a generated part is out of date
	@scripts/gen-docs.sh --check

# The wheel brings the libraries of its programs, in lib/intercept of the environment. DT_RPATH, not DT_RUNPATH: it also holds for
# what those libraries need.
WHEEL := $(O)/wheel/prof-report $(O)/wheel/intercept-collector
wheel_rpath = -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/$(1)/lib/intercept'
$(O)/wheel/prof-report: $(REPORT_OBJECTS) $(FORMAT_OBJECTS)
	$(call begin,LD)
	$(Q)$(CC) $(SANITISE) $(LDFLAGS) -static-libgcc $(call wheel_rpath,..) -Wl,-Map=$@.map $^ $(filter-out -ljemalloc,$(REPORT_LIBS)) -o $@
$(O)/wheel/intercept-collector: $(COLLECTOR_OBJECTS) $(FORMAT_OBJECTS)
	$(call begin,LD)
	$(Q)$(CC) $(SANITISE) $(LDFLAGS) $(call wheel_rpath,../..) -Wl,-Map=$@.map $^ $(COLLECTOR_LIBS) -o $@

.PHONY: wheel deb
wheel: programs $(WHEEL) ## a package for pip, in $(O)/dist (DIST): pip install brings all programs
	@VERSION=$(VERSION) ARCH=$(ARCH) scripts/package.sh wheel
deb: programs ## a Debian package, in $(O)/dist (DIST)
	@VERSION=$(VERSION) ARCH=$(ARCH) scripts/package.sh deb

.PHONY: install uninstall clean stats
# README.md lies above the other documents, as here: its links hold.
SHARE = $(DESTDIR)$(PREFIX)/share
install: programs ## programs, man pages and documents; PREFIX=/usr/local DESTDIR=
	install -d $(DESTDIR)$(PREFIX)/lib/intercept $(DESTDIR)$(PREFIX)/libexec/intercept \
		$(DESTDIR)$(PREFIX)/bin $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/man/man1 $(SHARE)/man/man7 $(SHARE)/doc/intercept/docs/history
	install -m 755 $(LIBRARY) $(DESTDIR)$(PREFIX)/lib/intercept/
	install -m 755 $(COLLECTOR) $(DESTDIR)$(PREFIX)/libexec/intercept/
	install -m 755 $(REPORT) $(DESTDIR)$(PREFIX)/bin/
	install -m 755 scripts/intercept.sh $(DESTDIR)$(PREFIX)/bin/intercept
	install -m 644 $(wildcard docs/*.1) $(SHARE)/man/man1/
	install -m 644 $(wildcard docs/*.7) $(SHARE)/man/man7/
	install -m 644 README.md $(SHARE)/doc/intercept/
	install -m 644 scripts/completions/prof-report.bash $(SHARE)/bash-completion/completions/prof-report
	ln -sf prof-report $(SHARE)/bash-completion/completions/intercept
	install -m 644 scripts/completions/_prof-report $(SHARE)/zsh/site-functions/
	install -m 644 $(wildcard docs/*.md docs/*.png) docs/LICENSE $(SHARE)/doc/intercept/docs/
	install -m 644 $(wildcard docs/history/*.md) $(SHARE)/doc/intercept/docs/history/

uninstall: ## undo install
	rm -f $(DESTDIR)$(PREFIX)/bin/prof-report $(DESTDIR)$(PREFIX)/bin/intercept
	rm -f $(SHARE)/bash-completion/completions/prof-report $(SHARE)/bash-completion/completions/intercept \
		$(SHARE)/zsh/site-functions/_prof-report
	rm -f $(patsubst docs/%,$(SHARE)/man/man1/%,$(wildcard docs/*.1)) \
		$(patsubst docs/%,$(SHARE)/man/man7/%,$(wildcard docs/*.7))
	rm -rf $(DESTDIR)$(PREFIX)/lib/intercept $(DESTDIR)$(PREFIX)/libexec/intercept $(SHARE)/doc/intercept

clean: ## remove $(O)
	rm -rf $(O)

stats: ## how long the functions are
	@scripts/stats.sh

-include $(shell find $(O) -name '*.d' 2>/dev/null)

/* SPDX-License-Identifier: MIT */
/* links: cfi preload:stacks/stack.c,stacks/walk.c,stacks/step.c,stacks/rules.c,stacks/frame_names.c,stacks/ahead.c,stacks/thread.c,stacks/sample.c,stacks/pages.c,stacks/wrappers.c,base/object_span.c,base/symbols.c */
/*
 * preload/stacks/stack.c once more, by another judge: every stack of test_stack.c is compared with
 * libunwind's.
 */
#define JUDGE_IS_LIBUNWIND
/* NOLINTNEXTLINE(bugprone-suspicious-include): the same tests */
#include "tests/unit/preload/stacks/test_stack.c"

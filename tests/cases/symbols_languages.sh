#!/bin/bash
# Functions of Rust and Fortran have the names that their source gives them.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

traced() { # PROGRAM: until the collector has seen its modules
	mkfifo hold
	run_traced "$@" <hold >/dev/null 2>err &
	local subject=$!
	exec 3>hold
	eventually "modules of ${1##*/}" knows_module "$OUTPUT" "${1##*/}"
	exec 3>&-
	wait "$subject" || fail "$1: $(cat err)"
	rm hold
}
named() { # MODULE: functions of large blocks
	json alloc run.evt "sorted(row['function'] or '?' for row in rows if row['module'] == '$1' and row['bytes_allocated'] >= 40000)"
}
found=

if command -v gfortran >/dev/null; then
	found=1
	cat >shapes.f90 <<'END'
module shapes
contains
subroutine grow(n)
  integer :: n
  real, allocatable, volatile :: a(:)
  allocate(a(n))
  a(1) = n
end subroutine
end module
subroutine plain(n)
  integer :: n
  real, allocatable, volatile :: a(:)
  allocate(a(n))
  a(1) = n
end subroutine
program waits
  use shapes
  character :: c
  integer :: status
  call grow(10000)
  call plain(20000)
  read (*, '(a)', iostat=status) c
end program
END
	gfortran -g -O1 -fno-inline shapes.f90 -o fortran || fail "gfortran"
	traced ./fortran
	expect_eq "Fortran" "$(named fortran)" '["plain", "shapes::grow"]'
fi

if command -v rustc >/dev/null; then
	found=1
	cat >thing.rs <<'END'
pub mod inner {
    pub struct Thing<T>(pub T);
    impl<T: Clone> Thing<T> {
        #[inline(never)]
        pub fn grow(&self) -> Vec<T> {
            let mut made = Vec::with_capacity(10000);
            made.push(self.0.clone());
            made
        }
    }
}
fn main() {
    println!("{}", inner::Thing(7u64).grow().len());
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
}
END
	for mangling in legacy v0; do
		rustc -C debuginfo=0 -O -C symbol-mangling-version=$mangling thing.rs -o rust 2>err || rustc -O thing.rs -o rust 2>err || {
			cat err
			continue
		}
		traced ./rust
		expect_match "Rust, $mangling" "$(named rust)" 'thing::inner::(Thing|<|.*Thing)'
		expect_match "Rust, $mangling" "$(named rust)" '::grow"'
		[[ ! $(named rust) =~ 17h|_R|[$]LT ]] || fail "Rust, $mangling: $(named rust)"
		# what is inlined into it, down to the allocator, is nobody who wanted memory
		rustc -g -O -C symbol-mangling-version=$mangling thing.rs -o inlined 2>err || rustc -g -O thing.rs -o inlined 2>err ||
			fail "rustc -g: $(cat err)"
		INTERCEPT_STACKS=native OUTPUT=stacks.evt traced ./inlined
		expect_match "Rust, $mangling, by function" \
			"$(json alloc stacks.evt "[r['function'] for r in rows if r['bytes_allocated'] == 80000]" --by function)" '^\["[^,]*::grow"\]$'
	done
fi
[[ $found ]] || skip "neither gfortran nor rustc is installed"

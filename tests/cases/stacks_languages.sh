#!/bin/bash
# Native stacks of C++, Rust and Fortran, optimised, inlined, unwinding, stripped and not, are libunwind's.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

need_program libstack_note.so
need_program stack_self
need_tool strip
export INTERCEPT_STACKS=native
note=$PROGRAMS/libstack_note.so
built="stack_self"
cp "$PROGRAMS/stack_self" .

if command -v gfortran >/dev/null; then
	cat >turns.f90 <<'END'
module turns
  use iso_c_binding
  interface
    integer(c_int) function note_here(where) bind(c)
      import c_int, c_char
      character(kind=c_char), intent(in) :: where(*)
    end function
  end interface
contains
  recursive integer function deeper(n) result(sum)
    integer, intent(in) :: n
    real, allocatable :: work(:)
    allocate(work(n + 1))
    work = n
    if (n == 0) then
      if (note_here("deepest" // c_null_char) == 0) error stop "no libunwind"
      sum = int(work(1))
    else
      sum = deeper(n - 1) + int(work(n))
      if (note_here("after" // c_null_char) == 0) error stop "no libunwind"
    end if
  end function
  subroutine each(visit, n)
    interface
      subroutine visit(i)
        integer, intent(in) :: i
      end subroutine
    end interface
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call visit(i)
    end do
  end subroutine
end module
program main
  use turns
  integer :: total, status
  total = deeper(7)
  call each(inner, 4)
contains
  subroutine inner(i)
    integer, intent(in) :: i
    total = total + i
    status = note_here("nested" // c_null_char)
  end subroutine
end program
END
	gfortran -O2 turns.f90 "$note" -o fortran 2>err || fail "gfortran: $(cat err)"
	gfortran -O3 -g -static-libgfortran turns.f90 "$note" -o fortran_inlined 2>err || fail "gfortran: $(cat err)"
	built+=" fortran fortran_inlined"
fi

if command -v rustc >/dev/null; then
	cat >turns.rs <<'END'
extern "C" { fn note_here(place: *const std::os::raw::c_char) -> i32; }
fn note(place: &str) {
    let text = std::ffi::CString::new(place).unwrap();
    assert!(unsafe { note_here(text.as_ptr()) } != 0, "no libunwind");
}
struct Guard(u32);
impl Drop for Guard {
    fn drop(&mut self) { note("drop"); }
}
#[inline(never)]
fn deeper(n: u32, f: &dyn Fn(u32) -> u32) -> u32 {
    let guard = Guard(n);
    if n == 0 { note("deepest"); panic!("at the end"); }
    deeper(n - 1, f) + f(guard.0)
}
#[inline(always)]
fn inlined(n: u32) -> u32 { note("inlined"); n * 2 }
thread_local! { static OWN: Guard = Guard(7); }
fn main() {
    std::panic::set_hook(Box::new(|_| note("hook")));
    for n in [1, 5] {
        let caught = std::panic::catch_unwind(|| deeper(n, &|x| x + 1));
        assert!(caught.is_err());
        note("caught");
    }
    let mut numbers = vec![3, 1, 2];
    numbers.sort_by(|a, b| { note("compare"); a.cmp(b) });
    let sum: u32 = numbers.iter().map(|&n| inlined(n)).sum();
    let thread = std::thread::spawn(move || { OWN.with(|own| note(if own.0 == 7 { "thread" } else { "?" })); sum });
    assert!(thread.join().unwrap() == 12);
}
END
	for level in 0 3; do
		rustc -C opt-level=$level -C panic=unwind -C link-arg="$note" turns.rs -o rust_$level 2>err || fail "rustc: $(cat err)"
		built+=" rust_$level"
	done
fi

for program in $built; do
	for form in whole stripped; do
		[ $form = whole ] || strip "$program" || fail "strip $program"
		rm -f "$OUTPUT"
		LD_LIBRARY_PATH=$PROGRAMS run_traced "./$program" >said.txt 2>err || fail "$program, $form: status $?: $(cat err)"
		[ "$(wc -l <said.txt)" -ge 12 ] || fail "$program, $form said too little: $(cat said.txt)"
		expect_stacks said.txt
	done
done
[[ $built == *rust* && $built == *fortran* ]] || skip "not both of gfortran and rustc are installed; all before it passed"

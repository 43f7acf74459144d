#!/bin/bash
# SPDX-License-Identifier: MIT
#
# emacs in batch: evaluates, compiles and writes a file.
# needs: emacs
# limit: 90

echo '(defun f (n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (message "%d" (f 18))' >a.el
emacs -Q --batch -l a.el
emacs -Q --batch -f batch-byte-compile a.el 2>&1 | grep -c Error
emacs -Q --batch --eval '(with-temp-file "o" (dotimes (i 1000) (insert (format "%d\n" i))) (sort-numeric-fields 1 (point-min) (point-max)))'; sha256sum <o

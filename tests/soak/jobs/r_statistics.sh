#!/bin/bash
# SPDX-License-Identifier: MIT
#
# R: matrices and a model.
# needs: Rscript
# limit: 90

Rscript --vanilla -e 'set.seed(1); m <- matrix(rnorm(10000), 100); print(round(sum(solve(m) %*% m), 6)); print(coef(lm(mpg ~ wt, mtcars))); quit(status = 3)'; echo "status $?"

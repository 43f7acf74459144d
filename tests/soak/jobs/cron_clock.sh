#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A timer loop in the manner of cron, with at most one job at once.
# needs: perl flock

cat >a.pl <<'END'
use Time::HiRes "setitimer", "ITIMER_REAL"; my $n = 0; $SIG{ALRM} = sub { $n++ }; $SIG{CHLD} = sub { 1 while waitpid(-1, 1) > 0 };
setitimer(ITIMER_REAL, 0.01, 0.01); while ($n < 30) { select undef, undef, undef, 1; if (!fork) { exec "flock", "-n", "lock", "true" } }
setitimer(ITIMER_REAL, 0); print "ticks enough\n";
END
perl a.pl; echo "status $?"

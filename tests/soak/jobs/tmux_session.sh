#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tmux: a server, two windows, keys sent, the screen read.
# needs: tmux

tmux -L t -f /dev/null new-session -d -x 80 -y 24 'echo first; exec cat'; echo "start $?"
tmux -L t new-window -d 'seq 3; exec cat'
tmux -L t send-keys -t :0 'typed' Enter
until tmux -L t capture-pane -p -t :0 | grep -c typed | grep -qx 2; do sleep 0.05; done
tmux -L t capture-pane -p -t :0 | grep .
tmux -L t list-windows | wc -l
tmux -L t kill-server; echo "end $?"

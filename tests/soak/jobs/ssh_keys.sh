#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ssh-keygen, ssh-agent and ssh-add.
# needs: ssh-keygen ssh-agent ssh-add
# case: crypto

for type in ed25519 ecdsa rsa; do ssh-keygen -q -t $type -N '' -C c -f k_$type && ssh-keygen -lf k_$type.pub | cut -d' ' -f1,3-; done
eval "$(ssh-agent -s)" >/dev/null
ssh-add -q k_ed25519 k_ecdsa; ssh-add -l | cut -d' ' -f1,3-
echo text >t; ssh-keygen -q -Y sign -f k_ed25519 -n file t 2>/dev/null; echo "signed $?"
echo "a $(cat k_ed25519.pub)" >allowed; ssh-keygen -q -Y verify -f allowed -I a -n file -s t.sig <t; echo "verified $?"
ssh-agent -k >/dev/null; echo "agent $?"

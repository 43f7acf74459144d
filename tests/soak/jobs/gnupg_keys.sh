#!/bin/bash
# SPDX-License-Identifier: MIT
#
# gnupg: a key, a signature, an encrypted file, with its agent.
# needs: gpg gpg-agent gpgconf
# limit: 90

export GNUPGHOME=$PWD/g
mkdir -m 700 g
gpg --batch --quiet --passphrase '' --quick-generate-key 'a <a@b>' ed25519 sign,cert 2>/dev/null; echo "key $?"
fingerprint=$(gpg --batch --with-colons -k 2>/dev/null | awk -F: '$1 == "fpr" { print $10; exit }')
gpg --batch --quiet --passphrase '' --quick-add-key "$fingerprint" cv25519 encr 2>/dev/null; echo "subkey $?"
echo text >t
gpg --batch --quiet --detach-sign t 2>/dev/null; echo "signed $?"
gpg --batch --quiet --verify t.sig t 2>/dev/null; echo "verified $?"
gpg --batch --quiet --trust-model always -r a@b -e t 2>/dev/null; echo "encrypted $?"
gpg --batch --quiet -d t.gpg 2>/dev/null; echo "decrypted $?"
gpgconf --kill all

#!/bin/sh
# Guess: with --literal-pathspecs, or GIT_LITERAL_PATHSPECS=1 in the environment, git takes every path as it is written, so it
# is the safe way to ask about files whose names hold brackets or colons.
# `git check-ignore` refuses to run at all then, also for plain names, and ends with 128, which is neither “ignored” (0) nor
# “not ignored” (1). Whoever reads every status but 0 as “not ignored” sends or commits files that the project keeps private;
# without the option, paths from --stdin are literal as far as brackets and stars go.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
git --version
git init --quiet .
printf '*.tmp\n' >.gitignore
paths() { printf 'notes.tmp\0a[1].tmp\0kept.txt\0'; }
status_of() { "$@" >out 2>error && echo 0 || echo $?; }

plain=$(paths | status_of git check-ignore --stdin -z)
echo "check-ignore: status $plain, ignored: $(tr '\0' ' ' <out)"
test "$plain" = 0
test "$(tr '\0' ' ' <out)" = 'notes.tmp a[1].tmp '

option=$(paths | status_of git --literal-pathspecs check-ignore --stdin -z)
echo "--literal-pathspecs check-ignore: status $option, $(cat error)"
test "$option" = 128
test ! -s out

variable=$(GIT_LITERAL_PATHSPECS=1 status_of git check-ignore notes.tmp)
echo "GIT_LITERAL_PATHSPECS=1 check-ignore of a plain name: status $variable, $(cat error)"
test "$variable" = 128

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Launches the CUDA compiler ("$@") and keeps what ptxas says of each kernel beside the object, as OBJECT.ptxas.
object=
previous=
for argument; do
  [ "$previous" = -o ] && object=$argument
  previous=$argument
done
case $object in
  *.o) ;;
  *) exec "$@" ;;
esac
"$@" --resource-usage 2>"$object.stderr"
status=$?
told='^ptxas info|bytes stack frame,|^ *[0-9]+ bytes stack'
grep -E "$told" "$object.stderr" >"$object.ptxas"
grep -vE "$told" "$object.stderr" >&2
rm -f "$object.stderr"
exit $status

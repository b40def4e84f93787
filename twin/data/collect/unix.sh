#!/bin/sh
# Collect what twin reads about the queue managers of this host, into one new folder.
#
#   sh collect.sh [-d FOLDER] [QM ...]      without QM: every queue manager that runs
#
# Run it as a user who may run runmqsc, such as mqm. It only reads: DISPLAY commands, dmpmqcfg,
# and copies of error logs and qm.ini. It changes nothing and overwrites nothing.
# Exit codes: 0 all was collected; 10 parts are missing, see manifest.txt; 20 nothing was done.

set -fu
umask 077
PROGRAM=unix
@COMMON@
while getopts d: option; do
    case $option in
    d) folder=$OPTARG ;;
    *) die 'usage: sh collect.sh [-d FOLDER] [QM ...]' ;;
    esac
done
shift $((OPTIND - 1))
if [ $# -eq 0 ]; then
    # Names of queue managers have no blanks.
    # shellcheck disable=SC2046
    set -- $(dspmq | sed -n 's/^ *QMNAME(\([^)]*\)).*STATUS(Running).*/\1/p')
    [ $# -gt 0 ] || die 'dspmq shows no queue manager that runs; name one'
fi
for qmgr in "$@"; do
    check "$qmgr"
done
begin

for qmgr in "$@"; do
    start "$qmgr" || continue
    run "$place/display.txt" runmqsc "$qmgr" <"$folder/display.mqsc"
    run "$place/dmpmqcfg.mqsc" dmpmqcfg -m "$qmgr" -a </dev/null
    stanza=$(dspmqinf -o stanza "$qmgr" 2>>"$folder/stderr.txt")
    path=$(printf '%s\n' "$stanza" | sed -n 's/^ *DataPath=//p')
    if [ -z "$path" ]; then
        prefix=$(printf '%s\n' "$stanza" | sed -n 's/^ *Prefix=//p')
        path=$prefix/qmgrs/$(printf '%s\n' "$stanza" | sed -n 's/^ *Directory=//p')
    fi
    if [ -n "$stanza" ] && [ -f "$path/qm.ini" ]; then
        run "$place/qm.ini" cat "$path/qm.ini"
    else
        say "qmgr: $qmgr, FAILED: its qm.ini was not found"
    fi
    if [ -n "$stanza" ] && [ -d "$path/errors" ]; then
        for number in 1 2 3; do
            for log in "AMQERR0$number.LOG" "AMQERR0$number.json"; do
                [ ! -f "$path/errors/$log" ] || run "$place/$log" cat "$path/errors/$log"
            done
        done
    else
        say "qmgr: $qmgr, FAILED: the folder of its error logs was not found"
    fi
done
finish

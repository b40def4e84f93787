#!/bin/sh
# Collect what twin reads about many queue managers from one place, into one new folder.
#
#   sh collect.sh [-d FOLDER] [-u USER] LIST
#
# LIST is a file with one line for each queue manager; # begins a comment:
#
#   QM1 client ADMIN.SVRCONN qm1.example.com(1414)    over this server-connection channel
#   QM2 ccdt                                          over the client channel table (MQCCDTURL)
#   MQ1A via HUB1                                     through the queue manager HUB1 of this host
#
# With -u the password is asked for once, and handed to runmqsc and dmpmqcfg on standard input.
# It only reads: DISPLAY commands and dmpmqcfg. It changes nothing and overwrites nothing. Files
# are not reached over connections: copy AMQERR0n.LOG and qm.ini of each QM into FOLDER/QM yourself.
# Exit codes: 0 all was collected; 10 parts are missing, see manifest.txt; 20 nothing was done.

set -fu
umask 077
PROGRAM=hub
WAIT=30
@COMMON@
user='' password=''
while getopts d:u: option; do
    case $option in
    d) folder=$OPTARG ;;
    u) user=$OPTARG ;;
    *) die 'usage: sh collect.sh [-d FOLDER] [-u USER] LIST' ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || die 'usage: sh collect.sh [-d FOLDER] [-u USER] LIST'
list=$1
[ -r "$list" ] || die "cannot read $list"
lines() {
    sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$list"
}
words=0
while read -r qmgr how first second rest; do
    words=$((words + 1))
    check "$qmgr"
    case $how:$first:$second:$rest in
    client:?*:?*:)
        check "$first"
        case $second in
        *[!A-Za-z0-9._:,\(\)%-]*) die "bad address: $second" ;;
        esac
        ;;
    via:?*::) check "$first" ;;
    ccdt:::) ;;
    *) die "bad line for $qmgr; expected client CHANNEL HOST(PORT), ccdt, or via QM" ;;
    esac
done <<END
$(lines)
END
[ "$words" -gt 0 ] || die "$list names no queue manager"
if [ -n "$user" ]; then
    [ -t 0 ] || die 'with -u, run it at a terminal: it asks for the password'
    printf 'Password of %s: ' "$user" >&2
    trap 'stty echo' 0
    trap 'exit 130' 1 2 15
    stty -echo
    IFS= read -r password
    stty echo
    printf '\n' >&2
fi
begin

secret() {
    [ -z "$user" ] || printf '%s\n' "$password"
}

# The commands read their standard input from a pipe, never from the list.
while read -r qmgr how first second rest; do
    start "$qmgr" || continue
    unset MQSERVER
    if [ "$how" = client ]; then
        MQSERVER="$first/TCP/$second"
        export MQSERVER
    fi
    case $how in
    via)
        { secret && cat "$folder/display.mqsc"; } |
            run "$place/display.txt" runmqsc ${user:+-u "$user"} -w "$WAIT" -m "$first" "$qmgr"
        secret | run "$place/dmpmqcfg.mqsc" dmpmqcfg ${user:+-u "$user"} -m "$first" -r "$qmgr" -a
        ;;
    *)
        { secret && cat "$folder/display.mqsc"; } |
            run "$place/display.txt" runmqsc -c ${user:+-u "$user"} -w "$WAIT" "$qmgr"
        secret | run "$place/dmpmqcfg.mqsc" dmpmqcfg -c default ${user:+-u "$user"} -m "$qmgr" -a
        ;;
    esac
done <<END
$(lines)
END
finish

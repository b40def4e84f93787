folder=''

die() {
    printf 'collect: %s\n' "$*" >&2
    exit 20
}

instant() {
    date -u +%Y-%m-%dT%H:%M:%SZ
}

# check NAME: refuse what cannot be the name of a queue manager or channel.
check() {
    case $1 in
    '' | . | .. | *[!A-Za-z0-9._/%]*) die "bad name: $1" ;;
    esac
}

say() {
    printf '%s\n' "$*" >>"$folder/manifest.txt"
}

# begin: make the folder, which must be new, with the manifest and the commands that are sent.
begin() {
    folder=${folder:-twin-$(uname -n)-$(date -u +%Y%m%dT%H%M%SZ)}
    case $folder in
    -*) die "bad name of a folder: $folder" ;;
    esac
    mkdir "$folder" || die "cannot make the new folder $folder"
    set -C
    say "script: twin collect-script --$PROGRAM"
    say "host: $(uname -n)"
    say "zone: $(date +%Z%z)"
    say "TZ: ${TZ-}"
    say "begin: $(instant)"
    cat >"$folder/display.mqsc" <<'END'
@DISPLAY@
END
}

# start QM: make its folder, and set `place` to its name; / is written as &, as in MQ's folders.
start() {
    place=$(printf '%s\n' "$1" | tr / '&')
    if ! mkdir "$folder/$place"; then
        say "qmgr: $1, FAILED: its folder exists"
        return 1
    fi
    say "qmgr: $1, folder: $place"
}

# run FILE COMMAND ...: run a command, with its output in a new file of the folder.
run() {
    file=$1
    shift
    from=$(instant)
    "$@" >"$folder/$file" 2>>"$folder/stderr.txt"
    code=$?
    # runmqsc ends with 10 if a DISPLAY found nothing.
    if [ "$code" -ne 0 ] && { [ "$1" != runmqsc ] || [ "$code" -ne 10 ]; }; then
        say "file: $file, begin: $from, end: $(instant), exit code: $code, FAILED"
    else
        say "file: $file, begin: $from, end: $(instant), exit code: $code"
    fi
}

# finish: close the manifest; exit with 10 if anything failed.
finish() {
    say "end: $(instant)"
    printf 'collected in %s; see %s/manifest.txt\n' "$folder" "$folder"
    if grep -q 'FAILED' "$folder/manifest.txt"; then
        printf 'collect: parts are missing:\n' >&2
        grep 'FAILED' "$folder/manifest.txt" >&2
        exit 10
    fi
    exit 0
}

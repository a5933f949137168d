#!/bin/sh
# Dumps the database of PGHOST, PGUSER and PGDATABASE into FOLDER, then deletes dumps that are older than KEPT_DAYS,
# except the newest KEPT_DAYS dumps: for one run the clock may have been far ahead.
#   backup.sh          now
#   backup.sh nightly  each night at 2:00 UTC, and again ten minutes after a failure
set -eu
umask 077

# Otherwise deletion would fail after each dump, and ten minutes later the next dump would follow.
case "$KEPT_DAYS" in
  '' | *[!0-9]*)
    echo "BACKUPS_KEPT_DAYS must be a whole number, such as 7." >&2
    exit 1
    ;;
esac

back_up() {
  file="$FOLDER/user-groups-$(date -u +%Y%m%dT%H%M%SZ).dump"
  # Another name until it is whole.
  if ! pg_dump -Fc -f "$file.part"; then
    # Each attempt has another name: failed ones would fill the disk.
    rm -f "$file.part"
    return 1
  fi
  mv "$file.part" "$file" &&
    ls -rd "$FOLDER"/user-groups-*.dump | sed "1,${KEPT_DAYS}d" | while IFS= read -r old; do
      find "$old" -mtime "+$KEPT_DAYS" -delete
    done &&
    find "$FOLDER" -maxdepth 1 -name 'user-groups-*.dump.part' -mtime "+$KEPT_DAYS" -delete && echo "$file"
}

if [ "${1:-}" != nightly ]; then
  back_up
  exit
fi
while :; do
  sleep $((86400 - ($(date +%s) - 7200) % 86400))
  until back_up; do
    echo "The backup failed. The next attempt is in ten minutes." >&2
    sleep 600
  done
done

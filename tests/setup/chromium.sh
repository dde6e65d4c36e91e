#!/bin/sh
# Starts $CHROMIUM as Playwright asks for it, without the pages that it loads for its own address bar: two for each
# window that nobody sees, which cost more than most pages of ours; and without a process in advance for the next page, which
# few journeys have. Chromium hears only one list of what is off.
for word; do
  shift
  case $word in
    --disable-features=*) word="$word,WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess" ;;
  esac
  set -- "$@" "$word"
done
exec "$CHROMIUM" "$@"

import { useNavigate } from "@remix-run/react";
import { type MouseEvent, useCallback } from "react";
import { withKeptLook } from "./kept-look";

/**
 * A click handler for an element with many plain links inside: they go where they point without loading the
 * page anew. One `Link` is cheap; on a page with a thousand of them it is most of the work.
 */
export function useLinkArea() {
  const navigate = useNavigate();
  return useCallback(
    (event: MouseEvent<HTMLElement>) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      const to = link?.getAttribute("href");
      if (!link || !to || link.target || event.defaultPrevented || isForBrowser(event)) return;
      event.preventDefault();
      const replace = link.hasAttribute("data-replace");
      navigate(link.hasAttribute("data-place") ? withKeptLook(to) : to, {
        preventScrollReset: to.startsWith("?"),
        replace,
      });
    },
    [navigate],
  );
}

/** New tab, new window, download: the browser's own business. */
function isForBrowser(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}

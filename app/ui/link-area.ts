import { useNavigate } from "@remix-run/react";
import { type MouseEvent, useCallback } from "react";
import { withKeptLook } from "./kept-look";

/**
 * Click handler for an element with many plain links: they navigate without a page load. Why: one `Link` is cheap, but
 * a thousand of them are most of a page's rendering work.
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

/** Whether to leave the click to the browser: new tab, new window, download. */
function isForBrowser(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}

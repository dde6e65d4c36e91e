import { useLocation, useNavigate } from "@remix-run/react";
import { type MouseEvent, type ReactNode, useCallback } from "react";

/** Where this tab remembers how a page was left: those parameters of its address that say how it looks. */
export const keptLookKey = (path: string) => `look ${path}`;

/** The way to a page as it was left; anyone who is there already goes to it without a filter. */
export function withKeptLook(path: string): string {
  try {
    const look = path === location.pathname ? null : sessionStorage.getItem(keptLookKey(path));
    return look ? `${path}?${look}` : path;
  } catch {
    return path;
  }
}

/** Plain links that navigate without a page load: a thousand `Link`s are most of a page's rendering work. */
export function useLinkArea() {
  const navigate = useNavigate();
  return useCallback(
    (event: MouseEvent<HTMLElement>) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      const to = link?.getAttribute("href");
      if (!link || !to || link.target || event.defaultPrevented || isForBrowser(event)) return;
      event.preventDefault();
      // A place on this page: the router would return to where the page was scrolled before.
      if (to.startsWith("#")) {
        const place = document.getElementById(to.slice(1));
        if (place instanceof HTMLDetailsElement) place.open = true;
        return place?.scrollIntoView();
      }
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
export function isForBrowser(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}

interface PageLinkProps {
  to: string;
  /** Only marks this page itself, not pages below it. */
  end?: boolean;
  /** Says so itself where the path does not. */
  current?: boolean;
  className: string;
  children: ReactNode;
}

/** A link with `aria-current` on its own page. Use it in a link area (`useLinkArea`), which handles its clicks. */
export function PageLink({ to, end = false, current, className, children }: PageLinkProps) {
  const { pathname } = useLocation();
  const isHere = current ?? (pathname === to || (!end && pathname.startsWith(`${to}/`)));
  return (
    <a href={to} data-place aria-current={isHere ? "page" : undefined} className={className}>
      {children}
    </a>
  );
}

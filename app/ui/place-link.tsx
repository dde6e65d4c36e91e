import { useLocation } from "@remix-run/react";
import type { ReactNode } from "react";

/** A link with `aria-current` on its own page. Use it in a link area (`useLinkArea`), which handles its clicks. */
export function PlaceLink({
  to,
  end = false,
  current,
  className,
  children,
}: {
  to: string;
  /** Only marks this page itself, not pages below it. */
  end?: boolean;
  /** Says so itself where the path does not. */
  current?: boolean;
  className: string;
  children: ReactNode;
}) {
  const { pathname } = useLocation();
  const isHere = current ?? (pathname === to || (!end && pathname.startsWith(`${to}/`)));
  return (
    <a href={to} data-place aria-current={isHere ? "page" : undefined} className={className}>
      {children}
    </a>
  );
}

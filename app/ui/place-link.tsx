import { useLocation } from "@remix-run/react";
import type { ReactNode } from "react";

/** A link that says whether it leads to where one is. It stands in a link area, which follows it. */
export function PlaceLink({
  to,
  end = false,
  className,
  children,
}: {
  to: string;
  /** Only this page itself, none below it. */
  end?: boolean | undefined;
  className: string;
  children: ReactNode;
}) {
  const { pathname } = useLocation();
  const isHere = pathname === to || (!end && pathname.startsWith(`${to}/`));
  return (
    <a href={to} data-place aria-current={isHere ? "page" : undefined} className={className}>
      {children}
    </a>
  );
}

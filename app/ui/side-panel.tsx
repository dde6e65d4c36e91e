import { Link, useLocation } from "@remix-run/react";
import clsx from "clsx";
import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";

/** Classes for a panel over the right edge of its list, which keeps its place, and for one over the page. */
const overList = "lg:sticky lg:top-16 lg:max-h-[calc(100dvh-5rem)] lg:place-self-start lg:justify-self-end";
const overPage = "lg:top-16 lg:right-6 lg:bottom-6 lg:left-auto";

/** The panel is part of the URL, so Back, links to it and pages without script work. Esc closes it. */
export function SidePanel({
  title,
  closeTo,
  onClose,
  inList = onClose === undefined,
  children,
  footer,
}: {
  title: ReactNode;
  closeTo: string;
  /** Closes a panel that is not part of the URL. */
  onClose?: () => void;
  /** Whether the page has a place for it over its list (`.list-and-panel`). */
  inList?: boolean;
  children: ReactNode;
  footer?: ReactNode;
}) {
  const { state } = useLocation();
  const isPeek = onClose !== undefined || (typeof state === "object" && state !== null && "peek" in state);
  const { panel, heading } = usePanelFocus(isPeek);
  return (
    <aside
      ref={panel}
      aria-label="Details"
      data-side-panel
      className={clsx(
        "fixed inset-0 z-30 flex flex-col overflow-y-auto bg-surface pb-20 lg:w-100 lg:rounded-lg lg:border lg:border-line lg:pb-0 lg:shadow-pop",
        inList ? overList : overPage,
      )}
    >
      <header className="sticky top-0 z-10 flex items-start justify-between gap-2 border-b border-line bg-surface py-2.5 pr-2 pl-4">
        <h2 ref={heading} tabIndex={-1} className="min-w-0 py-1 text-base font-semibold outline-none">
          {title}
        </h2>
        <Link
          to={closeTo}
          preventScrollReset
          data-close
          onClick={(event) => {
            if (!onClose) return;
            event.preventDefault();
            onClose();
          }}
          aria-label="Close details"
          title="Close (Esc)"
          className={buttonClass("quiet", "icon")}
        >
          <Icon name="x" />
        </Link>
      </header>
      <div className="grid gap-4 p-4">{children}</div>
      {footer ? <footer className="mt-auto border-t border-line p-4">{footer}</footer> : null}
    </aside>
  );
}

/** Focuses the panel's heading and, on close, the element that opened it. A peek leaves the focus in the list. */
function usePanelFocus(isPeek: boolean) {
  const panel = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Read during the first render: a form focuses its first field before any effect runs.
  const [opener] = useState(() => (typeof document === "undefined" ? null : document.activeElement));
  useEffect(() => {
    if (!isPeek && !panel.current?.contains(document.activeElement)) {
      // When rendered by script, the browser ignores autofocus, so apply it here.
      const first = panel.current?.querySelector<HTMLElement>("[autofocus]");
      (first ?? heading.current)?.focus({ preventScroll: true });
    }
    return () => {
      // Only if the focus disappeared with the panel.
      if (document.activeElement !== document.body || !(opener instanceof HTMLElement)) return;
      opener.focus({ preventScroll: true });
    };
  }, [opener, isPeek]);
  return { panel, heading };
}

import { type KeyboardEvent, type MouseEvent, type ReactNode, useId } from "react";
import { buttonClass } from "./button";
import { useLinkArea } from "./link-area";

interface MenuProps {
  /** Name of the button and the list; read out and shown on hover. */
  label: string;
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom";
  triggerClassName?: string;
  /** The menu contains text and fields, not items to choose. */
  wide?: boolean;
}

/** A native popover: it opens without script and is never clipped. With script, the arrow keys move through it. */
export function Menu({
  label,
  trigger,
  children,
  align = "start",
  side = "bottom",
  triggerClassName,
  wide,
}: MenuProps) {
  const id = `menu${useId().replaceAll(":", "")}`;
  const follow = useLinkArea();
  const events = {
    ...menuEvents,
    onClick: (event: MouseEvent<HTMLElement>) => {
      follow(event);
      closeAfterChoice(event);
    },
  };
  return (
    <>
      <button
        type="button"
        popovertarget={id}
        aria-haspopup="true"
        aria-label={label}
        title={label}
        onKeyDown={enterMenu}
        className={triggerClassName ?? buttonClass()}
      >
        {trigger}
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover with the platform's styles */}
      <div
        id={id}
        popover="auto"
        role="group"
        aria-label={label}
        data-align={align}
        data-side={side}
        data-wide={wide}
        className="popover"
        {...events}
      >
        {children}
      </div>
    </>
  );
}

/** A link in a `Menu`, which handles its clicks. */
export function MenuLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a href={to} data-menu-item className="menu-item">
      {children}
    </a>
  );
}

interface MenuButtonProps {
  children: ReactNode;
  name?: string;
  value?: string;
  disabled?: boolean;
  type?: "submit" | "button";
  onClick?: () => void;
}

/** A menu item that changes something. A submit button, so it must be in a form. */
export function MenuButton({ children, type = "submit", ...rest }: MenuButtonProps) {
  return (
    <button type={type} data-menu-item className="menu-item" {...rest}>
      {children}
    </button>
  );
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return <p className="px-2.5 pt-2 pb-1.5 text-xs font-semibold text-muted">{children}</p>;
}

export function MenuDivider() {
  return <hr className="my-1 border-line" />;
}

/** Handlers that make a popover a menu: arrow keys move through it, a choice closes it. */
export const menuEvents = { onKeyDown: walk, onClick: closeAfterChoice };

/** Menu items that open something and leave the menu open. */
export const opensMore = "summary, [popovertarget]";

const stepOf = ({ key }: KeyboardEvent) => (key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0);

const itemsOf = (list: Element) => [
  ...list.querySelectorAll<HTMLElement>("[data-menu-item]:not(:disabled), [data-focus-first]"),
];

/** An arrow key on the button opens the menu and focuses the first or last item. */
export function enterMenu(event: KeyboardEvent<HTMLButtonElement>) {
  const button = event.currentTarget;
  const list = document.getElementById(button.getAttribute("popovertarget") ?? "");
  const step = stepOf(event);
  if (step === 0 || !list) return;
  event.preventDefault();
  if (!list.matches(":popover-open")) button.click();
  // The click may still change what the menu shows.
  requestAnimationFrame(() =>
    itemsOf(list)
      .at(step === 1 ? 0 : -1)
      ?.focus(),
  );
}

function walk(event: KeyboardEvent<HTMLElement>) {
  const step = stepOf(event);
  const items = itemsOf(event.currentTarget);
  if (step === 0 || items.length === 0) return;
  const at = items.findIndex((item) => item.matches(":focus"));
  event.preventDefault();
  items[(at + step + items.length) % items.length]?.focus();
}

function closeAfterChoice(event: { target: EventTarget; currentTarget: HTMLElement }) {
  const { target, currentTarget } = event;
  const item = target instanceof Element ? target.closest("[data-menu-item]") : null;
  // Items that open something in the menu leave it open.
  if (!item || item.matches(opensMore)) return;
  // Wait until the click is handled: hiding first would swallow the submit.
  setTimeout(() => currentTarget.isConnected && currentTarget.matches(":popover-open") && currentTarget.hidePopover());
}

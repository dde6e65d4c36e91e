import { type KeyboardEvent, type MouseEvent, type ReactNode, useId } from "react";
import { buttonClass } from "./button";
import { useLinkArea } from "./link-area";

interface MenuProps {
  /** Read out and shown on hover; also the name of the list. */
  label: string;
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom";
  triggerClassName?: string;
  /** It holds sentences and fields rather than lines to choose. */
  wide?: boolean;
}

/**
 * A button that opens a list of links and small forms. It is a native popover, so it opens without
 * script and is never clipped; with script the arrow keys walk through it.
 */
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

/** A line of a `Menu`, which follows it. */
export function MenuLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a href={to} data-menu-item className="menu-item">
      {children}
    </a>
  );
}

/** A choice that changes something: a submit button, so it sits in a form. */
export function MenuButton({
  children,
  danger,
  ...button
}: {
  children: ReactNode;
  danger?: boolean;
  name?: string;
  value?: string;
  disabled?: boolean;
  form?: string;
  popovertarget?: string;
  type?: "submit" | "button";
  onClick?: () => void;
}) {
  const { type = "submit", ...rest } = button;
  return (
    <button
      type={type}
      data-menu-item
      className={danger ? "menu-item text-danger" : "menu-item"}
      {...rest}
    >
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

/** What makes a popover a menu: arrow keys walk through it, a choice closes it. */
export const menuEvents = { onKeyDown: walk, onClick: closeAfterChoice };

/** Lines of a menu that choose nothing yet. */
export const opensMore = "summary, [popovertarget]";

const stepOf = ({ key }: KeyboardEvent) => (key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0);

const itemsOf = (list: Element) => [
  ...list.querySelectorAll<HTMLElement>("[data-menu-item]:not(:disabled), [data-focus-first]"),
];

/** An arrow on its button opens the menu and goes to the first or last line. */
export function enterMenu(event: KeyboardEvent<HTMLButtonElement>) {
  const button = event.currentTarget;
  const list = document.getElementById(button.getAttribute("popovertarget") ?? "");
  const step = stepOf(event);
  if (step === 0 || !list) return;
  event.preventDefault();
  if (!list.matches(":popover-open")) button.click();
  // What the menu shows may follow from the click.
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
  // What opens further things in the menu leaves it open.
  if (!item || item.matches(opensMore)) return;
  // After the click has done its work: hiding first would swallow the submit.
  setTimeout(
    () =>
      currentTarget.isConnected &&
      currentTarget.matches(":popover-open") &&
      currentTarget.hidePopover(),
  );
}

import type { ReactNode } from "react";
import { buttonClass } from "~/ui/button";
import { MenuHeading } from "~/ui/menu";

/** A part that rows or cards can leave out. */
export type Part = { value: string; label: string };

/** Checkboxes say what to show; addresses and saved views what to hide, so that a part that is added later is shown. */
export function withHidden(params: FormData | URLSearchParams, parts: readonly Part[]) {
  const shown = params.getAll("show");
  const entries = [...params].filter(([name]) => name !== "show" && name !== "hide");
  const address = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
  const hidden = parts.map(({ value }) => value).filter((value) => !shown.includes(value));
  if (hidden.length > 0) address.set("hide", hidden.join(","));
  return address;
}

/** How a filter changes the address. Drawn at once: in slices of a busy thread, each letter's list comes later. */
export const quietly = { replace: true, preventScrollReset: true, flushSync: true };

export const partsMenuId = "parts";

interface PartsMenuProps {
  title: string;
  parts: readonly Part[];
  /** Hidden parts, separated by spaces. */
  hidden: string;
  /** Further options, shown first. */
  children?: ReactNode;
}

/** Checkboxes for the parts that rows or cards show, in a native popover. Part of the surrounding form. */
export function PartsMenu({ title, parts, hidden, children }: PartsMenuProps) {
  const left = hidden.split(" ");
  return (
    <>
      <button type="button" popovertarget={partsMenuId} aria-haspopup="true" className={buttonClass("plain")}>
        {hidden === "" ? "Display" : `Display: ${left.length} hidden`}
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover with the platform's styles */}
      <div id={partsMenuId} popover="auto" role="group" aria-label="Display" data-long className="popover">
        {children}
        <MenuHeading>{title}</MenuHeading>
        {/* Also without any part it tells the choice from an address that makes none. */}
        <input type="hidden" name="show" />
        {parts.map(({ value, label }) => (
          <label key={value} className="menu-item">
            <input type="checkbox" name="show" value={value} defaultChecked={!left.includes(value)} />
            {label}
          </label>
        ))}
      </div>
    </>
  );
}

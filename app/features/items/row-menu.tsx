import { useNavigate } from "@remix-run/react";
import { Kbd } from "~/ui/badge";
import { MenuButton, MenuDivider, MenuHeading, menuEvents } from "~/ui/menu";
import { shownKeys } from "~/ui/page-keys";
import { useWriteAccess } from "~/ui/write-access";
import { focusRow } from "./active-row";
import { actionsFor, type ItemAction, isCopy, runItemAction } from "./item-actions";
import { useMenuAt } from "./use-menu-at";

export type OpenRowMenu = { items: readonly string[]; row: HTMLElement; x: number; y: number };

/** Context menu of a row: all actions that have keys, and ways to open it. */
export default function RowMenu({ menu, onClose }: { menu: OpenRowMenu; onClose: () => void }) {
  const { items, row, x, y } = menu;
  const { canWrite } = useWriteAccess();
  const ref = useMenuAt({ x, y }, onClose);
  const code = row.querySelector("[data-code]")?.textContent ?? "";
  const [first = "", ...others] = items;
  const link = others.length === 0 ? row.querySelector<HTMLAnchorElement>("a[data-row]") : null;
  const about = others.length === 0 ? code : `${items.length} selected`;
  const actions = actionsFor(items, canWrite);
  const copies = actions.filter(({ name }) => isCopy(name));
  const line = ({ name, key, label }: ItemAction) => (
    <MenuButton
      key={name}
      type="button"
      onClick={() => {
        onClose();
        focusRow(first);
        runItemAction(name, items, row);
      }}
    >
      <Line label={label} keys={key} />
    </MenuButton>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover with the platform's styles
    <div ref={ref} popover="auto" role="group" aria-label={`Actions for ${about}`} className="popover" {...menuEvents}>
      <MenuHeading>
        <span className="font-mono">{about}</span>
      </MenuHeading>
      {link ? <Ways link={link} /> : null}
      {actions.filter(({ name }) => !isCopy(name)).map(line)}
      {copies.length > 0 ? <MenuDivider /> : null}
      {copies.map(line)}
    </div>
  );
}

function Ways({ link }: { link: HTMLAnchorElement }) {
  const navigate = useNavigate();
  return (
    <>
      <MenuButton type="button" onClick={() => navigate(link.getAttribute("href") ?? "")}>
        <Line label="Open" keys="Enter" />
      </MenuButton>
      <MenuButton type="button" onClick={() => window.open(link.href, "_blank", "noopener")}>
        Open in a new tab
      </MenuButton>
    </>
  );
}

function Line({ label, keys }: { label: string; keys: string }) {
  return (
    <>
      <span className="flex-1">{label}</span>
      {shownKeys(keys).map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </>
  );
}

import { useNavigate } from "@remix-run/react";
import { Kbd } from "~/ui/badge";
import { MenuButton, MenuDivider, MenuHeading, menuEvents } from "~/ui/menu";
import { copyText } from "~/ui/rare/copy-text";
import { showToast } from "~/ui/toast";
import { useWriteAccess } from "~/ui/write-access";
import { focusRow } from "../active-row";
import { actionsFor, runItemAction } from "./item-actions";
import { useMenuAt } from "./use-menu-at";

export interface OpenRowMenu {
  items: readonly string[];
  row: HTMLElement;
  x: number;
  y: number;
}

/** What the second button of the mouse, or the menu key, opens at a row: all that its keys do, and where it leads. */
export default function RowMenu({ menu, onClose }: { menu: OpenRowMenu; onClose: () => void }) {
  const { items, row, x, y } = menu;
  const { canWrite } = useWriteAccess();
  const ref = useMenuAt({ x, y }, onClose);
  const code = row.querySelector("[data-code]")?.textContent ?? "";
  const [first = "", ...others] = items;
  const link = others.length === 0 ? row.querySelector<HTMLAnchorElement>("a[data-row]") : null;
  const about = others.length === 0 ? code : `${items.length} selected`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover with the platform's styles
    <div
      ref={ref}
      popover="auto"
      role="group"
      aria-label={`Actions for ${about}`}
      className="popover"
      {...menuEvents}
    >
      <MenuHeading>
        <span className="font-mono">{about}</span>
      </MenuHeading>
      {link ? <Ways link={link} /> : null}
      {actionsFor(items, canWrite).map(({ name, key, label }) => (
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
      ))}
      {link ? <Copies code={code} link={link} /> : null}
    </div>
  );
}

/** Where the row leads, here and in a new tab. */
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

function Copies({ code, link }: { code: string; link: HTMLAnchorElement }) {
  const copy = async (text: string) => {
    if (await copyText(text)) showToast("Copied");
  };
  return (
    <>
      <MenuDivider />
      <MenuButton type="button" onClick={() => void copy(code)}>
        Copy code
      </MenuButton>
      <MenuButton type="button" onClick={() => void copy(link.href)}>
        Copy link
      </MenuButton>
    </>
  );
}

function Line({ label, keys }: { label: string; keys: string }) {
  return (
    <>
      <span className="flex-1">{label}</span>
      <Kbd>{keys}</Kbd>
    </>
  );
}

import { useNavigate } from "@remix-run/react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { Kbd } from "../badge";
import { MenuButton, MenuDivider, MenuHeading, menuEvents } from "../menu";
import { showToast } from "../toast";
import { useWriteAccess } from "../write-access";
import { focusRow } from "./at-hand";
import { actionsFor, runThingAction } from "./thing-actions";

export interface OpenRowMenu {
  things: readonly string[];
  row: HTMLElement;
  x: number;
  y: number;
}

/** What the second button of the mouse, or the menu key, opens at a row: all that its keys do, and where it leads. */
export default function RowMenu({ menu, onClose }: { menu: OpenRowMenu; onClose: () => void }) {
  const { things, row, x, y } = menu;
  const { canWrite } = useWriteAccess();
  const navigate = useNavigate();
  const ref = useRef<HTMLDivElement>(null);
  const link = row.querySelector<HTMLAnchorElement>("a[data-row]");
  const code = row.querySelector("[data-code]")?.textContent ?? "";
  const about = things.length === 1 ? code : `${things.length} selected`;
  const [first = ""] = things;
  useLayoutEffect(() => {
    const list = ref.current;
    if (!list) return;
    list.showPopover();
    if (window.innerWidth >= 640) {
      const left = Math.max(Math.min(x, window.innerWidth - list.offsetWidth - 8), 8);
      const top = Math.max(Math.min(y, window.innerHeight - list.offsetHeight - 8), 8);
      list.style.setProperty("position-area", "none");
      list.style.setProperty("inset", `${top}px auto auto ${left}px`);
    }
    list.querySelector<HTMLElement>("[data-menu-item]")?.focus();
  }, [x, y]);
  useEffect(() => {
    const list = ref.current;
    const onToggle = (event: Event) => {
      if ("newState" in event && event.newState === "closed") onClose();
    };
    list?.addEventListener("toggle", onToggle);
    return () => list?.removeEventListener("toggle", onToggle);
  }, [onClose]);
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    showToast("Copied", "done");
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover with the platform's styles
    <div
      ref={ref}
      popover="auto"
      role="group"
      aria-label={`What to do with ${about}`}
      className="popover"
      {...menuEvents}
    >
      <MenuHeading>
        <span className="font-mono">{about}</span>
      </MenuHeading>
      {things.length === 1 && link ? (
        <>
          <MenuButton type="button" onClick={() => navigate(link.getAttribute("href") ?? "")}>
            <Line label="Open" keys="Enter" />
          </MenuButton>
          <MenuButton type="button" onClick={() => window.open(link.href, "_blank", "noopener")}>
            Open in a new tab
          </MenuButton>
        </>
      ) : null}
      {actionsFor(things, canWrite).map(({ name, key, label }) => (
        <MenuButton
          key={name}
          type="button"
          onClick={() => {
            onClose();
            focusRow(first);
            runThingAction(name, things, row);
          }}
        >
          <Line label={label} keys={key} />
        </MenuButton>
      ))}
      {things.length === 1 && link ? (
        <>
          <MenuDivider />
          <MenuButton type="button" onClick={() => void copy(code)}>
            Copy code
          </MenuButton>
          <MenuButton type="button" onClick={() => void copy(link.href)}>
            Copy link
          </MenuButton>
        </>
      ) : null}
    </div>
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

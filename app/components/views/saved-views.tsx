import { useSubmit } from "@remix-run/react";
import { type FormEvent, useRef, useState } from "react";
import { buttonClass } from "../button";
import { enterMenu, menuEvents } from "../menu";
import { type PageKey, usePageKeys } from "../page-keys";
import { ServerText } from "../server-text";
import { useAnswerOf } from "../tell-answer";
import { useWithDrawing } from "../use-with-drawing";
import { WriteFields } from "../write-access";

const menuId = "views";
const fetcherKey = "saved-views";

/** The button with the views of this page and its menu, as the server wrote it; a native popover, so it works without script. */
export function SavedViews({
  current,
  menu,
}: {
  current: { name: string; isChanged: boolean } | null;
  menu: string;
}) {
  const submit = useSubmit();
  const list = useRef<HTMLDivElement>(null);
  useAnswerOf(fetcherKey);
  usePageKeys("Views", keys);
  // A menu that is open stays as it is: to write it anew would take away what is being typed into it.
  // One that is closed is that of the button beside it at once: whoever opens it early would be left with the one before.
  const [written, setWritten] = useState(menu);
  useWithDrawing(() => {
    const popover = list.current;
    const follow = () => {
      if (!popover?.matches(":popover-open")) setWritten(menu);
    };
    follow();
    popover?.addEventListener("toggle", follow);
    return () => popover?.removeEventListener("toggle", follow);
  }, [menu]);
  const send = (event: FormEvent) => {
    const { submitter } = event.nativeEvent instanceof SubmitEvent ? event.nativeEvent : {};
    if (!(submitter instanceof HTMLButtonElement)) return;
    event.preventDefault();
    submit(submitter, { method: "post", navigate: false, fetcherKey, preventScrollReset: true });
    // The focus goes back to the button before the menu is written anew.
    list.current?.hidePopover();
  };
  return (
    <>
      <button
        type="button"
        popovertarget={menuId}
        aria-haspopup="true"
        title="Saved views (v)"
        data-views
        onKeyDown={enterMenu}
        className={buttonClass("plain", "md", "max-w-60")}
      >
        <span className="truncate">{current ? `View: ${current.name}` : "Views"}</span>
        {current?.isChanged ? <span className="text-muted">changed</span> : null}
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover with the platform's styles */}
      <div
        ref={list}
        id={menuId}
        popover="auto"
        role="group"
        aria-label="Views"
        data-long
        className="popover"
        onSubmit={send}
        {...menuEvents}
      >
        <WriteFields quiet>
          <ServerText html={written} />
        </WriteFields>
      </div>
    </>
  );
}

function open(target: string): boolean {
  const button = document.querySelector<HTMLElement>("[data-views]");
  const list = document.getElementById(menuId);
  if (!button || !list) return false;
  button.focus();
  if (!list.matches(":popover-open")) button.click();
  list.querySelector<HTMLElement>(target)?.focus();
  return true;
}

const keys: readonly PageKey[] = [
  { keys: "v", label: "Saved views", run: () => open("[data-menu-item], input") },
  { keys: "Alt+KeyV", label: "Save this view", run: () => open("[data-view-name]") },
];

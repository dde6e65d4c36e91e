import { useLocation, useSubmit } from "@remix-run/react";
import { type FormEvent, type MouseEvent, useRef } from "react";
import type { SavedView } from "~/nouns/saved-views/contract";
import { useResultOf } from "~/ui/action-result";
import { buttonClass } from "~/ui/button";
import { useLinkArea } from "~/ui/link-area";
import { enterMenu, menuEvents } from "~/ui/menu";
import { type PageKey, usePageKeys } from "~/ui/page-keys";
import { WriteFields } from "~/ui/write-access";
import type { ShownViews } from "./shown-views.server";
import { ViewsMenu } from "./views-menu";

const menuId = "views";
const fetcherKey = "saved-views";

/** The button and menu of the page's saved views: a native popover, so it works without JavaScript. */
export function SavedViews({ views, current }: ShownViews) {
  const submit = useSubmit();
  const list = useRef<HTMLDivElement>(null);
  const { pathname, search } = useLocation();
  const follow = useLinkArea();
  useResultOf(fetcherKey);
  usePageKeys("Views", keys);
  const send = (event: FormEvent) => {
    const { submitter } = event.nativeEvent instanceof SubmitEvent ? event.nativeEvent : {};
    if (!(submitter instanceof HTMLButtonElement)) return;
    event.preventDefault();
    submit(submitter, { method: "post", navigate: false, fetcherKey, preventScrollReset: true });
    list.current?.hidePopover();
  };
  const events = {
    ...menuEvents,
    onClick: (event: MouseEvent<HTMLElement>) => {
      follow(event);
      menuEvents.onClick(event);
    },
  };
  const currentView: SavedView | undefined = views.find(({ id }) => id === current?.id);
  const isChanged = current?.isChanged ?? false;
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
        <span className="truncate">{currentView ? `View: ${currentView.name}` : "Views"}</span>
        {isChanged ? <span className="text-muted">changed</span> : null}
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
        {...events}
      >
        <WriteFields quiet>
          <ViewsMenu
            views={views}
            current={currentView}
            isChanged={isChanged}
            path={pathname}
            here={`${pathname}${search}`}
          />
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
  { keys: "Alt+KeyV", label: "Save view", run: () => open("[data-view-name]") },
];

import { useLocation, useSubmit } from "@remix-run/react";
import { type FormEvent, type MouseEvent, useRef } from "react";
import { useResultOf } from "~/ui/action-result";
import { Button, buttonClass } from "~/ui/button";
import { useLinkArea } from "~/ui/link-area";
import { enterMenu, MenuHeading, menuEvents } from "~/ui/menu";
import { type PageKey, usePageKeys } from "~/ui/page-keys";
import { WriteFields } from "~/ui/write-access";
import type { SavedView } from "~/wire/saved-views/contract";
import type { ShownViews } from "./shown-views.server";

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

const field = "h-8 w-full rounded border border-line-strong bg-surface px-2 text-sm pointer-coarse:h-10";

interface ViewsMenuProps {
  views: readonly SavedView[];
  current: SavedView | undefined;
  isChanged: boolean;
  path: string;
  here: string;
}

/** Links to saved views, and forms that save, rename and delete one. */
export function ViewsMenu({ views, current, isChanged, path, here }: ViewsMenuProps) {
  return (
    <div className="w-72 max-w-full max-sm:w-full">
      <ViewLinks title="Yours" views={views.filter(({ shared }) => !shared)} current={current} path={path} />
      <ViewLinks title="Shared" views={views.filter(({ shared }) => shared)} current={current} path={path} />
      {views.length === 0 ? (
        <p className="px-2.5 py-2 text-sm text-muted">A view saves the filter and layout of this page.</p>
      ) : (
        <a href={path} data-menu-item className="menu-item">
          No view
        </a>
      )}
      <hr className="my-1 border-line" />
      {current?.may_change ? <ChangeForms key={current.id} view={current} isChanged={isChanged} here={here} /> : null}
      {/* The key empties the form after saving. */}
      <form key={views.length} method="post" action={here} className="grid gap-2 p-2.5">
        <label className="grid gap-1 text-sm font-medium">
          View name
          <input name="name" required maxLength={60} data-view-name className={field} />
        </label>
        <SharedBox checked={false} />
        <Button type="submit" name="intent" value="save-view">
          Save view
        </Button>
      </form>
    </div>
  );
}

type ViewLinksProps = { title: string; views: readonly SavedView[]; current: SavedView | undefined; path: string };

function ViewLinks({ title, views, current, path }: ViewLinksProps) {
  if (views.length === 0) return null;
  return (
    <>
      <MenuHeading>{title}</MenuHeading>
      {views.map((view) => (
        <a
          key={view.id}
          href={`${path}?${new URLSearchParams({ ...view.look, view: view.id })}`}
          data-menu-item
          aria-current={view === current ? "true" : undefined}
          className="menu-item aria-[current=true]:font-semibold"
        >
          <span className="truncate">{view.name}</span>
        </a>
      ))}
    </>
  );
}

function ChangeForms({ view, isChanged, here }: { view: SavedView; isChanged: boolean; here: string }) {
  const id = <input type="hidden" name="view_id" value={view.id} />;
  return (
    <>
      {isChanged ? (
        <form method="post" action={here}>
          {id}
          <button type="submit" name="intent" value="keep-look" className="menu-item">
            <span className="truncate">
              Update “<bdi>{view.name}</bdi>”
            </span>
          </button>
        </form>
      ) : null}
      <details>
        <summary className="menu-item">
          <span className="truncate">
            Rename, share or delete “<bdi>{view.name}</bdi>”
          </span>
        </summary>
        <form key={`${view.name} ${view.shared}`} method="post" action={here} className="grid gap-2 p-2.5">
          {id}
          <label className="grid gap-1 text-sm font-medium">
            Name
            <input name="name" required maxLength={60} defaultValue={view.name} className={field} />
          </label>
          <SharedBox checked={view.shared} />
          <div className="flex gap-2">
            <Button type="submit" name="intent" value="change-view">
              Save
            </Button>
            <Button type="submit" name="intent" value="delete-view" formNoValidate className="text-danger">
              Delete view
            </Button>
          </div>
        </form>
      </details>
      <hr className="my-1 border-line" />
    </>
  );
}

function SharedBox({ checked }: { checked: boolean }) {
  return (
    <label className="flex items-center gap-2 text-sm pointer-coarse:min-h-10">
      <input type="checkbox" name="shared" defaultChecked={checked} />
      Share with all members of the product
    </label>
  );
}

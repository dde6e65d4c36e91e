import { renderToStaticMarkup } from "react-dom/server";

import {
  type Look,
  lookOf,
  lookParameters,
  type SavedView,
  type ViewPage,
} from "~/contract/saved-view";
import { MenuHeading } from "../menu";

const field =
  "h-8 w-full rounded border border-line-strong bg-surface px-2 text-sm pointer-coarse:h-10";
const button =
  "inline-flex h-8 items-center justify-center rounded border border-line bg-raised px-3 text-sm font-medium hover:border-line-strong pointer-coarse:h-10";

interface ShownViews {
  /** The view that the address names, and whether the page has been changed since. */
  current: { name: string; isChanged: boolean } | null;
  menu: string;
}

/** The views of a page and the forms that keep one, as text: no browser loads what draws them. */
export function viewsText(
  views: readonly SavedView[],
  page: ViewPage,
  request: Request,
): ShownViews {
  const { pathname, search, searchParams } = new URL(request.url);
  const current = views.find(({ id }) => id === searchParams.get("view"));
  const look = lookOf(page, searchParams);
  const isChanged = current !== undefined && !isSameLook(page, current.look, look);
  const here = `${pathname}${search}`;
  const own = views.filter(({ shared }) => !shared);
  const shared = views.filter((view) => view.shared);
  const menu = renderToStaticMarkup(
    <div className="w-72 max-w-full max-sm:w-full">
      <ViewLinks title="Yours" views={own} current={current} path={pathname} />
      <ViewLinks title="Shared" views={shared} current={current} path={pathname} />
      {views.length === 0 ? (
        <p className="px-2.5 py-2 text-sm text-muted">
          A view keeps filter and shape of this page under a name.
        </p>
      ) : (
        <a href={pathname} data-menu-item className="menu-item">
          No view
        </a>
      )}
      <hr className="my-1 border-line" />
      {current?.may_change ? (
        <ChangeForms view={current} isChanged={isChanged} here={here} />
      ) : null}
      <form method="post" action={here} className="grid gap-2 p-2.5">
        <label className="grid gap-1 text-sm font-medium">
          Name of this view
          <input name="name" required maxLength={60} data-view-name className={field} />
        </label>
        <SharedBox checked={false} />
        <button type="submit" name="intent" value="save-view" className={button}>
          Save view
        </button>
      </form>
    </div>,
  );
  return { current: current ? { name: current.name, isChanged } : null, menu };
}

function ViewLinks({
  title,
  views,
  current,
  path,
}: {
  title: string;
  views: readonly SavedView[];
  current: SavedView | undefined;
  path: string;
}) {
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

function ChangeForms({
  view,
  isChanged,
  here,
}: {
  view: SavedView;
  isChanged: boolean;
  here: string;
}) {
  const id = <input type="hidden" name="view_id" value={view.id} />;
  return (
    <>
      {isChanged ? (
        <form method="post" action={here}>
          {id}
          <button type="submit" name="intent" value="keep-look" className="menu-item">
            <span className="truncate">Keep the changes in “{view.name}”</span>
          </button>
        </form>
      ) : null}
      <details>
        <summary className="menu-item">
          <span className="truncate">Rename, share or delete “{view.name}”</span>
        </summary>
        <form method="post" action={here} className="grid gap-2 p-2.5">
          {id}
          <label className="grid gap-1 text-sm font-medium">
            Name
            <input name="name" required maxLength={60} defaultValue={view.name} className={field} />
          </label>
          <SharedBox checked={view.shared} />
          <div className="flex gap-2">
            <button type="submit" name="intent" value="change-view" className={button}>
              Save
            </button>
            <button
              type="submit"
              name="intent"
              value="delete-view"
              formNoValidate
              className={`${button} text-danger`}
            >
              Delete view
            </button>
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
      All members of the product see it
    </label>
  );
}

function isSameLook(page: ViewPage, one: Look, other: Look): boolean {
  return lookParameters[page].every((name) => (one[name] ?? "") === (other[name] ?? ""));
}

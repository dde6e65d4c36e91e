import { Form, Link, useSubmit } from "@remix-run/react";
import { type ComponentProps, useEffect, useRef, useState } from "react";
import { PartsMenu } from "~/features/views/parts-menu";
import { SavedViews } from "~/features/views/saved-views";
import { useEarlierChoices } from "~/ui/use-earlier-choices";
import { type BoardSettings, cardParts, groupings } from "./board-settings";

/** Filter, groups and shape of a board, and its saved views; with script they apply while one types. */
export function BoardTools({
  settings,
  view,
  saved,
  hidden,
  showAll,
}: {
  settings: BoardSettings;
  /** The saved view that the address names. */
  view: string | null;
  saved?: ComponentProps<typeof SavedViews>;
  /** How many a filter hides; null without a filter. */
  hidden: number | null;
  showAll: string;
}) {
  const area = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(settings);
  useEffect(() => {
    // What is being typed is the person's, not that of the next answer.
    if (!area.current?.contains(document.activeElement)) setShown(settings);
  }, [settings]);
  useEarlierChoices(area);
  return (
    <div className="-mb-2 flex flex-wrap items-center gap-2">
      <div ref={area} className="contents">
        <SettingsForm key={JSON.stringify(shown)} settings={shown} view={view} />
      </div>
      {saved ? <SavedViews {...saved} /> : null}
      {hidden === null ? null : (
        <span className="flex items-center gap-2 text-sm text-muted">
          <span role="status">{`${hidden} hidden by the filter.`}</span>
          <Link
            to={showAll}
            preventScrollReset
            className="text-accent underline underline-offset-2 hover:decoration-2"
          >
            Show all
          </Link>
        </span>
      )}
    </div>
  );
}

const control = "h-8 rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10";

function SettingsForm({ settings, view }: { settings: BoardSettings; view: string | null }) {
  const submit = useSubmit();
  return (
    <Form
      aria-label="Filter and layout of the board"
      autoComplete="off"
      className="contents"
      onInput={({ currentTarget }) =>
        submit(currentTarget, { replace: true, preventScrollReset: true })
      }
    >
      <input
        type="search"
        name="q"
        data-filter
        defaultValue={settings.query}
        aria-label="Filter the board"
        title="Words from the code or title, or status:todo,review priority:<2 assignee:me label:bug story:ST-1 worker:name is:waiting. Put a minus before a filter to exclude it"
        placeholder="Filter, or is:waiting assignee:me"
        className={`${control} min-w-0 basis-full sm:w-72 sm:flex-none sm:basis-auto`}
      />
      <select name="group" aria-label="Group by" defaultValue={settings.group} className={control}>
        {groupings.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        name="as"
        aria-label="Layout"
        defaultValue={settings.list ? "list" : ""}
        className={control}
      >
        <option value="">Board</option>
        <option value="list">List</option>
      </select>
      {/* A phone has one column at a time and large targets: density is nothing for it. */}
      <label className="flex items-center gap-1.5 text-sm text-muted max-sm:hidden pointer-coarse:min-h-10">
        <input type="checkbox" name="dense" value="1" defaultChecked={settings.dense} />
        Dense
      </label>
      <PartsMenu title="Hide on cards" parts={cardParts} hidden={settings.hide} />
      {settings.fold ? <input type="hidden" name="fold" value={settings.fold} /> : null}
      {view ? <input type="hidden" name="view" value={view} /> : null}
      <noscript>
        <button type="submit" className={control}>
          Show
        </button>
      </noscript>
    </Form>
  );
}

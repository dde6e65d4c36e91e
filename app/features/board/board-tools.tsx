import { Form, useSubmit } from "@remix-run/react";
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { setSelecting, useSelecting } from "~/features/items/selection";
import { FilterBox, HiddenNote } from "~/features/views/filter-box";
import { PartsMenu, partsMenuId, quietly, withHidden } from "~/features/views/parts-menu";
import { SavedViews } from "~/features/views/saved-views";
import { Button } from "~/ui/button";
import { useEarlierChoices } from "~/ui/use-earlier-choices";
import { useWriteAccess } from "~/ui/write-access";
import { type BoardSettings, cardParts, groupings } from "./board-settings";

interface BoardToolsProps {
  settings: BoardSettings;
  view: string | null;
  saved?: ComponentProps<typeof SavedViews>;
  /** Number of tasks hidden by the filter; null without a filter. */
  hidden: number | null;
  showAll: string;
}

/** Filter, grouping, layout and saved views of a board. With JavaScript they apply while the user types. */
export function BoardTools({ settings, view, saved, hidden, showAll }: BoardToolsProps) {
  const area = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(settings);
  useEffect(() => {
    // Do not overwrite what the user is typing with the next response.
    if (!area.current?.contains(document.activeElement)) setShown(settings);
  }, [settings]);
  useEarlierChoices(area);
  return (
    <>
      <div ref={area} className="contents">
        <SettingsForm key={JSON.stringify(shown)} settings={shown} view={view} />
      </div>
      {saved ? <SavedViews {...saved} /> : null}
      <StopSelecting />
      {hidden === null ? null : <HiddenNote text={`${hidden} hidden by the filter.`} to={showAll} />}
    </>
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
      onInput={({ currentTarget }) => submit(withHidden(new FormData(currentTarget), cardParts), quietly)}
    >
      <FilterBox
        page="board"
        query={settings.query}
        label="Filter the board"
        title="Words from the code, title, labels or assignee, or status:todo,review priority:<2 assignee:me label:bug story:ST-001 worker:name is:waiting. Put a minus before a filter to exclude it"
        placeholder="Filter"
        className="w-36 max-sm:flex-1 lg:focus-within:w-56"
      />
      <PartsMenu title="Show on cards" parts={cardParts} hidden={settings.hide}>
        <Choice label="Group by" name="group" value={settings.group} options={groupings} />
        <Choice label="Layout" name="as" value={settings.list ? "list" : ""} options={layouts} />
        {/* Density does nothing on a phone: it shows one column at a time, with large targets. */}
        <label className="menu-item max-sm:hidden">
          <input type="checkbox" name="dense" value="1" defaultChecked={settings.dense} />
          Dense
        </label>
        <SelectCards />
      </PartsMenu>
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

const layouts = [
  { value: "", label: "Board" },
  { value: "list", label: "List" },
] as const;

type ChoiceProps = { label: string; name: string; value: string; options: readonly { value: string; label: string }[] };

function Choice({ label, name, value, options }: ChoiceProps) {
  return (
    <label className="flex items-center justify-between gap-3 px-2.5 py-1 text-sm">
      {label}
      <select name={name} aria-label={label} defaultValue={value} className={control}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Starts selecting by touch. The button that stops it is in sight, not in a menu. */
function SelectCards() {
  const { canWrite } = useWriteAccess();
  if (!useHydrated() || !canWrite) return null;
  return (
    <button
      type="button"
      data-menu-item
      className="menu-item"
      popovertarget={partsMenuId}
      popovertargetaction="hide"
      onClick={() => setSelecting(true)}
    >
      Select cards
    </button>
  );
}

function StopSelecting() {
  if (!useSelecting()) return null;
  return <Button onClick={() => setSelecting(false)}>Stop selecting</Button>;
}

interface BoardHeaderProps {
  title: ReactNode;
  /** The full title, for when the line truncates it. */
  about?: string | undefined;
  /** The board's run, or the control that starts one. */
  run?: ReactNode;
  tools?: ReactNode;
  menu?: ReactNode;
}

/** Everything above the cards of a board: one line, or three on a phone. All else is in menus. */
export function BoardHeader({ title, about, run, tools, menu }: BoardHeaderProps) {
  return (
    <header className="flex flex-wrap items-center gap-2">
      <h1
        title={about}
        className="flex min-w-40 flex-1 items-center gap-2 text-xl font-semibold tracking-tight max-sm:basis-3/4"
      >
        {title}
      </h1>
      {tools ? <div className="flex flex-wrap items-center gap-2 max-sm:order-3 max-sm:w-full">{tools}</div> : null}
      {run ? <div className="flex flex-wrap items-center gap-2 max-sm:order-2 max-sm:w-full">{run}</div> : null}
      {menu ? <div className="max-sm:order-1">{menu}</div> : null}
    </header>
  );
}

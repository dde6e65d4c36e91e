import { Form, Link, useSubmit } from "@remix-run/react";
import { type RefObject, useEffect, useRef } from "react";
import { FilterBox, HiddenNote } from "~/features/views/filter-box";
import { PartsMenu, quietly, withHidden } from "~/features/views/parts-menu";
import { Button } from "~/ui/button";
import { useEarlierChoices } from "~/ui/use-earlier-choices";
import type { BacklogTree } from "~/wire/pages/contract";
import type { TreeAddress } from "./tree-address";
import type { TreeFilter, TreeView } from "./tree-rows";

const statuses = [
  ["", "Any status"],
  ["open", "Open"],
  ["in_sprint", "In sprint"],
  ["ready", "Ready"],
  ["blocked", "Blocked"],
  ["todo", "To do"],
  ["in_progress", "In progress"],
  ["review", "Review"],
  ["done", "Done"],
  ["failed", "Failed"],
] as const;

export const rowParts = [
  { value: "labels", label: "Labels" },
  { value: "sprint", label: "Sprint" },
  { value: "count", label: "Done count" },
  { value: "pull", label: "Pull request" },
] as const;

const control = "h-8 rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10";

/** The filter, kept in the address. With JavaScript it applies while the user types. */
export function Filters({
  filter,
  hide,
  sprints,
  address,
  view,
}: {
  filter: TreeFilter;
  hide: string;
  sprints: BacklogTree["sprints"];
  address: TreeAddress;
  view: TreeView;
}) {
  const submit = useSubmit();
  const savedView = address.params.get("view");
  const form = useRef<HTMLFormElement>(null);
  useEarlierChoices(form);
  useFieldsOfAddress(form, filter, hide);
  return (
    <Form
      role="search"
      aria-label="Filter the backlog"
      ref={form}
      className="contents"
      onInput={({ currentTarget }) => submit(withHidden(new FormData(currentTarget), rowParts), quietly)}
    >
      <FilterBox
        page="backlog"
        query={filter.query}
        label="Filter by code, title, label or person"
        title="Words from the code, title, labels or assignee, or status:open,blocked priority:<2 assignee:me label:bug sprint:SP-1. Put a minus before a filter to exclude it"
        placeholder="Code, title, label, person"
        className="min-w-44 flex-1 max-sm:basis-full sm:max-w-72"
      />
      <select name="status" aria-label="Status" defaultValue={filter.status} className={control}>
        {statuses.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select name="sprint" aria-label="Sprint" defaultValue={filter.sprint} className={`${control} max-sm:hidden`}>
        <option value="">Any sprint</option>
        <option value="none">In no sprint</option>
        {sprints.map((sprint) => (
          <option key={sprint.id} value={sprint.code}>
            {sprint.code}
          </option>
        ))}
      </select>
      <PartsMenu title="Show on rows" parts={rowParts} hidden={hide}>
        <label className="menu-item">
          <input type="checkbox" name="done" value="1" defaultChecked={filter.done} />
          Show done
        </label>
      </PartsMenu>
      {savedView ? <input type="hidden" name="view" value={savedView} /> : null}
      <noscript>
        <Button type="submit">Filter</Button>
      </noscript>
      {view.isFiltered ? (
        <Found address={address} shown={view.rows.length} total={view.total} />
      ) : (
        <Folds address={address} />
      )}
      <HiddenDone address={address} count={view.hiddenDone} />
    </Form>
  );
}

/** Updates the fields after a saved view or "Show all" changed the filter. Never overwrites what the user is typing. */
function useFieldsOfAddress(
  form: RefObject<HTMLFormElement>,
  { query, status, sprint, done }: TreeFilter,
  hide: string,
) {
  // On first render the fields show the server's values, or what the user chose before hydration.
  const isShown = useRef(false);
  useEffect(() => {
    const values: Record<string, string> = { q: query, status, sprint };
    const isFirst = !isShown.current;
    isShown.current = true;
    const fields = form.current;
    if (isFirst || !fields || fields.contains(document.activeElement)) return;
    for (const field of fields.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]")) {
      const value = values[field.name];
      if (value !== undefined) field.value = value;
      if (field instanceof HTMLInputElement && field.type === "checkbox" && field.name === "show")
        field.checked = !hide.split(" ").includes(field.value);
      if (field instanceof HTMLInputElement && field.name === "done") field.checked = done;
    }
  }, [form, query, status, sprint, done, hide]);
}

const Found = ({ address, shown, total }: { address: TreeAddress; shown: number; total: number }) => (
  <HiddenNote text={`${shown} of ${total} rows.`} to={address.filterTo({ q: null, status: null, sprint: null })} />
);

function HiddenDone({ address, count }: { address: TreeAddress; count: number }) {
  if (count === 0) return null;
  const text = count === 1 ? "1 done story hidden." : `${count} done stories hidden.`;
  return <HiddenNote text={text} to={address.filterTo({ done: "1" })} what="done stories" />;
}

function Folds({ address }: { address: TreeAddress }) {
  const look = { preventScrollReset: true, className: "hover:text-ink hover:underline" };
  return (
    <span className="flex gap-3 text-sm text-muted max-sm:hidden">
      <Link to={address.openTo("all")} {...look}>
        Expand all
      </Link>
      <Link to={address.openTo("")} {...look}>
        Collapse all
      </Link>
    </span>
  );
}

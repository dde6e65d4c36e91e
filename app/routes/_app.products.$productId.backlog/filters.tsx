import { Form, Link, useSubmit } from "@remix-run/react";
import { Button } from "~/components/button";
import { useHydrated } from "~/components/use-hydrated";
import type { BacklogTree } from "~/contract/page-data";
import type { TreeAddress } from "./tree-address";
import type { TreeFilter } from "./tree-rows";

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

const control = "h-8 rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10";

/** Filters are part of the address; with script they apply while one types. */
export function Filters({
  filter,
  sprints,
  address,
  shown,
  total,
}: {
  filter: TreeFilter;
  sprints: BacklogTree["sprints"];
  address: TreeAddress;
  shown: number;
  total: number;
}) {
  const submit = useSubmit();
  const hydrated = useHydrated();
  const active = filter.query !== "" || filter.status !== "" || filter.sprint !== "";
  return (
    <Form
      role="search"
      aria-label="Filter the backlog"
      className="mb-3 flex flex-wrap items-center gap-2"
      onChange={(event) => submit(event.currentTarget, { replace: true, preventScrollReset: true })}
    >
      <input
        type="search"
        name="q"
        data-filter
        defaultValue={filter.query}
        aria-label="Filter by code or title"
        title="Words of code and title, or status:open,blocked priority:<2 assignee:me sprint:SP-1; a minus before one means not"
        placeholder="Filter by code or title"
        className={`${control} min-w-0 flex-1 sm:max-w-72`}
      />
      <select name="status" aria-label="Status" defaultValue={filter.status} className={control}>
        {statuses.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        name="sprint"
        aria-label="Sprint"
        defaultValue={filter.sprint}
        className={`${control} max-sm:hidden`}
      >
        <option value="">Any sprint</option>
        <option value="none">In no sprint</option>
        {sprints.map((sprint) => (
          <option key={sprint.id} value={sprint.id}>
            {sprint.code}
          </option>
        ))}
      </select>
      {hydrated ? null : <Button type="submit">Filter</Button>}
      {active ? (
        <span className="flex items-center gap-2 text-sm text-muted">
          <span role="status">{`${shown} of ${total} lines.`}</span>
          <Link
            to={address.filterTo({ q: null, status: null, sprint: null })}
            className="text-accent underline underline-offset-2 hover:decoration-2"
          >
            Show all
          </Link>
        </span>
      ) : (
        <span className="flex gap-3 text-sm text-muted max-sm:hidden">
          <Link
            to={address.openTo("all")}
            preventScrollReset
            className="hover:text-ink hover:underline"
          >
            Unfold all
          </Link>
          <Link
            to={address.openTo("")}
            preventScrollReset
            className="hover:text-ink hover:underline"
          >
            Fold all
          </Link>
        </span>
      )}
    </Form>
  );
}

import { Link, useFetcher } from "@remix-run/react";
import { type ReactNode, useState } from "react";
import { activeRow, isPageItem, itemOf } from "~/features/items/active-row";
import { WriteForm } from "~/ui/action-form";
import { useActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { type PageKey, usePageKeys } from "~/ui/page-keys";
import { StatusDot, StatusPill } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import type { AwaitedWork, Dependencies, DependencyKind } from "~/wire/dependencies/contract";
import { RemoveForm } from "./remove-dependency";
import { useCandidates } from "./use-candidates";

const fieldId = "blocked-by";
const keys: readonly PageKey[] = [{ keys: "b", label: "Blocked by…", run: openPicker }];

function openPicker(): boolean {
  if (itemOf(activeRow()) && !isPageItem(activeRow())) return false;
  const field = document.getElementById(fieldId);
  field?.closest("details")?.setAttribute("open", "");
  field?.focus();
  return true;
}

interface Side {
  kind: DependencyKind;
  id: string;
  dependencies: Dependencies;
  /** Only the product's owner may confirm that code has reached the main branch. */
  isOwner: boolean;
  /** Actions that are possible while the item is blocked. */
  children?: ReactNode;
}

/** Blockers of a task or story, and what it blocks. `b` focuses the field that adds a blocker. */
export function DependenciesSection({ kind, id, dependencies, isOwner, children }: Side) {
  const { blocked_by: blockers, blocks } = dependencies;
  const open = blockers.filter(({ resolved }) => !resolved).length;
  usePageKeys("Page", keys);
  return (
    <Section
      title={open > 0 ? `Blocked by (${open})` : "Blocked by"}
      about={
        blockers.length === 0
          ? `Add a ${kind} that must be done first. Agents do not start this one before it.`
          : undefined
      }
    >
      <Ends kind={kind} ends={blockers} id={id} />
      {dependencies.awaited?.map((work) => (
        <Awaited key={work.job_id} work={work} isOwner={isOwner} />
      ))}
      {children}
      <AddForm kind={kind} id={id} count={blockers.length} />
      {blocks.length > 0 ? (
        <>
          <h3 className="mt-4 mb-1 text-sm font-semibold">Blocks</h3>
          <Ends kind={kind} ends={blocks} />
        </>
      ) : null}
    </Section>
  );
}

/** A blocker that is done but not merged to the main branch. A worker detects the merge, or the owner confirms it. */
function Awaited({ work, isOwner }: { work: AwaitedWork; isOwner: boolean }) {
  const { job_id, task_code, branch, head_sha } = work;
  return (
    <div className="mt-2 grid justify-items-start gap-1.5 text-sm">
      <p>
        {task_code} is done, but its code is not on the main branch yet
        {branch === null ? "." : <>: merge {<code className="wrap-anywhere">{branch}</code>}.</>}
      </p>
      {isOwner ? (
        <WriteForm fields={{ intent: "mark-merged", job_id }}>
          {head_sha === null ? null : <input type="hidden" name="head_sha" value={head_sha} />}
          <SubmitButton tone="plain" size="sm" pendingLabel="Saving…">
            Mark as merged
          </SubmitButton>
        </WriteForm>
      ) : null}
    </div>
  );
}

interface EndsProps {
  kind: DependencyKind;
  ends: Dependencies["blocks"];
  /** Id of the blocked item, if dependencies can be removed here. */
  id?: string;
}

function Ends({ kind, ends, id }: EndsProps) {
  return (
    <ul className="grid gap-1.5">
      {ends.map((end) => (
        <li key={end.id} className="flex flex-wrap items-center gap-2 text-sm">
          <StatusPill status={end.status} />
          <Link
            to={kind === "task" ? `/tasks/${end.id}` : `/stories/${end.id}`}
            className="min-w-0 flex-1 truncate hover:underline"
          >
            <span className="font-mono text-xs text-muted">{end.code}</span> <bdi>{end.title}</bdi>
          </Link>
          {id === undefined ? null : <RemoveForm kind={kind} id={id} blocker={end} />}
        </li>
      ))}
    </ul>
  );
}

/** Possible blockers, nearest first; one click adds one. */
function CandidateList({ kind, id, typed }: { kind: DependencyKind; id: string; typed: string }) {
  const candidates = useCandidates({ kind, id }, typed);
  if (candidates === null || candidates.length === 0) return null;
  return (
    <WriteForm fields={{ intent: "add-dependency" }} className="mt-2 grid" aria-label="Possible blockers">
      {candidates.map(({ code, title, status }) => (
        <button key={code} type="submit" name="blocked_by" value={code} className="menu-item min-w-0">
          <StatusDot status={status} />
          <span className="font-mono text-xs text-muted">{code}</span>
          <span className="min-w-0 truncate">{title}</span>
        </button>
      ))}
    </WriteForm>
  );
}

function AddForm({ kind, id, count }: { kind: DependencyKind; id: string; count: number }) {
  const [typed, setTyped] = useState<string | null>(null);
  const fetcher = useFetcher({ key: `add-dependency-${count}` });
  const answer = useActionResult();
  const form = useServerForm<"blocked_by">({ lastResult: fetcher.data ?? answer, id: `add-dependency-${count}` });
  return (
    <details
      key={count}
      className="mt-3"
      open={form.errors !== undefined || undefined}
      onToggle={({ currentTarget }) => setTyped(currentTarget.open ? "" : null)}
    >
      <summary className="text-sm font-medium">Add a blocker</summary>
      <ServerForm form={form} fetcher={fetcher} className="mt-2 grid gap-2">
        <WriteFields quiet className="flex items-end gap-2">
          <input type="hidden" name="intent" value="add-dependency" />
          <TextField
            label="Blocked by"
            mono
            autoComplete="off"
            placeholder={kind === "task" ? "T-3" : "ST-003"}
            {...form.field("blocked_by")}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            id={fieldId}
          />
          <SubmitButton tone="plain" pending={fetcher.state !== "idle"} pendingLabel="Adding…">
            Add
          </SubmitButton>
        </WriteFields>
      </ServerForm>
      {typed === null ? null : <CandidateList kind={kind} id={id} typed={typed} />}
    </details>
  );
}

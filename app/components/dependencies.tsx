import { Link, useFetcher } from "@remix-run/react";
import type { Dependencies, DependencyKind } from "~/contract/dependency";
import { SubmitButton } from "./button";
import { Section } from "./card";
import { TextField } from "./field";
import { type PageKey, usePageKeys } from "./page-keys";
import { RemoveForm } from "./remove-dependency";
import { ServerForm, useServerForm } from "./server-form";
import { StatusPill } from "./status-pill";
import { useAnswer } from "./use-answer";
import { WriteFields } from "./write-access";

const fieldId = "blocked-by";
const keys: readonly PageKey[] = [{ keys: "b", label: "Wait for…", run: openPicker }];

function openPicker(): void {
  const field = document.getElementById(fieldId);
  field?.closest("details")?.setAttribute("open", "");
  field?.focus();
}

interface Side {
  kind: DependencyKind;
  id: string;
  dependencies: Dependencies;
}

/** What a task or story waits for and what waits for it; `b` goes to the field that adds one. */
export function DependenciesSection({ kind, id, dependencies }: Side) {
  const { blocked_by: blockers, blocks } = dependencies;
  const open = blockers.filter(({ resolved }) => !resolved).length;
  usePageKeys("Page", keys);
  return (
    <Section
      title={open > 0 ? `Waits for (${open})` : "Waits for"}
      about={
        blockers.length === 0
          ? `Name a ${kind} that must be done first: no agent begins this one before.`
          : undefined
      }
    >
      <Ends kind={kind} ends={blockers} id={id} />
      <AddForm kind={kind} count={blockers.length} />
      {blocks.length > 0 ? (
        <>
          <h3 className="mt-4 mb-1 text-sm font-semibold">Waiting for this</h3>
          <Ends kind={kind} ends={blocks} />
        </>
      ) : null}
    </Section>
  );
}

function Ends({
  kind,
  ends,
  id,
}: {
  kind: DependencyKind;
  ends: Dependencies["blocks"];
  /** Who waits, where a press ends it. */
  id?: string;
}) {
  return (
    <ul className="grid gap-1.5">
      {ends.map((end) => (
        <li key={end.id} className="flex flex-wrap items-center gap-2 text-sm">
          <StatusPill status={end.status} />
          <Link
            to={kind === "task" ? `/tasks/${end.id}` : `/stories/${end.id}`}
            className="min-w-0 flex-1 truncate hover:underline"
          >
            <span className="font-mono text-xs text-muted">{end.code}</span> {end.title}
          </Link>
          {id === undefined ? null : <RemoveForm kind={kind} id={id} blocker={end} />}
        </li>
      ))}
    </ul>
  );
}

function AddForm({ kind, count }: { kind: DependencyKind; count: number }) {
  const fetcher = useFetcher({ key: `add-dependency-${count}` });
  const answer = useAnswer();
  const form = useServerForm<"blocked_by">({
    lastResult: fetcher.data ?? answer,
    id: `add-dependency-${count}`,
  });
  return (
    <details key={count} className="mt-3" open={form.errors !== undefined || undefined}>
      <summary className="text-sm font-medium">Wait for…</summary>
      <ServerForm form={form} fetcher={fetcher} className="mt-2 grid gap-2">
        <WriteFields quiet className="flex items-end gap-2">
          <input type="hidden" name="intent" value="add-dependency" />
          <TextField
            label="Waits for"
            mono
            autoComplete="off"
            placeholder={kind === "task" ? "T-3" : "ST-003"}
            {...form.field("blocked_by")}
            id={fieldId}
          />
          <SubmitButton tone="plain" pending={fetcher.state !== "idle"} pendingLabel="Adding…">
            Add
          </SubmitButton>
        </WriteFields>
      </ServerForm>
    </details>
  );
}

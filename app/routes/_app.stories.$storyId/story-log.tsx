import { useFetcher } from "@remix-run/react";
import { Prose, type SafeHtml } from "~/features/markdown/prose";
import type { ActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { SelectField, TextAreaField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { Icon, type IconName } from "~/ui/icon";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import type { PageStoryLog } from "~/wire/pages/contract";

const looks: Record<string, { label: string; icon: IconName }> = {
  IMPLEMENTATION_PLAN: { label: "Plan", icon: "clipboard-list" },
  TEST_RESULT: { label: "Tests", icon: "flask-conical" },
  COMMIT: { label: "Commit", icon: "git-commit-horizontal" },
};

type StoryLogProps = { storyId: string; logs: readonly PageStoryLog[]; texts: readonly (SafeHtml | null)[] };

/** The story's log by agents and people, newest first. */
export function StoryLog({ storyId, logs, texts }: StoryLogProps) {
  return (
    <Section title="Log">
      {logs.length === 0 ? (
        <p className="text-sm text-muted">
          No entries yet. Agents and people log plans, commits and test results here.
        </p>
      ) : (
        <ol className="grid gap-4">
          {logs.map((log, index) => {
            const look = looks[log.type] ?? { label: log.type, icon: "clipboard-list" };
            const text = texts[index];
            return (
              <li key={log.id} className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2.5">
                <Icon name={look.icon} className="mt-0.5 text-muted" />
                <div className="grid gap-1">
                  <p className="flex flex-wrap items-center gap-2 text-xs text-muted">
                    <span className="font-semibold text-ink">{look.label}</span>
                    {log.status ? <StatusPill status={log.status} /> : null}
                    <span>{log.username}</span>
                    <RelativeTime at={log.created_at} />
                  </p>
                  {log.commit_hash ? (
                    <p className="text-sm">
                      <code className="mr-2 rounded bg-sunken px-1 font-mono text-xs">
                        {log.commit_hash.slice(0, 10)}
                      </code>
                      {log.commit_message}
                    </p>
                  ) : null}
                  {text ? <Prose content={text} /> : null}
                </div>
              </li>
            );
          })}
        </ol>
      )}
      <LogForm storyId={storyId} count={logs.length} />
    </Section>
  );
}

const kinds = [
  { value: "IMPLEMENTATION_PLAN", label: "Plan" },
  { value: "TEST_RESULT", label: "Test result" },
  { value: "COMMIT", label: "Commit" },
];

const results = [
  { value: "PASSED", label: "Passed" },
  { value: "FAILED", label: "Failed" },
];

/** People log the same three types of entries as agents. Fields of other types are hidden. */
function LogForm({ storyId, count }: { storyId: string; count: number }) {
  const fetcher = useFetcher<ActionResult>({ key: `log-${storyId}` });
  const form = useServerForm<"type" | "content" | "status" | "commit_hash" | "commit_message">({
    lastResult: fetcher.data,
    id: `log-form-${count}`,
  });
  return (
    <details className="mt-4 border-t border-line pt-3">
      <summary className="text-sm font-medium">Add an entry</summary>
      <ServerForm key={count} form={form} fetcher={fetcher} creates className="log-form mt-3 grid gap-3">
        <WriteFields className="grid gap-3">
          <input type="hidden" name="intent" value="add-log" />
          <div className="grid gap-3 sm:grid-cols-2">
            <SelectField label="Kind" options={kinds} {...form.field("type")} />
            <div data-kind="TEST_RESULT">
              <SelectField label="Result" options={results} {...form.field("status")} />
            </div>
            <div data-kind="COMMIT">
              <TextField label="Commit" mono {...form.field("commit_hash")} />
            </div>
          </div>
          <div data-kind="COMMIT">
            <TextField label="Commit message" {...form.field("commit_message")} />
          </div>
          <TextAreaField label="Text" description="Markdown." rows={3} {...form.field("content")} />
          <SubmitButton className="justify-self-start" pending={fetcher.state !== "idle"} pendingLabel="Adding…">
            Add to the log
          </SubmitButton>
        </WriteFields>
      </ServerForm>
    </details>
  );
}

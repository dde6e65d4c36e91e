import { useFetcher } from "@remix-run/react";
import type { ActionAnswer } from "~/components/action-form";
import { SubmitButton } from "~/components/button";
import { SelectField, TextAreaField, TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { WriteFields } from "~/components/write-access";

const kinds = [
  { value: "IMPLEMENTATION_PLAN", label: "Plan" },
  { value: "TEST_RESULT", label: "Test result" },
  { value: "COMMIT", label: "Commit" },
];

const results = [
  { value: "PASSED", label: "Passed" },
  { value: "FAILED", label: "Failed" },
];

/** People note the same three kinds of things as agents do. The fields of the other kinds are out of sight. */
export function LogForm({ storyId, count }: { storyId: string; count: number }) {
  const fetcher = useFetcher<ActionAnswer>({ key: `log-${storyId}` });
  const form = useServerForm<"type" | "content" | "status" | "commit_hash" | "commit_message">({
    lastResult: fetcher.data,
    id: `log-form-${count}`,
  });
  return (
    <details className="mt-4 border-t border-line pt-3">
      <summary className="text-sm font-medium">Note something</summary>
      <ServerForm key={count} form={form} fetcher={fetcher} className="log-form mt-3 grid gap-3">
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
          <div>
            <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Noting…">
              Add to the log
            </SubmitButton>
          </div>
        </WriteFields>
      </ServerForm>
    </details>
  );
}

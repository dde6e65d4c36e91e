import { LabelChip } from "~/features/labels/label-chips";
import { ActionForm, WriteForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { IdempotencyKey } from "~/ui/forms/idempotency-key";
import { isolated } from "~/ui/isolated";
import { WriteFields } from "~/ui/write-access";
import type { Label } from "~/wire/labels/contract";

/** The product's labels. Every member may create, rename, recolor and delete them. */
export function Labels({ labels }: { labels: readonly Label[] }) {
  return (
    <Section
      id="labels"
      title="Labels"
      about="For stories and tasks. Filter by them with label:name in the backlog and on the board."
    >
      <ul className="my-3 grid gap-2">
        {labels.map((label) => (
          <LabelRow key={`${label.id} ${label.name} ${label.color}`} label={label} />
        ))}
      </ul>
      {labels.length === 0 ? <p className="mb-3 text-sm text-muted">No labels yet.</p> : null}
      <WriteForm fields={{ intent: "create-label" }} key={labels.length} className="flex flex-wrap items-end gap-2">
        <IdempotencyKey />
        <NameField label="New label" value="" />
        <Button type="submit" tone="primary">
          Add label
        </Button>
      </WriteForm>
    </Section>
  );
}

function NameField({ label, value }: { label: string; value: string }) {
  return (
    <label className="grid gap-1 text-xs text-muted">
      {label}
      <input
        name="name"
        required
        maxLength={50}
        defaultValue={value}
        className="h-8 w-48 rounded border border-line bg-surface px-2 text-sm text-ink pointer-coarse:h-10"
      />
    </label>
  );
}

function LabelRow({ label }: { label: Label }) {
  const hidden = <input type="hidden" name="label_id" value={label.id} />;
  return (
    <li className="flex flex-wrap items-center gap-2">
      <details className="min-w-0 flex-1">
        <summary className="flex w-fit items-center gap-2 rounded text-sm">
          <LabelChip label={label} />
          <span className="text-xs text-accent underline underline-offset-2 hover:decoration-2">
            Edit<span className="sr-only"> {label.name}</span>
          </span>
        </summary>
        <WriteForm fields={{ intent: "update-label" }} className="mt-2 flex flex-wrap items-end gap-2">
          {hidden}
          <NameField label="Name" value={label.name} />
          <label className="grid gap-1 text-xs text-muted">
            Color
            <input
              type="color"
              name="color"
              defaultValue={label.color}
              className="h-8 w-12 rounded border border-line bg-surface pointer-coarse:h-10"
            />
          </label>
          <Button type="submit" size="sm">
            Save
          </Button>
        </WriteForm>
      </details>
      <WriteFields quiet>
        <Confirm
          size="sm"
          trigger="Delete"
          label={`Delete ${label.name}`}
          question={`Delete the label ${isolated(label.name)}?`}
          consequence="It is removed from every story and task that has it."
          confirmLabel="Delete label"
        >
          {(buttons) => (
            <ActionForm fields={{ intent: "delete-label" }}>
              {hidden}
              {buttons}
            </ActionForm>
          )}
        </Confirm>
      </WriteFields>
    </li>
  );
}

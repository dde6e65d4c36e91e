import { useEffect, useRef } from "react";
import type { Spot } from "~/features/diff/diff-view";
import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { IdempotencyKey } from "~/ui/forms/idempotency-key";
import { WriteFields } from "~/ui/write-access";

/** A line that a person writes on, and the attempts that the page showed then. */
export interface Written extends Spot {
  of: string;
}

/** Form for a comment on a line. Comments stay drafts until the review is submitted. */
export function CommentForm({
  written,
  texts,
  name,
  onClose,
}: {
  written: Written;
  /** What was typed so far, by name: it outlives the form's place on the page. */
  texts: Map<string, string>;
  name: string;
  onClose: () => void;
}) {
  const { line } = written;
  const text = useRef<HTMLTextAreaElement>(null);
  useEffect(() => text.current?.focus(), []);
  return (
    <ActionForm
      aria-label={`Comment on line ${line}`}
      className="my-1 ml-3 grid max-w-2xl gap-2 rounded border border-line-strong bg-raised p-3"
      onDone={() => {
        texts.delete(name);
        onClose();
      }}
    >
      <WriteFields>
        <IdempotencyKey />
        <HiddenFields fields={{ intent: "add-comment", ...written }} />
        <textarea
          ref={text}
          name="body"
          required
          rows={3}
          maxLength={10_000}
          defaultValue={texts.get(name)}
          onChange={(event) => texts.set(name, event.target.value)}
          aria-label={`Comment on line ${line}`}
          className="w-full rounded border border-line-strong bg-surface px-2.5 py-1.5 text-sm"
          onKeyDown={(event) => {
            if (event.key === "Escape") onClose();
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.currentTarget.form?.requestSubmit();
            }
          }}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" tone="primary" className="pointer-coarse:h-11">
            Add to review
          </Button>
          <Button onClick={onClose} tone="quiet" className="pointer-coarse:h-11">
            Cancel
          </Button>
        </div>
      </WriteFields>
    </ActionForm>
  );
}

import { useEffect, useRef } from "react";
import type { Spot } from "~/features/diff/diff-view";
import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { IdempotencyKey } from "~/ui/forms/idempotency-key";
import { WriteFields } from "~/ui/write-access";

/** Form for a comment on a line. Comments stay drafts until the review is submitted. */
export function CommentForm({
  spot,
  attempt,
  onClose,
}: {
  spot: Spot;
  attempt: number;
  onClose: () => void;
}) {
  const text = useRef<HTMLTextAreaElement>(null);
  useEffect(() => text.current?.focus(), []);
  return (
    <ActionForm
      aria-label={`Comment on line ${spot.line}`}
      className="my-1 ml-3 grid max-w-2xl gap-2 rounded border border-line-strong bg-raised p-3"
      onDone={onClose}
    >
      <WriteFields>
        <IdempotencyKey />
        <HiddenFields
          fields={{
            intent: "add-comment",
            path: spot.path,
            line: spot.line,
            side: spot.side,
            attempt,
          }}
        />
        <textarea
          ref={text}
          name="body"
          required
          rows={3}
          maxLength={10_000}
          aria-label={`Comment on line ${spot.line}`}
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

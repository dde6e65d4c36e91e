import { useFetcher } from "@remix-run/react";
import { useState } from "react";
import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { TextAreaField } from "~/components/field";
import { WriteFields } from "~/components/write-access";

const fetcherKey = "review";

/** What a person says of an attempt. Words that came too late, because somebody else judged it first, stay to be taken elsewhere. */
export function ReviewForm({ isOpen }: { isOpen: boolean }) {
  const [summary, setSummary] = useState("");
  const { state } = useFetcher({ key: fetcherKey });
  const isLate = !isOpen && state === "idle";
  if (!isOpen && summary.trim() === "") return null;
  return (
    <ActionForm
      fetcherKey={fetcherKey}
      aria-label="Review"
      className="grid gap-3"
      onDone={() => setSummary("")}
    >
      <WriteFields>
        <input type="hidden" name="intent" value="review" />
        <TextAreaField
          id="review-summary"
          name="summary"
          label="Summary"
          description={isLate ? "Not sent: this attempt was judged meanwhile." : undefined}
          rows={3}
          onChange={(event) => setSummary(event.target.value)}
        />
        {isOpen ? (
          <div className="flex flex-wrap gap-2 max-sm:grid">
            <VerdictButton value="approve" tone="primary" label="Approve" />
            <VerdictButton value="request_changes" label="Request changes" />
          </div>
        ) : null}
      </WriteFields>
    </ActionForm>
  );
}

function VerdictButton({ label, ...button }: { value: string; label: string; tone?: "primary" }) {
  return (
    <Button type="submit" name="verdict" className="max-sm:h-12" {...button}>
      {label}
    </Button>
  );
}

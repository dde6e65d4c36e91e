import { Form } from "@remix-run/react";
import { SubmitButton } from "~/ui/button";
import { Confirm } from "~/ui/confirm";
import { SelectField } from "~/ui/field";
import { WriteFields } from "~/ui/write-access";
import type { Beginning } from "~/wire/agent-jobs/beginning";

/** Limited by the length of an address. */
export const mostRunItems = 100;

/** Returns the address that shows what a run of these items (`task:id`, `story:id`) may take, its ceiling and blockers. */
export const runAddress = (productId: string, items: readonly string[]): string =>
  `/products/${productId}/runs/new?${new URLSearchParams(items.map((item) => ["item", item]))}`;

interface RunThisProps {
  productId: string;
  items: readonly string[];
  /** Fixes that an earlier run of these items began with. */
  cures?: readonly string[];
  label?: string;
}

/** Leads to what a run of tasks or a story may take, where it is started. */
export function RunThis({ productId, items, cures = [], label = "Run this" }: RunThisProps) {
  return (
    <WriteFields quiet>
      <Form action={`/products/${productId}/runs/new`}>
        {items.map((item) => (
          <input key={item} type="hidden" name="item" value={item} />
        ))}
        {cures.map((cure) => (
          <input key={cure} type="hidden" name="cure" value={cure} />
        ))}
        <SubmitButton tone="plain">{label}</SubmitButton>
      </Form>
    </WriteFields>
  );
}

/** What the next run starts from, one line per branch. */
export function BeginsFrom({ from }: { from: readonly Beginning[] }) {
  return (
    <ul className="grid gap-1" aria-label="Starts from">
      {from.map(({ story_id, branch, message }) => (
        <li key={`${story_id}${branch}`} className="break-words">
          {message}. <MergeLine branch={branch} />
        </li>
      ))}
    </ul>
  );
}

/** Discards unmerged work for the next run, after confirmation. The history records it. */
export function StartOver({ whose }: { whose: string }) {
  return (
    <WriteFields quiet>
      <Confirm
        trigger="Start over from main"
        size="sm"
        question={`Start ${whose} over from main?`}
        consequence="The next run leaves this work out. The branches stay, and the history says who decided it."
        confirmLabel="Start over"
        fields={{ intent: "start-over" }}
      />
    </WriteFields>
  );
}

/** Says that no merge of a branch is known, and how to make one by hand. */
export function MergeLine({ branch }: { branch: string }) {
  return (
    <span className="break-words">
      No merge of this branch is known: <code className="font-mono text-xs">git merge {branch}</code>
    </span>
  );
}

const planReviews = [
  { value: "", label: "As the product says" },
  { value: "person", label: "A person approves each plan" },
  { value: "none", label: "Agents begin at once" },
];

/** Who approves what the agents of a run plan. */
export function PlanReviewField({ form }: { form: string }) {
  return (
    <SelectField
      id={`plan-review-${form}`}
      form={form}
      name="plan_review"
      label="Plans of agents"
      options={planReviews}
    />
  );
}

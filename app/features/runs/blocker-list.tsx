import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import type { Blocker, Preflight } from "~/contract/sprint-run";
import { Button } from "~/ui/button";

/** The blockers of a run, each with its fixes. */
export function BlockerList({
  blockers,
  productId,
  cures,
}: {
  blockers: readonly Blocker[];
  productId: string;
  cures: (blocker: Blocker) => ReactNode;
}) {
  return (
    <ul className="grid gap-2">
      {blockers.map((blocker) => (
        <li key={JSON.stringify(blocker)} className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span>{blocker.message}</span>
          <BlockerLink blocker={blocker} productId={productId} />
          {cures(blocker)}
        </li>
      ))}
    </ul>
  );
}

/** Fixes for a task without a plan: let its agent write one, or use its description. */
export function PlanCures({
  planFirst,
  form,
  about,
}: {
  planFirst: Preflight["plan_first"];
  form?: string;
  about: string | null;
}) {
  return (
    <>
      {planFirst === "never" ? null : (
        <CureButton cure="plan_first" form={form} about={about}>
          Agent plans first
        </CureButton>
      )}
      <CureButton cure="use_description" form={form} about={about}>
        Use the description
      </CureButton>
    </>
  );
}

/** Starts the run with one fix, applied to all blockers with the same reason. */
export function CureButton({
  cure,
  form,
  about,
  children,
}: {
  cure: string;
  form?: string | undefined;
  about: string | null;
  children: string;
}) {
  return (
    <Button
      type="submit"
      size="sm"
      name="cure"
      value={cure}
      form={form}
      aria-label={about ? `${children} (${about})` : undefined}
    >
      {children}
    </Button>
  );
}

/** The fixes of "Fix all". What they do not fix is left out of the run. */
export const fixAll = (planFirst: Preflight["plan_first"]): string =>
  `${planFirst === "never" ? "use_description" : "plan_first"} leave_out`;

function BlockerLink({ blocker, productId }: { blocker: Blocker; productId: string }) {
  const [to, label] = whereToCure(blocker, `/products/${productId}`);
  if (!to) return null;
  return (
    <Link to={to} className="text-accent underline">
      {label}
    </Link>
  );
}

function whereToCure(blocker: Blocker, product: string): [to?: string, label?: string] {
  const { question_id, sprint_run_id, task_id, task_code, pbi_id, pbi_code } = blocker;
  if (question_id) return [`/questions#question-${question_id}`, "Answer"];
  if (sprint_run_id) return [`${product}/runs/${sprint_run_id}`, "View run"];
  if (task_id) return [`/tasks/${task_id}`, `Open ${task_code}`];
  return pbi_id ? [`${product}/backlog?panel=pbi:${pbi_id}`, `Open ${pbi_code}`] : [];
}

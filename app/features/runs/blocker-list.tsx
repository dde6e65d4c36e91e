import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { ActionForm } from "~/ui/action-form";
import { Button, buttonClass } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import type { Blocker, Preflight } from "~/wire/sprint-runs/contract";

type BlockerListProps = { blockers: readonly Blocker[]; productId: string; cures: (blocker: Blocker) => ReactNode };

/** The blockers of a run, each with its fixes. */
export function BlockerList({ blockers, productId, cures }: BlockerListProps) {
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

type PlanCuresProps = { planFirst: Preflight["plan_first"]; form?: string; about: string | null };

/** Fixes for a task without a plan: let its agent write one, or use its description. */
function PlanCures({ planFirst, form, about }: PlanCuresProps) {
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

type CureButtonProps = { cure: string; form?: string | undefined; about: string | null; children: string };

/** Starts the run with one fix, applied to all blockers with the same reason. */
export function CureButton({ cure, form, about, children }: CureButtonProps) {
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

/** Fixes next to any blocker, wherever the run is started. */
export function CommonCures({
  blocker: { type, task_code, pbi_id, pbi_code, question_id },
  planFirst,
  form,
  canMakeTasks,
}: {
  blocker: Blocker;
  planFirst: Preflight["plan_first"];
  form: string;
  canMakeTasks: boolean;
}) {
  if (type === "task_no_plan") return <PlanCures planFirst={planFirst} form={form} about={task_code} />;
  if (type === "open_question" && question_id) return <AnswerHere questionId={question_id} />;
  if (type === "pbi_blocked")
    return (
      <CureButton cure={`unblock:${pbi_id}`} form={form} about={null}>
        {`Unblock ${pbi_code}`}
      </CureButton>
    );
  if (type === "no_tasks" && canMakeTasks)
    return (
      <CureButton cure="make_tasks" form={form} about={null}>
        Make one task of each story
      </CureButton>
    );
  return null;
}

function AnswerHere({ questionId }: { questionId: string }) {
  return (
    <details className="min-w-0 open:basis-full">
      <summary className={buttonClass("plain", "sm", "cursor-pointer")}>Answer</summary>
      <ActionForm action="/inbox?show=questions" className="mt-2 grid justify-items-start gap-2">
        <HiddenFields fields={{ intent: "answer", question_id: questionId }} />
        <textarea
          name="answer"
          required
          rows={2}
          aria-label="Your answer"
          className="w-full rounded border border-line-strong bg-raised px-2.5 py-1.5 text-sm"
        />
        <Button type="submit" size="sm">
          Send answer
        </Button>
      </ActionForm>
    </details>
  );
}

/** Blockers of the whole start, which no fix of a task or story removes. */
const ofTheStart = new Set(["sprint_not_active", "only_reviews", "no_tasks"]);

/** The fixes of "Fix all", or null where it can fix nothing. What they do not fix is left out of the run. */
export function fixAll(
  blockers: readonly Blocker[],
  planFirst: Preflight["plan_first"],
  canMakeTasks: boolean,
): string | null {
  const stands = blockers.some(
    ({ type, task_id }) =>
      (ofTheStart.has(type) && !(type === "no_tasks" && canMakeTasks)) ||
      (type === "run_unfinished" && task_id === null),
  );
  if (stands) return null;
  const plan = planFirst === "never" ? "use_description" : "plan_first";
  return `${plan} leave_out${canMakeTasks ? " make_tasks" : ""}`;
}

/** What "Fix all and start" does, said before it is pressed. */
export function FixAllNote({ planFirst, canMakeTasks }: { planFirst: Preflight["plan_first"]; canMakeTasks: boolean }) {
  return (
    <p className="text-xs text-muted">
      {planFirst === "never" ? "Tasks without a plan use their description. " : "Agents write missing plans first. "}
      {canMakeTasks ? "Stories without tasks get one. " : ""}
      Anything still blocked is left out.
    </p>
  );
}

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
  if (question_id) return [`/inbox?item=${question_id}`, "View question"];
  if (sprint_run_id) return [`${product}/runs/${sprint_run_id}`, "View run"];
  if (task_id) return [`/tasks/${task_id}`, `Open ${task_code}`];
  return pbi_id ? [`${product}/backlog?panel=pbi:${pbi_id}`, `Open ${pbi_code}`] : [];
}

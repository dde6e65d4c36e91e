import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import { ContractError } from "~/contract/errors";
import { BlockerList, CommonCures, CureButton, fixAll } from "~/features/runs/blocker-list";
import { PlanReviewField } from "~/features/runs/plan-review-field";
import { readForm } from "~/http/form-action.server";
import { pageAction, pageLoader, requireProduct, requireWriter } from "~/http/page-guards.server";
import { pressedCures, runWithLeftOut } from "~/http/run-cures.server";
import { getProduct } from "~/nouns/products/operations.server";
import { type Blocker, type Preflight, planReviewForm } from "~/nouns/sprint-runs/contract";
import { useActionResult } from "~/ui/action-result";
import { ButtonLink, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { FormErrors } from "~/ui/field";
import { countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { WriteFields } from "~/ui/write-access";
import { startChosen } from "./start-chosen.server";

const itemsIn = (request: Request) => new URL(request.url).searchParams.getAll("item");

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, productId } = await requireProduct(request, context, params);
  const { plan_first } = await getProduct(actor, { product_id: productId });
  return json({ productId, planFirst: plan_first, items: itemsIn(request) });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const { productId } = await requireProduct(request, context, params);
  const form = await request.formData();
  const chosen = pressedCures(form);
  const items = itemsIn(request);
  if (items.length === 0) throw new ContractError(422, "Choose a task or a story to run.");
  const { plan_review } = readForm(form, planReviewForm);
  const start = await startChosen(actor, productId, items, { chosen, plan_review });
  if (start.started === null) return json(start, 409);
  const { run, left_out } = start.started;
  return redirect(runWithLeftOut(run.product_id, run.id, left_out), 303);
});

export const meta: MetaFunction = () => [{ title: "Run this · Backloom" }];

interface Refusal {
  error?: string;
  blockers?: Blocker[];
  chosen?: string[];
}

/** Starts a run of the items in the address, and shows blockers with their fixes. */
export default function NewRunPage() {
  const { productId, planFirst, items } = useLoaderData<typeof loader>();
  const { error, blockers = [], chosen = [] } = useActionResult<Refusal>() ?? {};
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title="Run this"
        crumbs={[{ label: "Runs", to: `/agents/runs?product=${productId}` }]}
        lead="Agents work on the chosen tasks without a sprint."
      />
      {items.length === 0 ? (
        <EmptyState
          title="Nothing chosen"
          action={<ButtonLink to={`/products/${productId}/backlog`}>Open the backlog</ButtonLink>}
        >
          Press r on a task or story of the backlog or board.
        </EmptyState>
      ) : (
        <WriteFields className="grid gap-4">
          <Form method="post" id={cureForm}>
            {chosen.map((cure) => (
              <input key={cure} type="hidden" name="cure" value={cure} />
            ))}
          </Form>
          {planFirst === "never" ? null : <PlanReviewField form={cureForm} />}
          {blockers.length > 0 ? (
            <Blockers {...{ productId, blockers, planFirst, items }} />
          ) : (
            <>
              <FormErrors errors={error ? [error] : []} />
              <div>
                <SubmitButton form={cureForm} pendingLabel="Starting…">
                  Start run
                </SubmitButton>
              </div>
            </>
          )}
        </WriteFields>
      )}
    </div>
  );
}

const cureForm = "cure-run";

function Blockers({
  productId,
  blockers,
  planFirst,
  items,
}: {
  productId: string;
  blockers: readonly Blocker[];
  planFirst: Preflight["plan_first"];
  items: readonly string[];
}) {
  const canMakeTasks = items.some((item) => item.startsWith("story:"));
  const all = fixAll(blockers, planFirst, canMakeTasks);
  return (
    <>
      <Section title={countText(blockers.length, "blocker")}>
        <div className="text-sm">
          <BlockerList
            blockers={blockers}
            productId={productId}
            cures={(blocker) => (
              <span className="flex flex-wrap gap-1">
                <CommonCures {...{ blocker, planFirst, canMakeTasks }} form={cureForm} />
                <LeaveOut blocker={blocker} />
              </span>
            )}
          />
        </div>
      </Section>
      {all ? (
        <div className="grid justify-items-start gap-1">
          <SubmitButton form={cureForm} name="cure" value={all} pendingLabel="Starting…">
            Fix all and start
          </SubmitButton>
          <p className="text-xs text-muted">Anything still blocked is left out.</p>
        </div>
      ) : null}
    </>
  );
}

function LeaveOut({ blocker }: { blocker: Blocker }) {
  const { task_id, task_code, story_id, story_code } = blocker;
  const left = task_id ? `task:${task_id}` : story_id ? `story:${story_id}` : null;
  if (!left) return null;
  return (
    <CureButton cure={`without:${left}`} form={cureForm} about={task_code ?? story_code}>
      Leave it out
    </CureButton>
  );
}

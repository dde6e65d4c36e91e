import { json, type MetaFunction, redirect, type SerializeFrom } from "@remix-run/node";
import { Form, Link, useLoaderData } from "@remix-run/react";
import { CeilingField } from "~/features/budgets/ceiling-field";
import { ForecastLine } from "~/features/budgets/forecast-line";
import { connectWorker } from "~/features/jobs/blocked-reasons";
import { BlockerList, CommonCures, CureButton, FixAllNote, fixAll } from "~/features/runs/blocker-list";
import { Meets } from "~/features/runs/meets";
import { pressedCures, runWithLeftOut } from "~/features/runs/run-cures.server";
import { PlanReviewField } from "~/features/runs/start-run";
import { readForm } from "~/http/form-action.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { getForecast } from "~/nouns/budgets/operations.server";
import { getMeets } from "~/nouns/forecasts/operations.server";
import { getProduct } from "~/nouns/products/operations.server";
import { listAgentWorkers } from "~/nouns/workers/operations.server";
import { useActionResult } from "~/ui/action-result";
import { CodeChip } from "~/ui/badge";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { CopyBlock } from "~/ui/copy-button";
import { FormErrors } from "~/ui/field";
import { countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { WriteFields } from "~/ui/write-access";
import { ContractError } from "~/wire/errors";
import { type Blocker, type Preflight, startForm } from "~/wire/sprint-runs/contract";
import { chosenTasks, startChosen } from "./start-chosen.server";

const itemsIn = (request: Request, name = "item") => new URL(request.url).searchParams.getAll(name);

export const loader = productLoader(async ({ actor, productId, request }) => {
  const items = itemsIn(request);
  // On a task or story of the backlog, r leads here.
  if (items.length === 0) throw redirect(`/products/${productId}/backlog`);
  // More than one call: what was chosen is read item by item.
  const tasks = await chosenTasks(actor, items);
  const task_ids = tasks.map(({ id }) => id).slice(0, 500);
  const [{ plan_first, name, code }, { workers }, forecast, meets] = await Promise.all([
    getProduct(actor, { product_id: productId }),
    listAgentWorkers(actor, { product_id: productId }),
    getForecast(actor, { product_id: productId, task_ids }),
    getMeets(actor, { product_id: productId, task_ids: task_ids.slice(0, 5) }),
  ]);
  return json({
    productId,
    planFirst: plan_first,
    items,
    cures: itemsIn(request, "cure"),
    tasks: tasks.map(({ id, code, title }) => ({ id, code, title, meets: meets[id] ?? [] })),
    online: workers.filter((worker) => worker.online && worker.takes_product).length,
    // For another product only.
    elsewhere: workers.filter((worker) => worker.online && !worker.takes_product).length,
    product: { name, code },
    forecast,
  });
});

export const action = productAction(async ({ actor, productId, form, request }) => {
  const chosen = pressedCures(form);
  const items = itemsIn(request);
  if (items.length === 0) throw new ContractError(422, "Choose a task or a story to run.");
  const start = await startChosen(actor, productId, items, { chosen, ...readForm(form, startForm) });
  if (start.started === null) return json(start, 409);
  const { run, left_out } = start.started;
  return redirect(runWithLeftOut(run.product_id, run.id, left_out), 303);
});

export const meta: MetaFunction = () => [{ title: "Run this · Backloom" }];

type Refusal = { error?: string; blockers?: Blocker[]; chosen?: string[] };

/** Starts a run of the items in the address, and shows blockers with their fixes. */
export default function NewRunPage() {
  const { productId, planFirst, items, cures, tasks, ...chosenFor } = useLoaderData<typeof loader>();
  const { error, blockers = [], chosen = cures } = useActionResult<Refusal>() ?? {};
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title="Run this"
        crumbs={[{ label: "Runs", to: `/agents/runs?product=${productId}` }]}
        lead="Agents work on the chosen tasks without a sprint."
      />
      <WriteFields className="grid gap-4">
        <Chosen tasks={tasks} {...chosenFor} />
        {/* Back leads to where the items were chosen, not to a form that would start them again. */}
        <Form method="post" id={cureForm} replace>
          {chosen.map((cure) => (
            <input key={cure} type="hidden" name="cure" value={cure} />
          ))}
        </Form>
        {planFirst === "never" ? null : <PlanReviewField form={cureForm} />}
        {blockers.length > 0 ? (
          <Blockers productId={productId} blockers={blockers} planFirst={planFirst} items={items} />
        ) : (
          <>
            <FormErrors errors={error ? [error] : []} />
            <SubmitButton className="justify-self-start" form={cureForm} pendingLabel="Starting…" autoFocus>
              Start run
            </SubmitButton>
          </>
        )}
      </WriteFields>
    </div>
  );
}

const cureForm = "cure-run";

/** What the run does, who could do it now, and what a task is likely to take. */
function Chosen({
  tasks,
  online,
  elsewhere,
  product,
  forecast,
}: Pick<SerializeFrom<typeof loader>, "tasks" | "online" | "elsewhere" | "product" | "forecast">) {
  return (
    <Section title={countText(tasks.length, "task")}>
      <ul className="grid gap-1 text-sm">
        {tasks.map(({ id, code, title }) => (
          <li key={id} className="flex items-baseline gap-2">
            <CodeChip>{code}</CodeChip>
            <Link to={`/tasks/${id}`} className="min-w-0 hover:underline">
              {title}
            </Link>
          </li>
        ))}
      </ul>
      <div className="mt-3 grid gap-1 text-sm">
        {online > 0 ? (
          <p>{countText(online, "worker online", "workers online")}.</p>
        ) : (
          <NoWorker elsewhere={elsewhere} product={product} />
        )}
        {tasks.length > 1 ? <ForecastLine forecast={forecast} /> : null}
        <CeilingField forecast={forecast} form={cureForm} />
        {tasks.map((task) => (
          <Meets key={task.id} task={task} meets={task.meets} />
        ))}
      </div>
    </Section>
  );
}

/** What is missing, with the line that starts it. */
function NoWorker({ elsewhere, product }: { elsewhere: number; product: { name: string; code: string } }) {
  const command = `node ~/backloom-worker.mjs --url <address> --token <token> --repo <folder> --product ${product.code}`;
  return (
    <div className="grid gap-1">
      <p className="text-waiting">
        {elsewhere > 0
          ? `No worker takes ${product.name}: ${countText(elsewhere, "worker is", "workers are")} online for another product only. The tasks wait until one takes this product.`
          : "No worker is online. The tasks wait until one is."}{" "}
        <Link to={connectWorker} className="text-accent underline">
          Connect a worker
        </Link>
      </p>
      <CopyBlock label="Terminal" text={command} />
    </div>
  );
}

interface BlockersProps {
  productId: string;
  blockers: readonly Blocker[];
  planFirst: Preflight["plan_first"];
  items: readonly string[];
}

function Blockers({ productId, blockers, planFirst, items }: BlockersProps) {
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
                <CommonCures blocker={blocker} planFirst={planFirst} canMakeTasks={canMakeTasks} form={cureForm} />
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
          <FixAllNote planFirst={planFirst} canMakeTasks={canMakeTasks} />
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

import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { JobStatus } from "~/features/jobs/job-badges";
import { QuestionCard } from "~/features/questions/question-card";
import { CodeChip } from "~/ui/badge";
import { ButtonLink, SubmitButton } from "~/ui/button";
import { CopyBlock } from "~/ui/copy-button";
import { isolated } from "~/ui/isolated";
import { LiveText } from "~/ui/live-text";
import { isHeld, StatusIcon } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import { setups } from "../_app.connect/setups";
import type { Progress } from "./progress.server";

type StepsProps = { progress: Progress; origin: string; fresh: FreshToken | undefined };

/** Three steps on one page with one button each. The first open one is highlighted. */
export function Steps({ progress, origin, fresh }: StepsProps) {
  const { sample, ownAgent, ownProduct } = progress;
  const done = [sample?.finished ?? false, ownProduct !== null, ownAgent];
  const current = done.indexOf(false);
  const step = (index: number) => ({ done: done[index] ?? false, isCurrent: index === current });
  return (
    <ol className="grid gap-3">
      <Step
        title="Watch the demo agent"
        text="It needs no model and no key. It does two small tasks of a sample product, asks you one question, and waits for your review. In the sample a person approves agents' work, their stories wait in triage, and a failed task asks what to do."
        {...step(0)}
      >
        <DemoStep isCurrent={current === 0} sample={sample} origin={origin} token={tokenOf(fresh, "demo")} />
      </Step>
      <Step
        title="Bring your own repository"
        text={
          ownProduct
            ? `Your backlog is ${isolated(ownProduct.name)}.`
            : "Create a product for it, then write or paste your backlog."
        }
        {...step(1)}
      >
        {ownProduct ? (
          <Press to={`/products/${ownProduct.id}/backlog`}>Open backlog</Press>
        ) : (
          <Press to="/products/new" isCurrent={current === 1}>
            New product
          </Press>
        )}
      </Step>
      <Step
        title="Connect your own agent"
        text={
          ownProduct
            ? `Run one line in the folder of your repository. The agent then takes the tasks of ${isolated(ownProduct.name)} that you run.`
            : "Run one line in the folder of your repository. It names your product, so create that first."
        }
        {...step(2)}
      >
        <OwnAgent isCurrent={current === 2} product={ownProduct} origin={origin} token={tokenOf(fresh, "agent")} />
      </Step>
    </ol>
  );
}

function tokenOf(fresh: FreshToken | undefined, step: FreshToken["step"]): string | null {
  return fresh?.step === step ? fresh.token : null;
}

type OwnAgentProps = { isCurrent: boolean; product: Progress["ownProduct"]; origin: string; token: string | null };

function OwnAgent({ isCurrent, product, origin, token }: OwnAgentProps) {
  const agent = token ? setups({ origin, token, product })[0] : undefined;
  return (
    <>
      {agent?.blocks.map((block) => (
        <CopyBlock key={block.label} label={agent.name} text={block.text} />
      ))}
      <div className="flex flex-wrap items-center gap-2">
        {agent || !product ? null : (
          <PressFor intent="agent" isCurrent={isCurrent}>
            Show the line
          </PressFor>
        )}
        <ButtonLink to="/connect">Other agents</ButtonLink>
      </div>
    </>
  );
}

type DemoStepProps = { isCurrent: boolean; sample: Progress["sample"]; origin: string; token: string | null };

/** The demo in place, from the first click to the approved work: command, jobs, question, review. */
function DemoStep({ isCurrent, sample, origin, token }: DemoStepProps) {
  const begun = sample?.begun ?? false;
  const isOver = begun && sample?.jobs.every(({ status, needsReview }) => status === "done" || needsReview);
  const review = sample?.jobs.find(({ needsReview }) => needsReview);
  return (
    <>
      {token && !isOver ? <CopyBlock label="Terminal, in any folder" text={demoLine(origin, token)} /> : null}
      {token && !begun ? (
        <p role="status" className="text-sm text-muted">
          Copy the line into a terminal. This page continues by itself.
        </p>
      ) : null}
      {token || isOver ? null : (
        <PressFor intent="demo" isCurrent={isCurrent && !begun}>
          {begun ? "Show the demo's line again" : "Show the demo's line"}
        </PressFor>
      )}
      {sample?.question ? <QuestionCard question={sample.question} /> : null}
      {sample && begun ? <DemoJobs jobs={sample.jobs} /> : null}
      {review ? (
        <ButtonLink to={`/jobs/${review.id}/changes#review`} tone="primary" className="justify-self-start">
          Review {review.task_code}
        </ButtonLink>
      ) : null}
    </>
  );
}

function DemoJobs({ jobs }: { jobs: NonNullable<Progress["sample"]>["jobs"] }) {
  return (
    <ul className="grid gap-1.5 text-sm">
      {jobs.map((job) => (
        <li key={job.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="min-w-28 flex-1 max-sm:basis-full">
            <CodeChip className="mr-2">{job.task_code ?? ""}</CodeChip>
            <LiveText>{job.task_title}</LiveText>
          </span>
          <JobStatus job={job} asks={job.asks} />
          <ButtonLink to={`/jobs/${job.id}`} size="sm">
            <LiveText>{isHeld(job.status) ? "Watch" : "Open"}</LiveText>
            <span className="sr-only"> {job.task_code}</span>
          </ButtonLink>
        </li>
      ))}
    </ul>
  );
}

function demoLine(origin: string, token: string): string {
  const product = { id: "", code: "SAMPLE" };
  const setup = setups({ origin, token, product }).find(({ name }) => name === "The demo worker");
  // Limits the demo worker to the sample, no matter what else its user has.
  return `${setup?.blocks[0]?.text} --product ${product.code}`;
}

/** Action result with the token, shown once in the command to copy. */
export type FreshToken = { step: "demo" | "agent"; token: string };

type StepProps = { title: string; text: string; done: boolean; isCurrent: boolean; children: ReactNode };

function Step({ title, text, done, isCurrent, children }: StepProps) {
  return (
    <li
      aria-current={isCurrent ? "step" : undefined}
      className={`grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-2 rounded-lg border bg-surface p-4 ${isCurrent ? "border-accent" : "border-line"}`}
    >
      <StatusIcon tone={done ? "done" : isCurrent ? "progress" : "todo"} className="mt-1 size-4!" />
      <div className="grid min-w-0 gap-2">
        <h2 className="text-base font-semibold">
          {title}
          <span className="sr-only">{done ? ", done" : ""}</span>
        </h2>
        <p className="text-sm text-muted">{text}</p>
        {children}
      </div>
    </li>
  );
}

/** Only the next step is highlighted. */
const toneOf = (isCurrent: boolean) => (isCurrent ? "primary" : "plain");

function Press({ to, isCurrent = false, children }: { to: string; isCurrent?: boolean; children: ReactNode }) {
  return (
    <ButtonLink to={to} tone={toneOf(isCurrent)} className="justify-self-start">
      {children}
    </ButtonLink>
  );
}

type PressForProps = { intent: FreshToken["step"]; isCurrent: boolean; children: string };

function PressFor({ intent, isCurrent, children }: PressForProps) {
  return (
    <WriteFields quiet>
      <Form method="post">
        <SubmitButton name="intent" value={intent} tone={toneOf(isCurrent)} pendingLabel="Preparing…">
          {children}
        </SubmitButton>
      </Form>
    </WriteFields>
  );
}

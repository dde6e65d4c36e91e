import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { ButtonLink, SubmitButton } from "~/components/button";
import { costsText } from "~/components/numbers";
import { StatusIcon } from "~/components/status-icon";
import { WriteFields } from "~/components/write-access";
import type { Progress } from "./progress.server";

interface Step {
  title: string;
  done: boolean;
  text: ReactNode;
  action: ReactNode;
}

/** Six steps, each with what it is for, its one button, and a sign when it is done. */
export function Steps({ progress }: { progress: Progress }) {
  const steps = stepsOf(progress);
  const current = steps.findIndex((step) => !step.done);
  const due = current === -1 ? steps.length - 1 : current;
  return (
    <>
      <ol className="grid gap-3">
        {steps.map((step, index) => (
          <li
            key={step.title}
            aria-current={index === current ? "step" : undefined}
            className={`grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-2 rounded-lg border bg-surface p-4 ${index === current ? "border-accent" : "border-line"}`}
          >
            <StatusIcon
              tone={step.done ? "done" : index === current ? "progress" : "todo"}
              className="mt-1 size-4!"
            />
            <div className="grid gap-1.5">
              <h2 className="text-base font-semibold">
                {step.title}
                <span className="sr-only">{step.done ? ", done" : ""}</span>
              </h2>
              <p className="text-sm text-muted">{step.text}</p>
              {index === due ? (
                <div className="mt-1 flex flex-wrap gap-2">{step.action}</div>
              ) : null}
            </div>
          </li>
        ))}
      </ol>
      {current === -1 ? (
        <p className="text-sm text-muted">
          That was all. Next: add people under Members, pair your phone under Settings, and connect
          your own repository.
        </p>
      ) : null}
    </>
  );
}

function stepsOf(progress: Progress): Step[] {
  const { product, run, questionOpen, activeSprintId } = progress;
  const sprintPath = product
    ? `/products/${product.id}/sprints${activeSprintId ? `/${activeSprintId}` : ""}`
    : "/dashboard";
  return [
    {
      title: "A product to work on",
      done: product !== null,
      text: product
        ? `You work on ${product.name}.`
        : "The sample is small and planned to the end, so that an agent can begin at once.",
      action: (
        <>
          <WriteFields quiet>
            <Form method="post">
              <SubmitButton pendingLabel="Preparing…">Use the sample product</SubmitButton>
            </Form>
          </WriteFields>
          <ButtonLink to="/products/new">Create my own</ButtonLink>
        </>
      ),
    },
    {
      title: "A token for your agent",
      done: progress.hasToken,
      text: "An agent signs in with it and may do what you may.",
      action: wayTo("/connect", "Make a token"),
    },
    {
      title: "The first call",
      done: progress.called,
      text: "Copy the line of the agent that you have into a terminal. The built-in demo worker needs no model and no key.",
      action: wayTo("/connect", "Copy the line"),
    },
    {
      title: "Start the run",
      done: run !== null,
      text: "The sprint's page shows what a run would do, and what is in its way.",
      action: wayTo(sprintPath, "Open the sprint"),
    },
    {
      title: "Answer a question",
      done: progress.questionAnswered,
      text: questionOpen
        ? "An agent waits for you now. The bell is amber."
        : "When an agent cannot decide something it asks you. The demo worker has one question.",
      action: wayTo("/questions", "Open the questions", questionOpen),
    },
    {
      title: "The first finished task",
      done: progress.finished,
      text: run
        ? `${run.finishedJobs} of ${run.jobs} jobs done${run.costs.length > 0 ? `, ${costsText(run.costs)} so far` : ""}.`
        : "Watch it move to done by itself.",
      action: <Watch progress={progress} />,
    },
  ];
}

const wayTo = (to: string, label: string, isPressing = true) => (
  <ButtonLink to={to} tone={isPressing ? "primary" : "plain"}>
    {label}
  </ButtonLink>
);

function Watch({ progress: { product, run, lastDoneJobId } }: { progress: Progress }) {
  if (!run || !product) return null;
  return (
    <>
      {lastDoneJobId ? wayTo(`/jobs/${lastDoneJobId}/proof`, "See what proves it") : null}
      {wayTo(`/products/${product.id}/runs/${run.id}`, "Watch the run", !lastDoneJobId)}
    </>
  );
}

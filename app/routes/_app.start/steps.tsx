import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { ButtonLink, SubmitButton } from "~/ui/button";
import { costsText } from "~/ui/numbers";
import { StatusIcon } from "~/ui/status-icon";
import { WriteFields } from "~/ui/write-access";
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
          All done. Next, add people under Members, pair your phone under Settings, and connect your
          own repository.
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
      title: "Choose a product",
      done: product !== null,
      text: product
        ? `Working on ${product.name}.`
        : "The sample is small and fully planned, so an agent can start right away.",
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
      title: "Create a token",
      done: progress.hasToken,
      text: "An agent signs in with the token and can do what you can do.",
      action: wayTo("/connect", "Create token"),
    },
    {
      title: "Connect an agent",
      done: progress.called,
      text: "Run the command for your agent in a terminal. The built-in demo worker needs no model or key.",
      action: wayTo("/connect", "See the commands"),
    },
    {
      title: "Start a run",
      done: run !== null,
      text: "The sprint page shows what a run will do and what blocks it.",
      action: wayTo(sprintPath, "Open sprint"),
    },
    {
      title: "Answer a question",
      done: progress.questionAnswered,
      text: questionOpen
        ? "An agent is waiting for you. The bell is amber."
        : "When an agent needs a decision, it asks you. The demo worker has one question.",
      action: wayTo("/questions", "Open questions", questionOpen),
    },
    {
      title: "Finish a task",
      done: progress.finished,
      text: run
        ? `${run.finishedJobs} of ${run.jobs} jobs done${run.costs.length > 0 ? `, ${costsText(run.costs)} so far` : ""}.`
        : "Watch the task move to Done.",
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
      {lastDoneJobId ? wayTo(`/jobs/${lastDoneJobId}/proof`, "View proof") : null}
      {wayTo(`/products/${product.id}/runs/${run.id}`, "Watch run", !lastDoneJobId)}
    </>
  );
}

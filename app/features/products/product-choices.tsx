import { type ReactNode, useState } from "react";
import { requirementChoices } from "~/features/proof/proof-labels";
import { CheckField } from "~/ui/field";

export const pullRequestOptions = [
  { value: "none", label: "Do not open pull requests" },
  { value: "draft", label: "Open as a draft until every criterion is proven" },
  { value: "open", label: "Open ready for review" },
] as const;

export const branchChoices = [
  {
    value: "STORY",
    label: "One branch per story",
    description:
      "Several workers work on stories at once, and a question holds up its own story only. Each branch is merged by itself.",
  },
  {
    value: "SPRINT",
    label: "One branch per sprint, one job per task",
    description: "Jobs run one after another, each on the work of those before. One branch is merged in the end.",
  },
  {
    value: "SPRINT_BATCH",
    label: "One job for the whole sprint",
    description: "One agent does all tasks in one go. If one fails, all of it stops.",
  },
] as const;

/** What follows when the work on a task fails. */
export const failureChoices = [
  {
    value: "ask",
    label: "Ask what to do",
    description:
      "You choose: try again, skip it and what it blocks, or stop the run. Tasks that do not depend on it go on.",
  },
  {
    value: "stop",
    label: "Stop the run",
    description: "Story, PBI, sprint and run fail with the task. Work that waits for a review stays.",
  },
] as const;

export const agentItemChoices = [
  {
    value: "triage",
    label: "Go to triage",
    description: "They wait there until a person accepts, merges or declines them.",
  },
  { value: "backlog", label: "Go to the backlog", description: "Runs can take them at once." },
] as const;

/** What a person decides of agents' work, with what the pages preselect for a new product. */
export const gateFields = [
  { name: "done_requires", legend: "Agent work waits for", choices: requirementChoices, chosen: "person" },
  { name: "on_failure", legend: "When a task fails", choices: failureChoices, chosen: "ask" },
  { name: "agent_items", legend: "Stories from agents", choices: agentItemChoices, chosen: "triage" },
] as const;

type Choice = { value: string; label: string; description: string };

type ChoiceFieldProps = { legend: string; name: string; chosen: unknown; choices: readonly Choice[] };

/** A choice whose options say what they mean. */
export function ChoiceField({ legend, name, chosen, choices }: ChoiceFieldProps) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      {choices.map(({ value, ...texts }) => (
        <CheckField key={value} type="radio" name={name} value={value} defaultChecked={value === chosen} {...texts} />
      ))}
    </fieldset>
  );
}

interface HowAgentsWorkProps {
  preselected: string;
  isChanged?: boolean;
  /** A refused value is not to be looked for in a fold. */
  isOpen?: boolean;
  children: ReactNode;
}

/** Folds what a new product decides about agents' work: its line says what is preselected until one is changed. */
export function HowAgentsWork({ preselected, isChanged, isOpen, children }: HowAgentsWorkProps) {
  const [isChosen, setChosen] = useState(isChanged);
  return (
    <details className="rounded border border-line" open={isOpen} onChange={() => setChosen(true)}>
      <summary className="px-3 py-2 text-sm hover:bg-sunken">
        <span className="text-muted">How agents work:</span> {isChosen ? "as you choose here" : preselected}.{" "}
        <span className="text-accent underline">Change</span>
      </summary>
      <div className="grid gap-4 border-t border-line p-3">{children}</div>
    </details>
  );
}

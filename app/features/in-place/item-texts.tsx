import type { ReactNode } from "react";
import type { SafeHtml } from "~/features/markdown/prose";
import { CodeChip } from "~/ui/badge";
import { StatusPill } from "~/ui/status";
import type { StoryPageData, TaskPageData } from "~/wire/pages/contract";
import { EditableText, EditableTitle } from "./editable-text";

type Titled = { id: string; code: string; title: string; version?: number | undefined };

interface TitleProps {
  item: Titled;
  fields: Readonly<Record<string, string>>;
  /** Form action, if it is not the page's. */
  action?: string;
}

function Title({ item, fields, action }: TitleProps) {
  return (
    <EditableTitle
      key={item.id}
      label="Title"
      name="title"
      value={item.title}
      version={item.version}
      fields={fields}
      action={action}
    />
  );
}

/** The title of a PBI, story or task in its panel. */
export function PanelTitle(props: TitleProps): ReactNode {
  return (
    <>
      <CodeChip>{props.item.code}</CodeChip> <Title {...props} />
    </>
  );
}

/** The title of a story or task on its page. The page's keys act on this line. */
export function PageTitle({
  kind,
  ...props
}: TitleProps & { kind: "story" | "task"; item: Titled & { status: string } }) {
  const { id, code, status } = props.item;
  return (
    <span data-page-line={`${kind}:${id}`} className="flex flex-wrap items-center gap-2.5">
      <span data-code className="font-mono text-base text-muted">
        {code}
      </span>
      <Title {...props} />
      <StatusPill status={status} />
    </span>
  );
}

interface TextsProps {
  description: SafeHtml | null;
  inPanel?: boolean;
  /** Form action, if it is not the page's. */
  action?: string | undefined;
}

/** A story's description and acceptance criteria, on its page and in its panel. */
export function StoryTexts({
  story,
  description,
  criteria,
  inPanel = false,
  action,
}: TextsProps & { story: StoryPageData["story"]; criteria: SafeHtml | null }) {
  const shared = {
    version: story.version,
    fields: { intent: "update", story_id: story.id },
    files: { product_id: story.product_id, story_id: story.id },
    action,
    inPanel,
  };
  return (
    <>
      <EditableText
        key={`description ${story.id}`}
        label="Description"
        name="description"
        value={story.description}
        {...shared}
        content={description}
        empty="Who needs this, and why?"
      />
      <EditableText
        key={`criteria ${story.id}`}
        label="Acceptance criteria"
        name="acceptance_criteria"
        value={story.acceptance_criteria}
        {...shared}
        content={criteria}
        empty="What is true when it is done?"
      />
    </>
  );
}

/** A task's description and plan, on its page and in its panel. */
export function TaskTexts({
  task,
  description,
  plan,
  inPanel = false,
  action,
}: TextsProps & { task: TaskPageData["task"]; plan: SafeHtml | null }) {
  const shared = {
    version: task.version,
    fields: { intent: "edit", task_id: task.id },
    files: { product_id: task.product_id, task_id: task.id },
    action,
    inPanel,
  };
  return (
    <>
      <EditableText
        key={`description ${task.id}`}
        label="Description"
        name="description"
        value={task.description}
        {...shared}
        content={description}
        empty="What needs to be done?"
      />
      <EditableText
        key={`plan ${task.id}`}
        label="Implementation plan"
        name="implementation_plan"
        value={task.implementation_plan ?? ""}
        {...shared}
        content={plan}
        empty="No plan yet. A run needs a plan for every task."
        mono
      />
    </>
  );
}

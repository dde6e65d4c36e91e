import type { ReactNode } from "react";
import { CodeChip } from "~/ui/badge";
import { StatusPill } from "~/ui/status";
import { EditableTitle } from "./editable-title";

interface Titled {
  id: string;
  code: string;
  title: string;
  version?: number | undefined;
}

interface TitleProps {
  item: Titled;
  /** Fields sent with a new title. */
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

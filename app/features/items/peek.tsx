import { useFetcher } from "@remix-run/react";
import { type ComponentProps, useEffect } from "react";
import { BlockedReasons } from "~/features/jobs/blocked-reasons";
import { TryIt } from "~/features/previews/try-it";
import type { StoryPageData, TaskPageData } from "~/wire/pages/contract";
import { focusRow } from "./active-row";
import { StoryPanel, TaskPanel } from "./item-panels";
import KnownPanel from "./known-panel";

/** Shows a task or story next to the list, editable in place. Focus stays in the list. */
export default function Peek({ item, onClose }: { item: string; onClose: () => void }) {
  const [kind, id = ""] = item.split(":");
  const close = () => {
    onClose();
    focusRow(item);
  };
  return kind === "task" ? (
    <TaskPeek key={id} id={id} onClose={close} />
  ) : (
    <StoryPeek key={id} id={id} onClose={close} />
  );
}

type PeekProps = { id: string; onClose: () => void };

interface TaskRead extends Pick<ComponentProps<typeof TaskPanel>, "description" | "plan"> {
  page: TaskPageData;
  why: ComponentProps<typeof BlockedReasons>["reasons"] | null;
}

interface StoryRead extends Pick<ComponentProps<typeof StoryPanel>, "description" | "criteria"> {
  page: StoryPageData;
}

function useRead<Data>(to: string) {
  const { data, load } = useFetcher<Data>({ key: `peek ${to}` });
  useEffect(() => load(to), [load, to]);
  return data;
}

function TaskPeek({ id, onClose }: PeekProps) {
  const to = `/tasks/${id}`;
  const data = useRead<TaskRead>(to);
  if (!data) return <KnownPanel item={`task:${id}`} onClose={onClose} />;
  const { page, description, plan, why } = data;
  const [job] = page.jobs;
  return (
    <TaskPanel page={page} description={description} plan={plan} onClose={onClose} closeTo={to}>
      {why ? (
        <div className="text-sm text-muted">
          <BlockedReasons reasons={why} />
        </div>
      ) : null}
      {job === undefined ? null : <TryIt job={job} />}
    </TaskPanel>
  );
}

function StoryPeek({ id, onClose }: PeekProps) {
  const to = `/stories/${id}`;
  const data = useRead<StoryRead>(to);
  if (!data) return <KnownPanel item={`story:${id}`} onClose={onClose} />;
  const { page, description, criteria } = data;
  return (
    <StoryPanel
      page={page}
      description={description}
      criteria={criteria}
      onClose={onClose}
      newTaskTo={`/products/${page.product.id}/backlog?panel=new-task&story=${id}`}
      closeTo={to}
    />
  );
}

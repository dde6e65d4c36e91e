import { useSubmit } from "@remix-run/react";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { useResultOf } from "~/ui/action-result";
import { Button, SubmitButton } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { enhancedField } from "~/ui/form-fields";
import { isolated } from "~/ui/isolated";
import { columnLabel } from "./board-settings";

export type NewCardTarget = { status: string; lane: string | null; storyId: string | undefined };

export type CardStory = { id: string; code: string; title: string };

export const newCardIntent = "create-task";

let created = 0;

type NewCardProps = { target: NewCardTarget; stories: readonly CardStory[]; onClose: () => void };

/** A title and Enter create a task in this column, and the field stays open for the next one. Esc closes it. */
export function NewCard({ target, stories, onClose }: NewCardProps) {
  const submit = useSubmit();
  const title = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState<readonly string[]>([]);
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    form.set(enhancedField, "1");
    created += 1;
    const fetcherKey = `new card ${created}`;
    setSent((known) => [...known.slice(-20), fetcherKey]);
    submit(form, { method: "post", navigate: false, fetcherKey });
    if (title.current) title.current.value = "";
    title.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <form method="post" className="new-card" onSubmit={add} onKeyDown={onKeyDown}>
      {sent.map((key) => (
        <Result key={key} fetcherKey={key} />
      ))}
      <HiddenFields fields={{ intent: newCardIntent, status: target.status }} />
      <input
        ref={title}
        name="title"
        required
        maxLength={300}
        // biome-ignore lint/a11y/noAutofocus: it opens because someone wants to type
        autoFocus
        autoComplete="off"
        aria-label={`Title of the new task in ${columnLabel(target.status)}`}
        placeholder="Title of the task"
        className="h-8 w-full rounded border border-line-strong bg-surface px-2 text-sm pointer-coarse:h-10"
      />
      <select
        name="story_id"
        aria-label="Story"
        defaultValue={target.storyId}
        className="h-8 w-full min-w-0 rounded border border-line bg-surface px-1.5 text-xs pointer-coarse:h-10"
      >
        {stories.map(({ id, code, title: name }) => (
          <option key={id} value={id}>
            {code} {isolated(name)}
          </option>
        ))}
      </select>
      <div className="flex gap-2">
        <SubmitButton size="sm" pending={false}>
          Add task
        </SubmitButton>
        <Button size="sm" tone="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
    </form>
  );
}

function Result({ fetcherKey }: { fetcherKey: string }) {
  useResultOf(fetcherKey);
  return null;
}

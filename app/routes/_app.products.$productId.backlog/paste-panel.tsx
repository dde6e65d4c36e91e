import { Form, useSearchParams } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { forgetPasted, pastedText } from "~/features/items/lists/pasted-text";
import {
  countItems,
  type ListItem,
  listLimits,
  listSentence,
  type PastedList,
  readPastedList,
} from "~/nouns/stories/pasted-list";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { Button, SubmitButton } from "~/ui/button";
import { FormErrors, TextAreaField, TextField } from "~/ui/field";
import { IdempotencyKey } from "~/ui/forms/idempotency-key";
import { submitByKey } from "~/ui/forms/server-form";
import { isolated } from "~/ui/isolated";
import { useEarlierChoices } from "~/ui/use-earlier-choices";
import { WriteFields } from "~/ui/write-access";
import { intoNewPbi } from "./tree-address";

type Parent = { id: string; code: string; title: string };
type Parents = { pbis: readonly Parent[]; stories: readonly Parent[] };
type Answer = { error?: string; pasted?: { into: string; list: string } };

/** Creates stories and tasks from a list, previewed while the user edits it. */
export function PastePanel({ pbis, stories, into }: Parents & { into: string | null }) {
  const answer = useActionResult<Answer>();
  const hydrated = useHydrated();
  const form = useRef<HTMLFormElement>(null);
  useEarlierChoices(form);
  const [params] = useSearchParams();
  const made = params.get("made");
  const [list, setList] = useState(() => answer?.pasted?.list ?? pastedText());
  useEffect(forgetPasted, []);
  const [parent, setParent] = useState(answer?.pasted?.into ?? into ?? (pbis[0] ? `pbi:${pbis[0].id}` : intoNewPbi));
  const kind = parent.startsWith("story:") ? "story" : "pbi";
  const shown = hydrated || answer?.pasted ? readPastedList(list, kind) : null;
  const { stories: storyCount, tasks } = shown ? countItems(shown, kind) : { stories: 0, tasks: 0 };
  const any = storyCount + tasks > 0;
  return (
    <Form ref={form} method="post" className="grid gap-4" onKeyDown={submitByKey}>
      <IdempotencyKey />
      {made ? <Alert tone="done" role="status" title={`Created ${madeText(made)}.`} /> : null}
      <FormErrors errors={answer?.error ? [answer.error] : []} />
      <WriteFields className="grid gap-4">
        <GoesInto pbis={pbis} stories={stories} parent={parent} onParent={setParent} />
        {parent === intoNewPbi || !hydrated ? (
          <TextField
            id="pbi-title"
            name="pbi_title"
            label="Title of the new PBI"
            required={false}
            placeholder={shown?.title ?? "New PBI"}
            errors={undefined}
          />
        ) : null}
        <TextAreaField
          id="pasted-list"
          name="list"
          label="List"
          description="Lines, bullets, numbers, checkboxes or headings; one heading above all is their title. Indented lines become tasks of the line above, and lines below a task its description. Ticked lines are skipped. Or rows of a table or CSV, with columns for title and description."
          errors={undefined}
          required
          autoFocus
          mono
          rows={9}
          maxLength={listLimits.characters}
          defaultValue={list}
          onInput={(event) => setList(event.currentTarget.value)}
        />
        {shown && any ? <ListPreview {...shown} isNew={parent === intoNewPbi} /> : null}
        {shown ? (
          <SubmitButton name="intent" value="create-list" disabled={!any} pendingLabel="Creating…">
            {any ? `Create ${listSentence(storyCount, tasks)}` : "Create"}
          </SubmitButton>
        ) : null}
        {hydrated ? null : (
          <Button type="submit" name="intent" value="preview-list">
            Preview
          </Button>
        )}
      </WriteFields>
    </Form>
  );
}

function madeText(made: string): string {
  const [stories = 0, tasks = 0] = made.split("-").map(Number);
  return listSentence(stories || 0, tasks || 0);
}

type GoesIntoProps = Parents & { parent: string; onParent: (parent: string) => void };

function GoesInto({ pbis, stories, parent, onParent }: GoesIntoProps) {
  const hydrated = useHydrated();
  const options = (kind: string, parents: readonly Parent[]) =>
    parents.map(({ id, code, title }) => (
      <option key={id} value={`${kind}:${id}`}>
        {code} {isolated(title)}
      </option>
    ));
  return (
    <label className="grid gap-1 text-sm font-medium">
      Add to
      <select
        name="into"
        value={hydrated ? parent : undefined}
        defaultValue={hydrated ? undefined : parent}
        onChange={(event) => onParent(event.target.value)}
        className="h-9 w-full rounded border border-line-strong bg-raised px-2 font-normal"
      >
        <optgroup label="As stories with tasks">
          {options("pbi", pbis)}
          <option value={intoNewPbi}>A new PBI</option>
        </optgroup>
        {stories.length > 0 ? <optgroup label="As tasks of a story">{options("story", stories)}</optgroup> : null}
      </select>
    </label>
  );
}

function ListPreview({ title, items, ticked, isNew }: PastedList & { isNew: boolean }) {
  return (
    <section aria-label="Preview" className="rounded border border-line bg-sunken/50 px-3 py-2">
      {title ? (
        <p className="mb-2 text-xs text-muted">
          The heading “{title}”{" "}
          {isNew ? "names the new PBI, unless you do." : "is the title of the list and is not added."}
        </p>
      ) : null}
      <Items items={items} />
      {ticked > 0 ? (
        <p className="mt-2 text-xs text-muted">
          {ticked === 1 ? "1 ticked line is skipped." : `${ticked} ticked lines are skipped.`}
        </p>
      ) : null}
    </section>
  );
}

function Items({ items }: { items: readonly ListItem[] }) {
  return (
    <ul className="grid gap-1 text-sm">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the text
        <li key={index} className="grid gap-0.5">
          <span className="break-words">{item.title}</span>
          {item.description ? (
            <span className="text-xs whitespace-pre-wrap text-muted">Description: {item.description}</span>
          ) : null}
          {item.tasks.length > 0 ? (
            <div className="border-l border-line pl-3 text-muted">
              <Items items={item.tasks} />
            </div>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

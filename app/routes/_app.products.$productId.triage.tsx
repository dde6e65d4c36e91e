import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { useId } from "react";
import { useTriageKeys } from "~/features/inbox/use-inbox-keys";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { Prose, type SafeHtml } from "~/features/markdown/prose";
import { done, doneForNow, readForm, runIntent } from "~/http/form-action.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { acceptStory, declineStory, listTriage, mergeStory } from "~/nouns/stories/operations.server";
import { ActionForm, PageRefusal } from "~/ui/action-form";
import { Badge, CodeChip, Kbd } from "~/ui/badge";
import { Button } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { HiddenFields, SelectField } from "~/ui/field";
import { codeAndTitle } from "~/ui/isolated";
import { countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import { acceptStoryInput, mergeStoryInput, storyIdInput, type Triage } from "~/wire/stories/contract";

export const loader = productLoader(async ({ actor, principal, productId }) => {
  const { stories, ...parents } = await listTriage(actor, { product_id: productId });
  return json({
    productId,
    ...parents,
    stories: await Promise.all(
      stories.map(async (story) => ({ ...story, text: await renderMarkdown(textOf(story), principal.user_id) })),
    ),
  });
});

const textOf = ({ description, acceptance_criteria: said }: Triage["stories"][number]) =>
  `${description}${said && `\n\n**Acceptance criteria**\n\n${said}`}`;

export const action = productAction(async ({ actor, productId, form }) => {
  const back = `/products/${productId}/triage`;
  return runIntent(form, {
    accept: async () => {
      const { code } = await acceptStory(actor, readForm(form, acceptStoryInput));
      return doneForNow(form, back, `${code} is in the backlog`);
    },
    merge: async () => {
      const { code } = await mergeStory(actor, readForm(form, mergeStoryInput));
      return done(form, back, `Merged into ${code}`);
    },
    decline: async () => {
      await declineStory(actor, readForm(form, storyIdInput));
      return doneForNow(form, back, "Declined");
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Triage · Backloom" }];

export default function TriagePage() {
  const { productId, stories, pbis, targets } = useLoaderData<typeof loader>();
  useLiveRevalidation({ stream: "backlog", productId });
  useTriageKeys();
  return (
    <div className="grid gap-4">
      <PageHeader title="Triage" />
      <PageRefusal />
      {stories.length === 0 ? (
        <EmptyState title="Nothing to triage">
          Stories suggested by agents and items from other services wait here until someone accepts them. Until then, no
          run picks them up.
        </EmptyState>
      ) : (
        <>
          <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
            {stories.map((story) => (
              <WaitingStory key={story.id} story={story} pbis={pbis} targets={targets} />
            ))}
          </ul>
          <p className="hidden text-center text-xs text-muted keyboard:block">
            <Kbd>j</Kbd> <Kbd>k</Kbd> to move, <Kbd>1</Kbd> to accept, <Kbd>2</Kbd> to merge, <Kbd>3</Kbd> to decline.
          </p>
        </>
      )}
    </div>
  );
}

type Parent = Triage["pbis"][number];

interface WaitingStoryProps {
  story: Triage["stories"][number] & { text: SafeHtml | null };
  pbis: readonly Parent[];
  targets: readonly Parent[];
}

/** A row that accepts into the story's own PBI or declines; unfolded, its text and the other places for it. */
function WaitingStory({ story, pbis, targets }: WaitingStoryProps) {
  const { id, code, title } = story;
  return (
    <li data-waiting tabIndex={-1} className="grid gap-1 px-4 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <CodeChip>{code}</CodeChip>
        <Link to={`/stories/${id}`} data-row className="min-w-40 flex-1 font-medium hover:underline">
          {title}
        </Link>
        <span className="flex min-w-0 items-center gap-2 text-xs text-muted">
          <Origin story={story} />
          <RelativeTime at={story.created_at} />
        </span>
        <WriteFields quiet className="flex gap-1">
          <ActionForm aria-label={`Accept ${code}`} fields={{ intent: "accept", story_id: id }}>
            <Button type="submit" size="sm" tone="primary" data-accept>
              Accept
            </Button>
          </ActionForm>
          <ActionForm aria-label={`Decline ${code}`} fields={{ intent: "decline", story_id: id }}>
            <Button type="submit" size="sm" tone="quiet" data-decline>
              Decline
            </Button>
          </ActionForm>
        </WriteFields>
      </div>
      <details>
        <summary className="w-fit text-xs text-muted hover:text-ink">
          {story.text ? "Read it, or take it elsewhere" : "Take it elsewhere"}
        </summary>
        <div className="grid gap-3 py-2">
          {story.text ? <Prose content={story.text} /> : null}
          <WriteFields quiet className="grid gap-3 sm:grid-cols-2">
            <ActionForm className="flex items-end gap-2" aria-label={`Place ${code}`}>
              <HiddenFields fields={{ intent: "accept", story_id: id }} />
              <Parents name="pbi_id" label="Accept into PBI" parents={pbis} chosen={story.pbi_id} />
              <Button type="submit">Accept there</Button>
            </ActionForm>
            {targets.length === 0 ? null : (
              <ActionForm className="flex items-end gap-2" aria-label={`Merge ${code}`}>
                <HiddenFields fields={{ intent: "merge", story_id: id }} />
                <Parents name="into" label="Merge into story" parents={targets} />
                <Button type="submit">Merge</Button>
              </ActionForm>
            )}
          </WriteFields>
        </div>
      </details>
    </li>
  );
}

const originNames = { hook: "Hook", forge: "Issue", agent: "Agent" } as const;

/** Who brought an item, its address there, and how much it is. */
function Origin({ story }: { story: Triage["stories"][number] }) {
  return (
    <>
      <Badge>{originNames[story.origin ?? "agent"]}</Badge>
      {story.tasks > 0 ? <span className="shrink-0">{countText(story.tasks, "task")}</span> : null}
      {story.external_url ? (
        <a href={story.external_url} rel="noreferrer nofollow" className="min-w-0 truncate text-accent underline">
          {story.external_url}
        </a>
      ) : null}
    </>
  );
}

type ParentsProps = { name: string; label: string; parents: readonly Parent[]; chosen?: string };

function Parents({ parents, chosen, ...field }: ParentsProps) {
  return (
    <div className="min-w-0 flex-1">
      <SelectField
        {...field}
        id={useId()}
        errors={undefined}
        defaultValue={chosen}
        options={parents.map((parent) => ({ value: parent.id, label: codeAndTitle(parent) }))}
      />
    </div>
  );
}

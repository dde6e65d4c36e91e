import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { Prose, type SafeHtml } from "~/features/markdown/prose";
import { done, doneForNow, readForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireProduct, requireWriter } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { storyIdInput } from "~/nouns/stories/contract";
import {
  acceptStory,
  declineStory,
  listTriage,
  mergeStory,
} from "~/nouns/stories/operations.server";
import { acceptStoryInput, mergeStoryInput, type Triage } from "~/nouns/stories/triage";
import { ActionForm } from "~/ui/action-form";
import { useActionResult } from "~/ui/action-result";
import { Badge, CodeChip } from "~/ui/badge";
import { Button, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { FormErrors, SelectField } from "~/ui/field";
import { codeAndTitle } from "~/ui/isolated";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, principal, productId } = await requireProduct(request, context, params);
  const { stories, ...places } = await listTriage(actor, { product_id: productId });
  return json({
    productId,
    ...places,
    stories: await Promise.all(
      stories.map(async (story) => ({
        ...story,
        text: await renderMarkdown(story.description, principal.user_id),
      })),
    ),
  });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const { productId } = await requireProduct(request, context, params);
  const form = await request.formData();
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
  const answer = useActionResult<{ error?: unknown }>();
  useLiveRevalidation({ stream: "backlog", productId });
  return (
    <div className="grid max-w-3xl gap-4">
      <h1 className="text-xl font-semibold tracking-tight">Triage</h1>
      <FormErrors errors={typeof answer?.error === "string" ? [answer.error] : []} />
      {stories.length === 0 ? (
        <EmptyState title="Nothing to triage">
          Stories suggested by agents and items from other services wait here until someone accepts
          them. Until then, no run picks them up.
        </EmptyState>
      ) : (
        stories.map((story) => (
          <WaitingStory key={story.id} story={story} pbis={pbis} targets={targets} />
        ))
      )}
    </div>
  );
}

type Place = Triage["pbis"][number];

function WaitingStory({
  story,
  pbis,
  targets,
}: {
  story: Triage["stories"][number] & { text: SafeHtml | null };
  pbis: readonly Place[];
  targets: readonly Place[];
}) {
  const { id, code, title } = story;
  return (
    <Section title={title}>
      <p className="mb-2 flex flex-wrap items-center gap-2 text-xs text-muted">
        <CodeChip>{code}</CodeChip>
        <RelativeTime at={story.created_at} />
        <Origin story={story} />
        <Link to={`/stories/${id}`} className="text-accent underline">
          Open story<span className="sr-only"> {code}</span>
        </Link>
      </p>
      {story.text ? <Prose content={story.text} /> : null}
      <WriteFields quiet className="mt-3 grid gap-3">
        <ActionForm className="flex flex-wrap items-end gap-2" aria-label={`Accept ${code}`}>
          <Named intent="accept" id={id} />
          <Places
            id={`pbi-${id}`}
            name="pbi_id"
            label="Into PBI"
            places={pbis}
            chosen={story.pbi_id}
          />
          <SubmitButton pendingLabel="Accepting…">Accept</SubmitButton>
        </ActionForm>
        {targets.length === 0 ? null : (
          <ActionForm className="flex flex-wrap items-end gap-2" aria-label={`Merge ${code}`}>
            <Named intent="merge" id={id} />
            <Places id={`into-${id}`} name="into" label="Into story" places={targets} />
            <Button type="submit">Merge</Button>
          </ActionForm>
        )}
        <ActionForm aria-label={`Decline ${code}`}>
          <Named intent="decline" id={id} />
          <Button type="submit" tone="quiet">
            Decline
          </Button>
        </ActionForm>
      </WriteFields>
    </Section>
  );
}

const originNames = { hook: "Hook", forge: "Issue" } as const;

/** Where an item came from: the kind of source, and its address there. */
function Origin({ story }: { story: Triage["stories"][number] }) {
  return (
    <>
      {story.origin ? <Badge>{originNames[story.origin]}</Badge> : null}
      {story.external_url ? (
        <a
          href={story.external_url}
          rel="noreferrer nofollow"
          className="min-w-0 truncate text-accent underline"
        >
          {story.external_url}
        </a>
      ) : null}
    </>
  );
}

function Named({ intent, id }: { intent: string; id: string }) {
  return (
    <>
      <input type="hidden" name="intent" value={intent} />
      <input type="hidden" name="story_id" value={id} />
    </>
  );
}

function Places({
  places,
  chosen,
  ...field
}: {
  id: string;
  name: string;
  label: string;
  places: readonly Place[];
  chosen?: string;
}) {
  return (
    <div className="min-w-0 max-w-full flex-1">
      <SelectField
        {...field}
        errors={undefined}
        defaultValue={chosen}
        options={places.map((place) => ({ value: place.id, label: codeAndTitle(place) }))}
      />
    </div>
  );
}

import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Comments } from "~/features/comments/comments";
import { commentsBefore, showComments } from "~/features/comments/comments.server";
import { DependenciesSection } from "~/features/dependencies/dependencies";
import { FilesSection } from "~/features/files/file-list";
import { PageTitle, StoryTexts } from "~/features/in-place/item-texts";
import { StoryPickers, WhoProperties } from "~/features/in-place/pickers";
import { Picker, Properties, TypedProperty } from "~/features/in-place/properties";
import { DeleteStory } from "~/features/items/delete-item";
import { TasksOfSelection } from "~/features/items/lists/pasted-text";
import { RowActions } from "~/features/items/row-actions";
import { LabelsProperty } from "~/features/labels/labels-property";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { ProductAccess } from "~/features/products/product-access";
import { ProofPart } from "~/features/proof/proof-part";
import { QuestionCard } from "~/features/questions/question-card";
import { RecurrenceSection } from "~/features/recurrence/recurrence-section";
import { BeginsFrom, RunThis, StartOver } from "~/features/runs/start-run";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { getStoryPage } from "~/nouns/pages/operations.server";
import { withNext } from "~/nouns/recurrences/recurrences.server";
import { Section } from "~/ui/card";
import { codeAndTitle } from "~/ui/isolated";
import { PageHeader } from "~/ui/page-header";
import { useRowKeys } from "~/ui/page-keys";
import { RelativeTime } from "~/ui/relative-time";
import type { FreshStart } from "~/wire/agent-jobs/beginning";
import { canonicalId } from "~/wire/canonical-id";
import type { StoryPageData } from "~/wire/pages/contract";
import { actOnStory } from "./story-action.server";
import { StoryLog } from "./story-log";
import { StoryTasks } from "./story-tasks";

export { RouteError as ErrorBoundary } from "~/ui/error-page";

export const loader = personLoader(async ({ actor, principal, request, params }) => {
  const id = canonicalId(params.storyId);
  const comments_before = commentsBefore(new URL(request.url).searchParams);
  const read = await getStoryPage(actor, { story_id: id, comments_before });
  const { proof, comments: said, recurrence, ...page } = read;
  const show = (text: string | null) => renderMarkdown(text, principal.user_id);
  const [comments, description, criteria, ...logTexts] = await Promise.all([
    showComments(said, { kind: "story", id, principal }),
    show(page.story.description),
    show(page.story.acceptance_criteria),
    ...page.logs.map((log) => show(log.content)),
  ]);
  return json({ page, proof, comments, description, criteria, logTexts, recurrence: recurrenceText(recurrence) });
});

function recurrenceText(read: Parameters<typeof withNext>[0]) {
  const { recurrence, template } = withNext(read);
  if (recurrence === null) return { recurrence, template };
  const next = recurrence.next.map((at) => slotText(at, recurrence.zone));
  return { recurrence: { ...recurrence, next }, template };
}

export const action = writeAction(async ({ actor, form, params }) =>
  actOnStory(actor, canonicalId(params.storyId), form),
);

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `${codeAndTitle(data.page.story)} · Backloom` : "Story · Backloom" },
];

export default function StoryPage() {
  const { page, proof, comments, description, criteria, logTexts, recurrence } = useLoaderData<typeof loader>();
  const { story, product, pbi, questions } = page;
  useLiveRevalidation({ stream: "backlog", productId: product.id });
  useRowKeys();
  const open = questions.filter((question) => question.status === "open");
  const closed = questions.filter((question) => question.status !== "open");
  return (
    <ProductAccess productId={product.id} archived={product.archived}>
      <RowActions productId={product.id} />
      <TasksOfSelection productId={product.id} storyId={story.id} />
      <PageHeader
        crumbs={[
          { label: product.name, to: `/products/${product.id}/backlog` },
          { label: codeAndTitle(pbi), to: `/products/${product.id}/backlog?panel=pbi:${pbi.id}` },
        ]}
        title={<PageTitle kind="story" item={story} fields={{ intent: "update", story_id: story.id }} />}
        actions={
          story.status !== "template" && page.tasks.some(({ status }) => status === "todo" || status === "failed") ? (
            <RunThis productId={product.id} items={[`story:${story.id}`]} />
          ) : null
        }
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid min-w-0 gap-5">
          {open.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
          <StoryTexts story={story} description={description} criteria={criteria} />
          <FilesSection
            files={page.files}
            target={{ product_id: product.id, story_id: story.id }}
            viewerId={comments.viewerId}
            isOwner={product.is_owner}
          />
          <ProofPart proof={proof} />
          <StoryTasks page={page} />
          <Comments
            comments={{ ...comments, productId: product.id }}
            isOwner={product.is_owner}
            toAgent={page.tasks.some(({ status }) => status === "in_progress")}
          />
          <StoryLog storyId={story.id} logs={page.logs} texts={logTexts} />
          {closed.length > 0 ? (
            <Section title={`Earlier questions (${closed.length})`}>
              <div className="grid gap-3">
                {closed.map((question) => (
                  <QuestionCard key={question.id} question={question} />
                ))}
              </div>
            </Section>
          ) : null}
        </div>
        <div className="grid gap-5">
          <StoryProperties page={page} />
          <RecurrenceSection {...recurrence} />
          <UnlandedWork page={page} />
          <DependenciesSection kind="story" id={story.id} dependencies={page.dependencies} isOwner={product.is_owner} />
        </div>
      </div>
    </ProductAccess>
  );
}

/** Unmerged work of the story. The next run starts from it unless someone starts over. */
function UnlandedWork({ page }: { page: StoryPageData }) {
  const { story, begins_from, fresh_starts } = page;
  if (begins_from.length === 0 && fresh_starts.length === 0) return null;
  return (
    <Section title="Next run">
      <div className="grid justify-items-start gap-2 text-sm">
        {begins_from.length > 0 ? (
          <>
            <BeginsFrom from={begins_from} />
            <StartOver whose={story.code} />
          </>
        ) : (
          <p>Starts from main.</p>
        )}
        <FreshStarts starts={fresh_starts} />
      </div>
    </Section>
  );
}

function StoryProperties({ page }: { page: StoryPageData }) {
  const { story, pbis, product } = page;
  const update = { intent: "update", story_id: story.id };
  return (
    <Properties footer={<DeleteStory page={page} goTo={`/products/${product.id}/backlog`} />}>
      <StoryPickers page={page} />
      <WhoProperties above="product" who={story} fields={update} />
      <LabelsProperty
        labels={story.labels}
        all={page.labels}
        fields={{ intent: "set-labels", story_id: story.id }}
        productId={product.id}
      />
      <Picker
        label="PBI"
        name="pbi_id"
        value={story.pbi_id}
        fields={update}
        options={pbis.map((pbi) => ({ value: pbi.id, label: codeAndTitle(pbi) }))}
      />
      <TypedProperty label="Code" name="code" value={story.code} fields={update} mono />
    </Properties>
  );
}

/** Formats a date in its schedule's time zone: "Monday 30 Nov 2026, 09:00 GMT+1". */
function slotText(at: string, zone: string): string {
  const formatted = new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: zone,
    timeZoneName: "short",
  });
  return formatted.format(new Date(at)).replace(" at ", ", ");
}

function FreshStarts({ starts }: { starts: readonly FreshStart[] }) {
  if (starts.length === 0) return null;
  return (
    <ul className="grid gap-1 text-sm text-muted" aria-label="Started over">
      {starts.map(({ id, started_by, created_at, left }) => (
        <li key={id} className="break-words">
          {started_by} started over from main <RelativeTime at={created_at} />, without{" "}
          {left.map(({ branch, head_sha }) => `${branch} (${head_sha.slice(0, 8)})`).join(", ")}
        </li>
      ))}
    </ul>
  );
}

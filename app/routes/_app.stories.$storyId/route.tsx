import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { getStoryPage } from "~/domain/pages/operations.server";
import { getProof } from "~/domain/proof/operations.server";
import { DependenciesSection } from "~/features/dependencies/dependencies";
import { StoryTexts } from "~/features/in-place/story-texts";
import { PageTitle } from "~/features/in-place/thing-titles";
import { TasksOfSelection } from "~/features/items/keys/tasks-of-selection";
import { ThingsAtHand } from "~/features/items/things-at-hand";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { ProofPart } from "~/features/proof/proof-part";
import { QuestionCard } from "~/features/questions/question-card";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { Section } from "~/ui/card";
import { PageHeader } from "~/ui/page-header";
import { useRowKeys } from "~/ui/page-keys";
import { WriteAccessProvider } from "~/ui/write-access";
import { actOnStory } from "./story-action.server";
import { StoryLog } from "./story-log";
import { StoryProperties } from "./story-properties";
import { StoryTasks } from "./story-tasks";
import { UnlandedWork } from "./unlanded-work";

export { shouldRevalidate } from "~/live/unreachable";
export { RouteError as ErrorBoundary } from "~/ui/error-page";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, principal } = await requireActor(request, context);
  const story_id = requireId(params.storyId, "story");
  const [page, proof] = await Promise.all([
    getStoryPage(actor, { story_id }),
    getProof(actor, { story_id }),
  ]);
  const show = (text: string | null) => renderMarkdown(text, principal.user_id);
  const [description, criteria, ...logTexts] = await Promise.all([
    show(page.story.description),
    show(page.story.acceptance_criteria),
    ...page.logs.map((log) => show(log.content)),
  ]);
  return json({ page, proof, description, criteria, logTexts });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  return actOnStory(actor, requireId(params.storyId, "story"), request);
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  {
    title: data
      ? `${data.page.story.code} ${data.page.story.title} · Backloom`
      : "Story · Backloom",
  },
];

export default function StoryPage() {
  const { page, proof, description, criteria, logTexts } = useLoaderData<typeof loader>();
  const { story, product, pbi, questions } = page;
  useLiveRevalidation({ stream: "backlog", productId: product.id });
  useRowKeys();
  const open = questions.filter((question) => question.status === "open");
  const closed = questions.filter((question) => question.status !== "open");
  return (
    <WriteAccessProvider reason={product.archived ? "This product is archived." : null}>
      <ThingsAtHand productId={product.id} />
      <TasksOfSelection productId={product.id} storyId={story.id} />
      <PageHeader
        crumbs={[
          { label: product.name, to: `/products/${product.id}/backlog` },
          {
            label: `${pbi.code} ${pbi.title}`,
            to: `/products/${product.id}/backlog?panel=pbi:${pbi.id}`,
          },
        ]}
        title={
          <PageTitle kind="story" thing={story} fields={{ intent: "update", story_id: story.id }} />
        }
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid min-w-0 gap-5">
          {open.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
          <StoryTexts story={story} description={description} criteria={criteria} />
          <ProofPart proof={proof} />
          <StoryTasks page={page} />
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
          <UnlandedWork page={page} />
          <DependenciesSection
            kind="story"
            id={story.id}
            dependencies={page.dependencies}
            isOwner={product.is_owner}
          />
        </div>
      </div>
    </WriteAccessProvider>
  );
}

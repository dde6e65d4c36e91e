import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Section } from "~/components/card";
import { DependenciesSection } from "~/components/dependencies";
import { StoryTexts } from "~/components/in-place/story-texts";
import { PageTitle } from "~/components/in-place/thing-titles";
import { renderMarkdown } from "~/components/markdown.server";
import { PageHeader } from "~/components/page-header";
import { useRowKeys } from "~/components/page-keys";
import { ProofPart } from "~/components/proof/proof-part";
import { QuestionCard } from "~/components/questions/question-card";
import { TasksOfSelection } from "~/components/tasks-of-selection";
import { ThingsAtHand } from "~/components/things/things-at-hand";
import { WriteAccessProvider } from "~/components/write-access";
import { getStoryPage } from "~/domain/pages/operations.server";
import { getProof } from "~/domain/proof/operations.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { actOnStory } from "./story-action.server";
import { StoryLog } from "./story-log";
import { StoryProperties } from "./story-properties";
import { StoryTasks } from "./story-tasks";

export { RouteError as ErrorBoundary } from "~/components/error-page";
export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor } = await requireActor(request, context);
  const story_id = requireId(params.storyId, "story");
  const [page, proof] = await Promise.all([
    getStoryPage(actor, { story_id }),
    getProof(actor, { story_id }),
  ]);
  return json({
    page,
    proof,
    description: await renderMarkdown(page.story.description),
    criteria: await renderMarkdown(page.story.acceptance_criteria),
    logTexts: await Promise.all(page.logs.map((log) => renderMarkdown(log.content))),
  });
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

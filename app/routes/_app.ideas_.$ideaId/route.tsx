import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { getIdea } from "~/domain/ideas/operations.server";
import { getIdeaConversation } from "~/domain/questions/operations.server";
import { EditableText } from "~/features/in-place/editable-text";
import { EditableTitle } from "~/features/in-place/editable-title";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { QuestionCard } from "~/features/questions/question-card";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { Section } from "~/ui/card";
import { FormErrors } from "~/ui/field";
import { PageHeader } from "~/ui/page-header";
import { useEditKey } from "~/ui/page-keys";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status-pill";
import { useAnswer } from "~/ui/use-answer";
import { useShellData } from "../_app/shell-data";
import { Conversation } from "./conversation";
import { actOnIdea } from "./idea-action.server";
import { IdeaProducts } from "./idea-products";
import { IdeaProperties } from "./idea-properties";
import { PromoteIdea } from "./promote-idea";

export { shouldRevalidate } from "~/live/unreachable";
export { RouteError as ErrorBoundary } from "~/ui/error-page";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, principal } = await requireActor(request, context);
  const ideaId = requireId(params.ideaId, "idea");
  const [idea, talk] = await Promise.all([
    getIdea(actor, { idea_id: ideaId }),
    getIdeaConversation(actor, { idea_id: ideaId }),
  ]);
  const show = (text: string | null) => renderMarkdown(text, principal.user_id);
  const [description, ...answers] = await Promise.all([
    show(idea.description),
    ...talk.user_questions.map(({ answer }) => show(answer)),
  ]);
  return json({ idea, talk, description, answers });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  return actOnIdea(actor, requireId(params.ideaId, "idea"), request);
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `${data.idea.code} ${data.idea.title} · Backloom` : "Idea · Backloom" },
];

export default function IdeaPage() {
  const { idea, talk, description, answers } = useLoaderData<typeof loader>();
  const refusal = useAnswer<{ error?: unknown }>();
  const products = useShellData()?.products ?? [];
  const fields = { intent: "update", idea_id: idea.id };
  useEditKey();
  useLiveRevalidation({ stream: "backlog", productId: idea.product_id });
  return (
    <>
      <PageHeader
        crumbs={[{ label: "Ideas", to: "/ideas" }]}
        title={<IdeaTitle idea={idea} fields={fields} />}
        lead={idea.pbi ? <Promoted pbi={idea.pbi} /> : null}
      />
      <FormErrors errors={typeof refusal?.error === "string" ? [refusal.error] : []} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid min-w-0 gap-5">
          <EditableText
            key={idea.id}
            label="Description"
            name="description"
            value={idea.description}
            fields={fields}
            content={description}
            empty="Add a description"
          />
          {talk.agent_questions.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
          <Conversation questions={talk.user_questions} answers={answers} />
        </div>
        <div className="grid gap-5">
          <IdeaProperties idea={idea} products={products} />
          {idea.pbi ? null : <PromoteIdea idea={idea} products={products} />}
          <IdeaProducts idea={idea} products={products} />
          <Section title="History">
            <ol className="grid gap-1.5 text-xs text-muted">
              {idea.logs.map((log) => (
                <li key={log.id}>
                  {log.content || log.kind.toLowerCase().replaceAll("_", " ")} ·{" "}
                  <RelativeTime at={log.created_at} />
                </li>
              ))}
            </ol>
          </Section>
        </div>
      </div>
    </>
  );
}

type Idea = ReturnType<typeof useLoaderData<typeof loader>>["idea"];

function IdeaTitle({ idea, fields }: { idea: Idea; fields: Record<string, string> }) {
  return (
    <span className="flex flex-wrap items-center gap-2.5">
      <span className="font-mono text-base text-muted">{idea.code}</span>
      <EditableTitle key={idea.id} label="Title" name="title" value={idea.title} fields={fields} />
      <StatusPill
        status={idea.archived_at ? "CANCELLED" : idea.status}
        label={idea.archived_at ? "Archived" : undefined}
      />
    </span>
  );
}

function Promoted({ pbi }: { pbi: NonNullable<Idea["pbi"]> }) {
  return (
    <>
      Promoted to{" "}
      <Link
        to={`/products/${pbi.product_id}/backlog?panel=pbi:${pbi.id}`}
        className="text-accent underline"
      >
        {pbi.code}
      </Link>
      .
    </>
  );
}

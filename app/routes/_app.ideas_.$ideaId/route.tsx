import { json, type MetaFunction } from "@remix-run/node";
import { Link, useFetcher, useLoaderData } from "@remix-run/react";
import { EditableText, EditableTitle } from "~/features/in-place/editable-text";
import { Picker, Properties } from "~/features/in-place/properties";
import { priorityOptions } from "~/features/items/lists/priority";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { ProductAccess } from "~/features/products/product-access";
import { QuestionCard } from "~/features/questions/question-card";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { getIdea } from "~/nouns/ideas/operations.server";
import { PageRefusal, PressForm, WriteForm, WritePress } from "~/ui/action-form";
import type { ActionResult } from "~/ui/action-result";
import { Button, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { SelectField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { codeAndTitle } from "~/ui/isolated";
import { PageHeader } from "~/ui/page-header";
import { useEditKey } from "~/ui/page-keys";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import { canonicalId } from "~/wire/canonical-id";
import { useShellData } from "../_app/shell-data";
import { Conversation } from "./conversation";
import { actOnIdea } from "./idea-action.server";

export { RouteError as ErrorBoundary } from "~/ui/error-page";

export const loader = personLoader(async ({ actor, principal, params }) => {
  const { talk, ...idea } = await getIdea(actor, { idea_id: canonicalId(params.ideaId) });
  const show = (text: string | null) => renderMarkdown(text, principal.user_id);
  const [description, ...answers] = await Promise.all([
    show(idea.description),
    ...talk.user_questions.map(({ answer }) => show(answer)),
  ]);
  return json({ idea, talk, description, answers });
});

export const action = writeAction(async ({ actor, form, params }) =>
  actOnIdea(actor, canonicalId(params.ideaId), form),
);

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `${codeAndTitle(data.idea)} · Backloom` : "Idea · Backloom" },
];

export default function IdeaPage() {
  const { idea, talk, description, answers } = useLoaderData<typeof loader>();
  const products = useShellData()?.products ?? [];
  const fields = { intent: "update", idea_id: idea.id };
  useEditKey();
  useLiveRevalidation({ stream: "backlog", productId: idea.product_id });
  return (
    <ProductAccess productId={idea.product_id}>
      <PageHeader
        crumbs={[{ label: "Ideas", to: "/ideas" }]}
        title={<IdeaTitle idea={idea} fields={fields} />}
        lead={idea.pbi ? <Promoted pbi={idea.pbi} /> : null}
      />
      <PageRefusal />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid min-w-0 gap-5">
          <EditableText
            key={idea.id}
            label="Description"
            name="description"
            value={idea.description}
            version={idea.version}
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
                  {log.content || log.kind.toLowerCase().replaceAll("_", " ")} · <RelativeTime at={log.created_at} />
                </li>
              ))}
            </ol>
          </Section>
        </div>
      </div>
    </ProductAccess>
  );
}

type Idea = ReturnType<typeof useLoaderData<typeof loader>>["idea"];

function IdeaTitle({ idea, fields }: { idea: Idea; fields: Record<string, string> }) {
  return (
    <span className="flex flex-wrap items-center gap-2.5">
      <span className="font-mono text-base text-muted">{idea.code}</span>
      <EditableTitle
        key={idea.id}
        label="Title"
        name="title"
        value={idea.title}
        version={idea.version}
        fields={fields}
      />
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
      <Link to={`/products/${pbi.product_id}/backlog?panel=pbi:${pbi.id}`} className="text-accent underline">
        {pbi.code}
      </Link>
      .
    </>
  );
}

/** Turns a ready idea into a PBI, with links in both directions. */
function PromoteIdea({ idea, products }: { idea: Idea; products: readonly { id: string; name: string }[] }) {
  const fetcher = useFetcher<ActionResult>({ key: "promote-idea" });
  const form = useServerForm<"title" | "product_id" | "priority">({
    lastResult: fetcher.data,
    defaultValue: { title: idea.title, product_id: idea.product_id, priority: "3" },
  });
  return (
    <Section title="Promote to PBI">
      <details>
        <summary className="text-sm text-accent underline underline-offset-2 hover:decoration-2">
          Promote to PBI
        </summary>
        <ServerForm form={form} fetcher={fetcher} creates className="mt-3 grid gap-3">
          <WriteFields className="grid gap-3">
            <input type="hidden" name="intent" value="promote" />
            <TextField label="PBI title" {...form.field("title")} />
            <SelectField
              label="Product"
              options={products.map(({ id, name }) => ({ value: id, label: name }))}
              {...form.field("product_id")}
            />
            <SelectField label="Priority" options={priorityOptions()} {...form.field("priority")} />
            <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Promoting…">
              Promote
            </SubmitButton>
          </WriteFields>
        </ServerForm>
      </details>
    </Section>
  );
}

const steps = ["draft", "discussing", "ready"] as const;
const labels = { draft: "Draft", discussing: "Discussing", ready: "Ready" } as const;

function IdeaProperties({ idea, products }: { idea: Idea; products: readonly { id: string; name: string }[] }) {
  const update = { intent: "update", idea_id: idea.id };
  const at = idea.status === "planned" ? -1 : steps.indexOf(idea.status);
  return (
    <Properties footer={<ArchiveIdea isArchived={idea.archived_at !== null} />}>
      {at === -1 ? null : (
        <Picker
          label="Status"
          name="status"
          value={idea.status}
          fields={update}
          options={steps.map((step, index) => ({
            value: step,
            label: labels[step],
            // Ideas only move forward.
            disabled: index < at,
          }))}
        />
      )}
      <Picker
        label="Product"
        name="product_id"
        value={idea.product_id}
        fields={update}
        options={products.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </Properties>
  );
}

function ArchiveIdea({ isArchived }: { isArchived: boolean }) {
  return (
    <PressForm size="sm" name="intent" value={isArchived ? "restore" : "archive"}>
      {isArchived ? "Restore" : "Archive"}
    </PressForm>
  );
}

function IdeaProducts({ idea, products }: { idea: Idea; products: readonly { id: string; name: string }[] }) {
  const linked = products.filter(({ id }) => idea.secondary_product_ids.includes(id));
  const others = products.filter(({ id }) => id !== idea.product_id && !idea.secondary_product_ids.includes(id));
  return (
    <Section title="Products">
      <ul className="grid gap-1.5 text-sm">
        <li>{products.find(({ id }) => id === idea.product_id)?.name ?? "Main product"}</li>
        {linked.map((product) => (
          <li key={product.id} className="flex items-center justify-between gap-2">
            {product.name}
            <WritePress fields={{ intent: "unlink" }} size="sm" tone="quiet" name="product_id" value={product.id}>
              Remove<span className="sr-only"> {product.name}</span>
            </WritePress>
          </li>
        ))}
      </ul>
      {others.length > 0 ? (
        <WriteForm className="mt-3 flex items-end gap-2" fields={{ intent: "link" }}>
          <div className="min-w-0 flex-1">
            <SelectField
              name="product_id"
              label="Also affects"
              options={others.map(({ id, name }) => ({ value: id, label: name }))}
            />
          </div>
          <Button type="submit">Add</Button>
        </WriteForm>
      ) : null}
    </Section>
  );
}

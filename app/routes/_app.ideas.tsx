import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData, useSearchParams } from "@remix-run/react";
import { runForm } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { createIdea, listIdeas } from "~/nouns/ideas/operations.server";
import { useActionResult } from "~/ui/action-result";
import { CodeChip } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { SelectField, TextAreaField, TextField } from "~/ui/field";
import { againField } from "~/ui/form-fields";
import { CreateButtons, CreatedBefore } from "~/ui/forms/create-buttons";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { PageHeader } from "~/ui/page-header";
import { useRowKeys } from "~/ui/page-keys";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import { isCanonicalUuid } from "~/wire/canonical-id";
import { createIdeaInput, type Idea } from "~/wire/ideas/contract";
import { ProductFilter } from "./_app/palette/product-filter";
import { useShellData } from "./_app/shell-data";

export const loader = personLoader(async ({ actor, request }) => {
  const address = new URL(request.url).searchParams;
  const product = address.get("product") ?? "";
  const archived = address.get("state") === "archived";
  const page = await listIdeas(actor, {
    product_id: isCanonicalUuid(product) ? product : undefined,
    archived,
    limit: 100,
    cursor: address.get("after") ?? undefined,
  });
  return json({ ...page, archived, productId: product || null });
});

export const action = writeAction(async ({ actor, form, request }) =>
  runForm(form, createIdeaInput, async (input) => {
    const { id } = await createIdea(actor, input);
    if (!form.has(againField)) return redirect(`/ideas/${id}`, 303);
    const { searchParams: next } = new URL(request.url);
    next.set("panel", "new");
    next.set("made", id);
    return redirect(`/ideas?${next}`, 303);
  }),
);

export const meta: MetaFunction = () => [{ title: "Ideas · Backloom" }];

export default function IdeasPage() {
  const { items, next_cursor, archived, productId } = useLoaderData<typeof loader>();
  const [params] = useSearchParams();
  const shell = useShellData();
  const products = shell?.products ?? [];
  const own = products.filter(({ role }) => role !== "VIEWER");
  const isOpen = params.get("panel") === "new";
  const made = items.find(({ id }) => id === params.get("made"));
  const creating = isOpen || (items.length === 0 && !archived);
  useRowKeys();
  return (
    <>
      <PageHeader
        title="Ideas"
        lead="Your private notes about a product. Agents read your open ideas as part of their context."
        actions={
          <>
            <ProductFilter productId={productId} />
            {creating ? null : (
              <ButtonLink to="?panel=new" tone="primary" data-create>
                New idea
              </ButtonLink>
            )}
          </>
        }
      />
      <IdeaTabs archived={archived} />
      <div className="grid gap-5">
        {creating && own.length > 0 ? (
          <NewIdeaForm
            key={isOpen ? `asked ${made?.id}` : "first"}
            made={made?.code ?? null}
            isOpen={isOpen}
            products={own}
            productId={made?.product_id ?? productId ?? shell?.activeProductId ?? null}
          />
        ) : null}
        {items.length === 0 ? (
          <NoIdeas archived={archived} hasProducts={own.length > 0} />
        ) : (
          <ul className="grid gap-3 sm:grid-cols-2 2xl:grid-cols-3">
            {items.map((idea) => (
              <IdeaCard key={idea.id} idea={idea} product={products.find(({ id }) => id === idea.product_id)?.name} />
            ))}
          </ul>
        )}
      </div>
      {next_cursor ? (
        <p className="mt-4 text-center">
          <ButtonLink to={`?${archived ? "state=archived&" : ""}after=${next_cursor}`}>More</ButtonLink>
        </p>
      ) : null}
    </>
  );
}

function NoIdeas({ archived, hasProducts }: { archived: boolean; hasProducts: boolean }) {
  return (
    <EmptyState
      compact
      title={archived ? "Nothing archived" : "No ideas yet"}
      action={
        hasProducts ? null : (
          <ButtonLink to="/products/new" tone="primary" data-create>
            Create a product
          </ButtonLink>
        )
      }
    >
      {hasProducts
        ? "Write one down, discuss it with an agent, and promote it to a PBI when it is ready."
        : "An idea belongs to a product."}
    </EmptyState>
  );
}

function IdeaCard({ idea, product }: { idea: Idea; product: string | undefined }) {
  return (
    <li className="grid gap-2 rounded-lg border border-line bg-surface p-4">
      <div className="flex items-center gap-2">
        <CodeChip>{idea.code}</CodeChip>
        <StatusPill status={idea.status} />
      </div>
      <Link to={`/ideas/${idea.id}`} data-row className="font-semibold hover:underline">
        {idea.title}
      </Link>
      {idea.description ? <p className="line-clamp-3 text-sm text-muted">{excerptOf(idea.description)}</p> : null}
      <p className="mt-auto text-xs text-faint">
        {product} · <RelativeTime at={idea.created_at} />
      </p>
    </li>
  );
}

function excerptOf(markdown: string): string {
  return markdown
    .slice(0, 400)
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^[#>\s]+|^[-*+] |[*`~]+|\b_|_\b/gm, "");
}

const tabClass =
  "-mb-px border-b-2 border-transparent px-2.5 py-2 text-sm text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:py-3";

function IdeaTabs({ archived }: { archived: boolean }) {
  return (
    <nav aria-label="Ideas by state" className="mb-5 flex gap-1 border-b border-line">
      <Link to="." aria-current={archived ? undefined : "page"} className={tabClass}>
        Open
      </Link>
      <Link to="?state=archived" aria-current={archived ? "page" : undefined} className={tabClass}>
        Archived
      </Link>
    </nav>
  );
}

interface NewIdeaFormProps {
  products: readonly { id: string; name: string }[];
  productId: string | null;
  /** Code of the idea created before. */
  made: string | null;
  /** Whether the user opened the form. Otherwise it shows because there are no ideas. */
  isOpen: boolean;
}

function NewIdeaForm({ products, productId, isOpen, made }: NewIdeaFormProps) {
  const form = useServerForm<"title" | "description" | "product_id">({
    lastResult: useActionResult(),
    defaultValue: { product_id: productId ?? products[0]?.id },
  });
  return (
    <Section title="New idea">
      <CreatedBefore code={made} />
      <ServerForm form={form} creates draft="new-idea" className="grid max-w-xl gap-4">
        <WriteFields className="grid gap-4">
          <TextField
            label="Title"
            required
            autoFocus={isOpen}
            data-create={!isOpen || undefined}
            {...form.field("title")}
          />
          <TextAreaField label="Description" required={false} description="Markdown." {...form.field("description")} />
          <SelectField
            label="Product"
            options={products.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.field("product_id")}
          />
          <CreateButtons noun="idea" />
        </WriteFields>
      </ServerForm>
    </Section>
  );
}

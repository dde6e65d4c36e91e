import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { DeleteProduct } from "~/features/products/delete-product";
import { hasOnlySample } from "~/features/products/first-day";
import { personLoader } from "~/http/page-guards.server";
import { getDashboard } from "~/nouns/pages/operations.server";
import { PressForm, WriteForm } from "~/ui/action-form";
import { Alert } from "~/ui/alert";
import { CodeChip } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { Fact, Facts } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { costsText, countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { useRowKeys } from "~/ui/page-keys";
import { RelativeTime } from "~/ui/relative-time";
import { StatusDot } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import type { DashboardData } from "~/wire/pages/contract";
import { ProductCard } from "./product-card";

export const loader = personLoader(async ({ actor }) => json(await getDashboard(actor)));

export const meta: MetaFunction = () => [{ title: "Dashboard · Backloom" }];

export default function DashboardPage() {
  const { products, added_to, questions, reviews, waiting, costs_today, done_today, workers_online, archived } =
    useLoaderData<typeof loader>();
  useRowKeys();
  return (
    <>
      <PageHeader
        title="Dashboard"
        actions={
          <ButtonLink to="/products/new" data-create>
            New product
          </ButtonLink>
        }
      />
      <AddedTo products={added_to} />
      {products.length === 0 ? (
        <EmptyState
          title="No products yet"
          action={
            <>
              <ButtonLink to="/start" tone="primary">
                Open first steps
              </ButtonLink>
              <ButtonLink to="/products/new">Create a product</ButtonLink>
            </>
          }
        >
          A product holds the backlog that you share with your agents. Set one up and finish a first task in about five
          minutes.
        </EmptyState>
      ) : (
        <div className="grid gap-5">
          <Facts>
            <Fact isKey term="Done today">
              {countText(done_today, "task")}
            </Fact>
            <Fact isKey term="Cost today">
              {costsText(costs_today) ?? "None"}
            </Fact>
            <Fact isKey term="Workers">
              {workers_online === 0 ? "None online" : `${workers_online} online`}
            </Fact>
          </Facts>
          {hasOnlySample(products) ? <FirstSteps /> : null}
          <WaitingForYou questions={questions} reviews={reviews} waiting={waiting} />
          <div className="grid gap-4 sm:grid-cols-2 2xl:grid-cols-3">
            {products.map((product) => (
              <ProductCard key={product.id} product={product} />
            ))}
          </div>
        </div>
      )}
      <ArchivedProducts products={archived} />
    </>
  );
}

/** Users with only the sample product, such as the first administrator, get the same introduction as new users. */
function FirstSteps() {
  return (
    <Alert
      tone="progress"
      title="First steps"
      actions={
        <ButtonLink to="/start" tone="primary">
          Open first steps
        </ButtonLink>
      }
    >
      Watch the demo agent work on the sample product, then bring your own repository and agent.
    </Alert>
  );
}

/** Announces once that someone added the user to a product, and asks for the one decision this needs. */
function AddedTo({ products }: { products: DashboardData["added_to"] }) {
  if (products.length === 0) return null;
  return (
    <ul aria-label="You were added" className="mb-5 divide-y divide-line rounded-lg border border-line bg-surface">
      {products.map((product) => (
        <li key={product.id} className="flex flex-wrap items-center gap-2 px-4 py-2.5 text-sm">
          <p className="min-w-56 flex-1">
            {product.owner_username ?? "Someone"} added you to{" "}
            <Link to={`/products/${product.id}/backlog`} className="font-medium hover:underline">
              {product.name}
            </Link>
            . <span className="text-muted">Allow your workers to run its jobs?</span>
          </p>
          <WriteForm
            action={`/products/${product.id}/members`}
            className="flex gap-2"
            aria-label={`Workers in ${product.name}`}
            fields={{ intent: "allow-workers" }}
          >
            <Button type="submit" size="sm" name="allowed" value="yes">
              Allow my workers
            </Button>
            <Button type="submit" size="sm" tone="quiet" name="allowed" value="no">
              Do not allow
            </Button>
          </WriteForm>
        </li>
      ))}
    </ul>
  );
}

/** The owner's archived products: can be read, restored, or deleted for good. */
function ArchivedProducts({ products }: { products: DashboardData["archived"] }) {
  if (products.length === 0) return null;
  return (
    <details className="mt-5 rounded-lg border border-line bg-surface">
      <summary className="px-4 py-2.5 text-sm font-semibold hover:bg-sunken">
        Archived <span className="font-normal text-muted">({products.length})</span>
      </summary>
      <ul className="divide-y divide-line border-t border-line">
        {products.map((product) => (
          <li key={product.id} className="flex flex-wrap items-center gap-2 px-4 py-2 text-sm">
            <CodeChip>{product.code}</CodeChip>
            <Link to={`/products/${product.id}/backlog`} className="min-w-28 flex-1 hover:underline">
              {product.name}
            </Link>
            <span className="text-xs text-muted">
              archived <RelativeTime at={product.archived_at} />
            </span>
            <WriteFields quiet>
              <PressForm action={`/products/${product.id}/settings`} size="sm" name="intent" value="restore">
                Restore<span className="sr-only"> {product.name}</span>
              </PressForm>
              <DeleteProduct product={product} size="sm" />
            </WriteFields>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The page's only prominent box: the first questions and reviews of the inbox. */
function WaitingForYou({ questions, reviews, waiting }: Pick<DashboardData, "questions" | "reviews" | "waiting">) {
  const more = waiting - questions.length - reviews.length;
  if (questions.length === 0 && reviews.length === 0) return null;
  return (
    <section aria-label="Waiting for you" className="rounded-lg border border-waiting/50 bg-waiting-soft p-4">
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 className="text-base font-semibold text-waiting">Waiting for you</h2>
        <ButtonLink to="/inbox" size="sm">
          Open inbox
        </ButtonLink>
      </div>
      <ul className="grid gap-2.5 sm:gap-1.5">
        {questions.map(({ id, question, product_name, created_at }) => (
          <Row
            key={id}
            status="WAITING"
            to={`/inbox?item=${id}`}
            title={question}
            about={product_name}
            at={created_at}
          />
        ))}
        {reviews.map(({ id, job_id, code, title, product_name, changed_at }) => (
          <Row
            key={id}
            status="REVIEW"
            to={job_id ? `/jobs/${job_id}/changes` : `/tasks/${id}`}
            code={code}
            title={title}
            about={`in review · ${product_name}`}
            at={changed_at}
          />
        ))}
      </ul>
      {more > 0 ? (
        <Link to="/inbox" className="mt-2.5 inline-block text-sm text-waiting underline underline-offset-2">
          {more} more in the inbox
        </Link>
      ) : null}
    </section>
  );
}

type RowProps = Record<"status" | "to" | "title" | "about" | "at", string> & { code?: string };

function Row({ status, to, code, title, about, at }: RowProps) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-2 text-sm sm:flex-nowrap">
      <StatusDot status={status} className="translate-y-0.5" />
      {code ? <CodeChip>{code}</CodeChip> : null}
      <Link to={to} data-row className="line-clamp-2 min-w-0 flex-1 hover:underline sm:line-clamp-1">
        {title}
      </Link>
      <span className="shrink-0 text-xs text-muted max-sm:w-full max-sm:pl-5.5">
        {about} · <RelativeTime at={at} />
      </span>
    </li>
  );
}

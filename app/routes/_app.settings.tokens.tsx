import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { done, runForm, runIntent, textOf } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { createApiToken, listApiTokens, revokeApiToken } from "~/nouns/api-tokens/operations.server";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { Badge, CodeChip } from "~/ui/badge";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { CopyBlock } from "~/ui/copy-button";
import { EmptyState } from "~/ui/empty-state";
import { CheckField, SelectField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { isolated } from "~/ui/isolated";
import { RelativeTime, useNow } from "~/ui/relative-time";
import { Cell, Table } from "~/ui/table";
import { useWriteAccess, WriteFields } from "~/ui/write-access";
import { type ApiToken, newApiTokenSchema } from "~/wire/api-tokens/contract";
import { canonicalId } from "~/wire/canonical-id";
import { scopes, scopeWords } from "~/wire/oauth/contract";
import { useShellData } from "./_app/shell-data";

/** The user's API tokens (specification: Authentication 1). */
export const loader = personLoader(async ({ actor, context }) =>
  json({ tokens: await listApiTokens(actor), origin: context.services.env.appOrigin }),
);

export const action = writeAction(async ({ actor, form }) =>
  runIntent(form, {
    create: () =>
      runForm(form, newApiTokenSchema, async (input) => {
        const { token, label } = await createApiToken(actor, input);
        return json({ created: { token, label } }, { status: 201 });
      }),
    revoke: async () => {
      await revokeApiToken(actor, { token_id: canonicalId(textOf(form, "token_id")) });
      return done(form, "/settings/tokens", "Token revoked");
    },
  }),
);

export const meta: MetaFunction = () => [{ title: "API tokens · Backloom" }];

export default function TokensPage() {
  const { tokens, origin } = useLoaderData<typeof loader>();
  const answer = useActionResult<{ created?: { token: string; label: string } }>();
  const created = answer?.created;
  return (
    <div className="grid max-w-3xl gap-5">
      {created ? (
        <Alert tone="done" role="status" title={`Token “${isolated(created.label)}” is ready`}>
          <p className="mb-2">Copy it now. It is shown only once.</p>
          <CopyBlock label="API token" text={created.token} />
          <p className="mt-3 mb-2">Try it:</p>
          <CopyBlock
            label="Products of this account"
            text={`curl -H "Authorization: Bearer ${created.token}" ${origin}/api/products`}
          />
        </Alert>
      ) : null}
      <NewTokenForm key={created?.token ?? "empty"} />
      <TokenList tokens={tokens} />
    </div>
  );
}

const lifetimes = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "No expiry" },
];

function NewTokenForm() {
  const form = useServerForm<"label" | "expires_days">({
    lastResult: useActionResult(),
    defaultValue: { expires_days: "90" },
  });
  return (
    <Section
      title="New token"
      about="For an agent or a script. It can do what you can do, unless you limit it, until it expires or you revoke it."
    >
      <ServerForm form={form} fields={{ intent: "create" }}>
        <WriteFields quiet className="grid gap-4 sm:grid-cols-[1fr_10rem_auto] sm:items-end">
          <TextField label="Name" placeholder="laptop worker" maxLength={100} required {...form.field("label")} />
          <SelectField label="Expires after" options={lifetimes} {...form.field("expires_days")} />
          <SubmitButton pendingLabel="Creating…">Create token</SubmitButton>
          <TokenLimits />
        </WriteFields>
      </ServerForm>
    </Section>
  );
}

/** No selection means no limits. */
function TokenLimits() {
  const products = useShellData()?.products ?? [];
  return (
    <details className="sm:col-span-3">
      <summary className="text-sm text-muted hover:text-ink">Limit what it can do</summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        <fieldset className="grid content-start gap-2.5">
          <legend className="mb-2 text-sm font-semibold">Only these actions</legend>
          {scopes.map((scope) => (
            <CheckField
              key={scope}
              name="scope"
              value={scope}
              label={scopeWords[scope].title}
              description={scopeWords[scope].about}
            />
          ))}
        </fieldset>
        <fieldset className="grid content-start gap-2.5">
          <legend className="mb-2 text-sm font-semibold">Only these products</legend>
          {products.map(({ id, code, name }) => (
            <CheckField key={id} name="product" value={id} label={`${isolated(name)} (${code})`} />
          ))}
        </fieldset>
      </div>
    </details>
  );
}

/** Describes a token's limits; null without any. Every token may read, so only further scopes are listed. */
function limitsOf({ scopes: granted, products }: ApiToken): string | null {
  const parts = [granted?.join(", "), products && (products.join(", ") || "no product any more")];
  return parts.filter(Boolean).join(" · ") || null;
}

function TokenList({ tokens }: { tokens: readonly ApiToken[] }) {
  if (tokens.length === 0) {
    return (
      <EmptyState title="No tokens yet" compact>
        An agent needs a token to read its context, claim work and report.
      </EmptyState>
    );
  }
  return (
    <Section title="Your tokens" flush>
      <Table stacked caption="Your tokens" head={["Name", "Token", "Last used", "Expires", ""]}>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} />
        ))}
      </Table>
    </Section>
  );
}

function TokenRow({ token }: { token: ApiToken }) {
  const { canWrite } = useWriteAccess();
  const now = useNow();
  const isOver = token.expires_at !== null && Date.parse(token.expires_at) <= now;
  return (
    <tr>
      <Cell className="font-medium">
        {token.label}
        {limitsOf(token) ? <span className="block text-xs font-normal text-muted">{limitsOf(token)}</span> : null}
      </Cell>
      <Cell label="Token">
        <CodeChip>{`${token.prefix}…`}</CodeChip>
      </Cell>
      <Cell label="Last used">{token.last_used_at ? <RelativeTime at={token.last_used_at} /> : "never"}</Cell>
      <Cell label="Expires">
        {token.revoked_at ? (
          <Badge tone="failed">revoked</Badge>
        ) : isOver ? (
          <Badge tone="failed">expired</Badge>
        ) : token.expires_at ? (
          <RelativeTime at={token.expires_at} />
        ) : (
          "never"
        )}
      </Cell>
      <Cell className="sm:text-end">
        {token.revoked_at ? null : (
          <Confirm
            trigger="Revoke"
            size="sm"
            disabled={!canWrite}
            question={`Revoke “${isolated(token.label)}”?`}
            consequence="Anyone using it loses access at the next request. You cannot undo this."
            confirmLabel="Revoke"
            fields={{ intent: "revoke", token_id: token.id }}
          />
        )}
      </Cell>
    </tr>
  );
}

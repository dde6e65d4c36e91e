import { type Grant, scopes, scopeWords } from "~/nouns/oauth/contract";
import { ActionForm } from "~/ui/action-form";
import { Badge } from "~/ui/badge";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { EmptyState } from "~/ui/empty-state";
import { HiddenFields } from "~/ui/field";
import { isolated } from "~/ui/isolated";
import { RelativeTime } from "~/ui/relative-time";
import { Cell, Table } from "~/ui/table";
import { useWriteAccess } from "~/ui/write-access";

/** Lists the programs and tokens that may use the account, with their scope and dates, and a way to revoke each. */
export function GrantList({ grants }: { grants: readonly Grant[] }) {
  return (
    <Section
      title="Programs with access"
      about="Programs that you allowed when they asked, and your API tokens. Revoking takes effect at once."
      flush={grants.length > 0}
    >
      {grants.length === 0 ? (
        <EmptyState title="No app has access" compact>
          Connect shows how to add one.
        </EmptyState>
      ) : (
        <Table
          stacked
          caption="Programs with access"
          head={["Program", "Access", "Products", "Calls", "Expires", ""]}
        >
          {grants.map((grant) => (
            <GrantRow key={grant.id} grant={grant} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function GrantRow({ grant }: { grant: Grant }) {
  return (
    <tr>
      <Cell>
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {grant.label}
          {grant.client_id === null ? <Badge>API token</Badge> : null}
          {grant.audience === "/mcp/worker" ? <Badge>worker tools</Badge> : null}
        </span>
      </Cell>
      <Cell label="Access">{wordsOf(grant)}</Cell>
      <Cell label="Products">{productsOf(grant)}</Cell>
      <Cell label="Calls">
        <Calls grant={grant} />
      </Cell>
      <Cell label="Expires">
        {grant.expires_at ? <RelativeTime at={grant.expires_at} /> : "never"}
      </Cell>
      <Cell className="sm:text-end">
        <RevokeGrant grant={grant} />
      </Cell>
    </tr>
  );
}

function wordsOf({ scopes: granted }: Grant): string {
  if (granted === null) return "everything";
  return scopes
    .filter((scope) => granted.includes(scope))
    .map((scope) => scopeWords[scope].title.toLowerCase())
    .join(", ");
}

/** Names a grant's products. Deleted products leave the list, but the grant stays limited. */
function productsOf({ products }: Grant): string {
  if (products === null) return "all";
  return products.map(({ code }) => code).join(", ") || "none any more";
}

/** Shows the first and last call. Reveals programs that sign in but never call. */
function Calls({ grant: { first_used_at: first, last_used_at: last } }: { grant: Grant }) {
  if (last === null) return "never used";
  return (
    <span className="grid">
      {first === null ? null : (
        <span>
          first call <RelativeTime at={first} />
        </span>
      )}
      <span>
        last call <RelativeTime at={last} />
      </span>
    </span>
  );
}

function RevokeGrant({ grant }: { grant: Grant }) {
  const { canWrite } = useWriteAccess();
  return (
    <Confirm
      trigger="Revoke"
      size="sm"
      disabled={!canWrite}
      question={`Revoke “${isolated(grant.label)}”?`}
      consequence="The app loses access immediately and must ask you again."
      confirmLabel="Revoke"
    >
      {(buttons) => (
        <ActionForm>
          <HiddenFields fields={{ intent: "revoke", token_id: grant.id }} />
          {buttons}
        </ActionForm>
      )}
    </Confirm>
  );
}

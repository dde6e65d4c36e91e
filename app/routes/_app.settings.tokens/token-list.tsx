import { ActionForm } from "~/components/action-form";
import { Badge, CodeChip } from "~/components/badge";
import { Section } from "~/components/card";
import { Confirm } from "~/components/confirm";
import { EmptyState } from "~/components/empty-state";
import { RelativeTime, useNow } from "~/components/relative-time";
import { Cell, Table } from "~/components/table";
import { useWriteAccess } from "~/components/write-access";
import type { ApiToken } from "~/contract/api-token";

export function TokenList({ tokens }: { tokens: readonly ApiToken[] }) {
  if (tokens.length === 0) {
    return (
      <EmptyState title="No tokens yet" compact>
        An agent needs one to read its context, claim work and report.
      </EmptyState>
    );
  }
  return (
    <Section title="Your tokens" flush>
      <Table stacked caption="Your tokens" head={["Name", "Token", "Last used", "Ends", ""]}>
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
      <Cell className="font-medium">{token.label}</Cell>
      <Cell label="Token">
        <CodeChip>{`${token.prefix}…`}</CodeChip>
      </Cell>
      <Cell label="Last used">
        {token.last_used_at ? <RelativeTime at={token.last_used_at} /> : "never"}
      </Cell>
      <Cell label="Ends">
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
            question={`Revoke “${token.label}”?`}
            consequence="Whoever uses it is refused from the next request on. This cannot be undone."
            confirmLabel="Revoke"
          >
            {(buttons) => (
              <ActionForm>
                <input type="hidden" name="intent" value="revoke" />
                <input type="hidden" name="token_id" value={token.id} />
                {buttons}
              </ActionForm>
            )}
          </Confirm>
        )}
      </Cell>
    </tr>
  );
}

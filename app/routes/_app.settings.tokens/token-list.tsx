import type { ApiToken } from "~/contract/api-token";
import { ActionForm } from "~/ui/action-form";
import { Badge, CodeChip } from "~/ui/badge";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { EmptyState } from "~/ui/empty-state";
import { Cell, Table } from "~/ui/rare/table";
import { RelativeTime, useNow } from "~/ui/relative-time";
import { useWriteAccess } from "~/ui/write-access";

export function TokenList({ tokens }: { tokens: readonly ApiToken[] }) {
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
      <Cell className="font-medium">{token.label}</Cell>
      <Cell label="Token">
        <CodeChip>{`${token.prefix}…`}</CodeChip>
      </Cell>
      <Cell label="Last used">
        {token.last_used_at ? <RelativeTime at={token.last_used_at} /> : "never"}
      </Cell>
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
            question={`Revoke “${token.label}”?`}
            consequence="Anyone using it loses access at the next request. You cannot undo this."
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

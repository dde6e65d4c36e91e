import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { pageLoader, requireAdmin } from "~/http/page-guards.server";
import { listChatConnections } from "~/nouns/chats/operations.server";
import { Badge } from "~/ui/badge";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { RelativeTime } from "~/ui/relative-time";
import { Cell, Table } from "~/ui/table";
import { chatServices, chatTitles } from "~/wire/chats/contract";

/** State and last error of each chat service that has a bot. */
export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireAdmin(request, context);
  const { connections } = await listChatConnections(actor);
  const { chats } = context.services.env;
  const rows = chatServices.filter((service) => chats[service]);
  return json(rows.map((service) => ({ service, is: connections.find((found) => found.service === service) })));
});

export const meta: MetaFunction = () => [{ title: "Chats · Backloom" }];

export default function AdminChatsPage() {
  const rows = useLoaderData<typeof loader>();
  return (
    <Section title="Chat services" about="Bots that send questions and receive answers." flush>
      {rows.length === 0 ? (
        <EmptyState title="No chat service is set up" compact>
          Set the token of a bot, for example TELEGRAM_BOT_TOKEN, and start again.
        </EmptyState>
      ) : (
        <Table stacked caption="Chat services" head={["Service", "State", "Bot", "People", "Last error"]}>
          {rows.map(({ service, is }) => (
            <tr key={service}>
              <Cell className="font-medium">{chatTitles[service]}</Cell>
              <Cell label="State">
                <span>
                  <Badge tone={is?.state === "refused" ? "failed" : undefined}>{is?.state ?? "off"}</Badge> {is?.reason}
                </span>
              </Cell>
              <Cell label="Bot">{is?.bot_name ?? "–"}</Cell>
              <Cell label="People">{is?.paired ?? 0}</Cell>
              <Cell label="Last error" className="text-muted">
                {is?.last_error_at ? (
                  <span>
                    {is.last_error}, <RelativeTime at={is.last_error_at} />
                  </span>
                ) : (
                  "none"
                )}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

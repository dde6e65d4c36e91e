import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { readAuditPage } from "~/features/accounts/audit-page.server";
import { AuditTrail, OlderEvents } from "~/features/accounts/audit-trail";
import { personLoader } from "~/http/page-guards.server";
import { Section } from "~/ui/card";

/** Events of the user's own account. */
export const loader = personLoader(async ({ actor, request }) => json(await readAuditPage(actor, request, false)));

export const meta: MetaFunction = () => [{ title: "Activity · Backloom" }];

export default function ActivityPage() {
  const { events, next } = useLoaderData<typeof loader>();
  return (
    <div className="grid max-w-4xl gap-3">
      <Section title="Activity" about="Sign-ins, devices, tokens and changes to your account." flush>
        <AuditTrail events={events} />
      </Section>
      <OlderEvents next={next} />
    </div>
  );
}

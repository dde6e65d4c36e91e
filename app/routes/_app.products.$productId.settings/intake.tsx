import { WritePress } from "~/ui/action-form";
import { Alert } from "~/ui/alert";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { CopyBlock } from "~/ui/copy-button";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";

export interface ShownIntake {
  /** Null if the key cannot be derived again. */
  address: string | null;
  created_by_name: string | null;
  created_at: string;
  last_item_at: string | null;
}

/** The address other services send items to. They wait in Triage. */
export function Intake({ intake }: { intake: ShownIntake | null }) {
  return (
    <Section
      id="intake"
      title="Incoming webhook"
      about="Let other services send items to this product. Each one waits in Triage until someone accepts it."
    >
      {intake ? (
        <Address intake={intake} />
      ) : (
        <WritePress name="intent" value="set-intake">
          Create a URL
        </WritePress>
      )}
    </Section>
  );
}

function Address({ intake }: { intake: ShownIntake }) {
  return (
    <div className="grid gap-3 text-sm">
      {intake.address === null ? (
        <Alert title="The URL cannot be shown, because the session secret of this service has changed. It still works; renew it to see a new one." />
      ) : (
        <>
          <CopyBlock label="URL (keep it secret)" text={intake.address} />
          <CopyBlock label="Try it" text={example(intake.address)} />
        </>
      )}
      <p className="text-xs text-muted">
        Created by {intake.created_by_name ?? "someone who has left"} <RelativeTime at={intake.created_at} />
        {intake.last_item_at ? (
          <>
            , last new item <RelativeTime at={intake.last_item_at} />
          </>
        ) : (
          ", no items yet"
        )}
      </p>
      <WriteFields quiet className="flex flex-wrap gap-2">
        <Ending
          trigger="Renew"
          intent="set-intake"
          question="Renew the URL?"
          consequence="The URL stops working at once. Give the new one to every service that sends items."
        />
        <Ending
          trigger="Revoke"
          intent="revoke-intake"
          question="Revoke the URL?"
          consequence="The URL stops working at once. Items it already delivered are kept."
        />
      </WriteFields>
    </div>
  );
}

function Ending(texts: { trigger: string; intent: string; question: string; consequence: string }) {
  const { trigger, intent, question, consequence } = texts;
  return (
    <Confirm
      size="sm"
      trigger={trigger}
      question={question}
      consequence={consequence}
      confirmLabel={trigger}
      fields={{ intent }}
    />
  );
}

function example(address: string): string {
  const item = { title: "Checkout fails", text: "500 on /pay", external_id: "alert-1" };
  return `curl -X POST ${address} -H 'content-type: application/json' -d '${JSON.stringify(item)}'`;
}

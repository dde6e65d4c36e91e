import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { useHydrated } from "~/components/use-hydrated";
import { WriteFields } from "~/components/write-access";
import type { InboxItem } from "~/contract/inbox";

/** Put away and Later of one item: for this person only, the thing itself stays as it is. */
export function PutAside({ item }: { item: Pick<InboxItem, "kind" | "id" | "state"> }) {
  return (
    <WriteFields quiet>
      <ActionForm action="/inbox" className="flex gap-1" aria-label="Put aside">
        <input type="hidden" name="intent" value="mark" />
        <input type="hidden" name="kind" value={item.kind} />
        <input type="hidden" name="id" value={item.id} />
        <TomorrowMorning />
        {item.state === "open" ? (
          <>
            <Mark value="done" label="Put away" about="Done for you: out of your inbox (e)" />
            <Mark value="later" label="Later" about="Back tomorrow morning (h)" />
          </>
        ) : (
          <Mark value="open" label="Bring back" about="Back into your inbox" />
        )}
      </ActionForm>
    </WriteFields>
  );
}

function Mark({ value, label, about }: { value: string; label: string; about: string }) {
  return (
    <Button
      type="submit"
      name="mark"
      value={value}
      size="sm"
      tone="quiet"
      title={about}
      className="pointer-coarse:h-10 pointer-coarse:px-3"
    >
      {label}
    </Button>
  );
}

/** Only the browser knows where the morning begins; without script it is that of the server. */
function TomorrowMorning() {
  const hydrated = useHydrated();
  if (!hydrated) return null;
  const morning = new Date();
  morning.setDate(morning.getDate() + 1);
  morning.setHours(7, 0, 0, 0);
  return <input type="hidden" name="until" value={morning.toISOString()} />;
}

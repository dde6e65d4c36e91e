import { useHydrated } from "remix-utils/use-hydrated";
import type { InboxItem } from "~/nouns/inbox/contract";
import { WriteForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/field";

/** Archive and Snooze for one inbox item. Affects only this person; the item itself does not change. */
export function PutAside({ item }: { item: Pick<InboxItem, "kind" | "id" | "state"> }) {
  return (
    <WriteForm action="/inbox" className="flex flex-wrap justify-end gap-1">
      <HiddenFields fields={{ intent: "mark", kind: item.kind, item_id: item.id }} />
      <TomorrowMorning />
      {item.state === "open" ? (
        <>
          <Mark value="done" label="Archive" about="Archive for you only (e)" />
          <Mark value="later" label="Snooze" about="Snooze until tomorrow morning (h)" />
        </>
      ) : (
        <Mark value="open" label="Move to inbox" about="Move back to your inbox" />
      )}
    </WriteForm>
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

/** Only the browser knows the user's local morning. Without JavaScript the server's is used. */
function TomorrowMorning() {
  const hydrated = useHydrated();
  if (!hydrated) return null;
  const morning = new Date();
  morning.setDate(morning.getDate() + 1);
  morning.setHours(7, 0, 0, 0);
  return <input type="hidden" name="until" value={morning.toISOString()} />;
}

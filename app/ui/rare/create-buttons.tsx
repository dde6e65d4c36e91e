import { againField } from "~/ui/again-field";
import { Button, SubmitButton } from "~/ui/button";

/** Creates, and opens what was created; or creates and opens the empty form again, also by `Ctrl Shift Enter` (`⌘ ⇧ Enter`). */
export function CreateButtons({ noun }: { noun: string }) {
  return (
    <div className="flex flex-wrap gap-2">
      <SubmitButton pendingLabel="Creating…">Create {noun}</SubmitButton>
      <Button type="submit" name={againField} value="1" title="Ctrl or ⌘ with Shift and Enter">
        Create and add another
      </Button>
    </div>
  );
}

/** What the form before this one has created. */
export function CreatedBefore({ code }: { code: string | null }) {
  return (
    <p role="status" className={code ? "text-sm text-done" : "sr-only"}>
      {code ? `${code} created.` : null}
    </p>
  );
}

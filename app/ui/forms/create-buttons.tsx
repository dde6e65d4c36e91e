import { Button, SubmitButton } from "~/ui/button";
import { againField } from "~/ui/form-fields";

/** Creates and opens the new item, or creates and shows an empty form again (`Ctrl Shift Enter`, `⌘ ⇧ Enter`). */
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

/** The item that the previous form created. */
export function CreatedBefore({ code }: { code: string | null }) {
  return (
    <p role="status" className={code ? "text-sm text-done" : "sr-only"}>
      {code ? `${code} created.` : null}
    </p>
  );
}

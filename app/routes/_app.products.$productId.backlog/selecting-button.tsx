import { useHydrated } from "remix-utils/use-hydrated";
import { setSelecting, useSelecting } from "~/features/items/selection";
import { Button } from "~/ui/button";

/** Toggles selecting by touch: while on, a tap selects a row instead of opening it. */
export function SelectingButton() {
  const hydrated = useHydrated();
  const isSelecting = useSelecting();
  if (!hydrated) return null;
  return (
    <Button tone="quiet" aria-pressed={isSelecting} onClick={() => setSelecting(!isSelecting)}>
      {isSelecting ? "Stop selecting" : "Select"}
    </Button>
  );
}

import { Button } from "~/ui/button";
import { useHydrated } from "~/ui/use-hydrated";
import { clearSelection } from "./selection";

/** Selecting by thumb: as long as it is pressed a tap takes a row instead of opening it. */
export function SelectingButton({
  isSelecting,
  onChange,
}: {
  isSelecting: boolean;
  onChange: (isSelecting: boolean) => void;
}) {
  const hydrated = useHydrated();
  if (!hydrated) return null;
  return (
    <Button
      tone="quiet"
      aria-pressed={isSelecting}
      onClick={() => {
        if (isSelecting) clearSelection();
        onChange(!isSelecting);
      }}
    >
      {isSelecting ? "Stop selecting" : "Select"}
    </Button>
  );
}

import { useSubmit } from "@remix-run/react";
import { useCallback } from "react";
import { undoPath } from "~/live/retrying-fetch";
import { enhancedField } from "./enhanced-field";
import { dropUndo } from "./toast";

/** Under this key the answer of an undo arrives. */
export const undoKey = "undo";

/** Asks the service to take back the last change of this session. */
export function useUndo(): () => void {
  const submit = useSubmit();
  return useCallback(() => {
    dropUndo();
    submit(
      { [enhancedField]: "1" },
      { method: "post", action: undoPath, navigate: false, fetcherKey: undoKey },
    );
  }, [submit]);
}

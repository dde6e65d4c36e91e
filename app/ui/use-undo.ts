import { useSubmit } from "@remix-run/react";
import { useCallback } from "react";
import { undoPath } from "~/live/retrying-fetch";
import { enhancedField } from "./form-fields";
import { dropUndo, takeOwnUndo } from "./toast";

/** Under this key the answer of an undo arrives. */
export const undoKey = "undo";

/** Undoes the last change that was made here: by itself where it can, otherwise the service undoes the session's last. */
export function useUndo(): () => void {
  const submit = useSubmit();
  return useCallback(() => {
    const own = takeOwnUndo();
    dropUndo();
    if (typeof own === "function") {
      own();
      return;
    }
    submit(
      { ...own?.fields, [enhancedField]: "1" },
      {
        method: "post",
        action: own?.action ?? undoPath,
        navigate: false,
        fetcherKey: undoKey,
      },
    );
  }, [submit]);
}

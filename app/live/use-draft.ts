import { useState } from "react";

interface Draft {
  value: string;
  setValue: (value: string) => void;
  isEdited: boolean;
  /** Somebody else changed the value while this edit was going on. */
  changedMeanwhile: boolean;
  takeServerValue: () => void;
  reset: () => void;
}

/**
 * A text that follows the server until the user edits it: a live change never overwrites an edit in progress.
 * Once the server holds what was typed, the edit is over.
 */
export function useDraft(serverValue: string): Draft {
  const [edit, setEdit] = useState<{ value: string; startedFrom: string }>();
  const current = edit !== undefined && edit.value !== serverValue ? edit : undefined;
  const reset = () => setEdit(undefined);
  return {
    value: current?.value ?? serverValue,
    setValue: (value) => setEdit({ value, startedFrom: current?.startedFrom ?? serverValue }),
    isEdited: current !== undefined,
    changedMeanwhile: current !== undefined && current.startedFrom !== serverValue,
    takeServerValue: reset,
    reset,
  };
}

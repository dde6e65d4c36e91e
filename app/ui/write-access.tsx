import { createContext, type ReactNode, useContext } from "react";
import { Alert } from "./alert";

interface WriteAccess {
  canWrite: boolean;
  /** Why not, as a sentence for the reader. */
  reason: string | null;
}

const WriteAccessContext = createContext<WriteAccess>({ canWrite: true, reason: null });

/** Says whether this person may change things here: a demo account and an archived product may not. */
export function WriteAccessProvider({
  reason,
  replace,
  children,
}: {
  reason: string | null;
  /** Said anew: what holds around it does not hold inside. */
  replace?: boolean;
  children: ReactNode;
}) {
  const outer = useContext(WriteAccessContext);
  const effective = replace ? reason : (outer.reason ?? reason);
  return (
    <WriteAccessContext.Provider value={{ canWrite: effective === null, reason: effective }}>
      {children}
    </WriteAccessContext.Provider>
  );
}

export function useWriteAccess(): WriteAccess {
  return useContext(WriteAccessContext);
}

/** Everything inside is disabled, and says why, for those who may only look. */
export function WriteFields({
  children,
  quiet = false,
  className,
}: {
  children: ReactNode;
  quiet?: boolean;
  className?: string;
}) {
  const { canWrite, reason } = useWriteAccess();
  return (
    <fieldset disabled={!canWrite} title={reason ?? undefined} className={className ?? "contents"}>
      {!canWrite && !quiet ? <p className="text-sm text-muted">{reason}</p> : null}
      {children}
    </fieldset>
  );
}

/** One line at the top of a page, so that nobody wonders why the buttons are grey. */
export function WriteAccessNotice() {
  const { canWrite, reason } = useWriteAccess();
  if (canWrite) return null;
  return (
    <div className="mb-4">
      <Alert title={reason} />
    </div>
  );
}

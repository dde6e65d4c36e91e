import { createContext, type ReactNode, useContext, useMemo } from "react";
import { Alert } from "./alert";

interface WriteAccess {
  canWrite: boolean;
  /** Why not, as a sentence; null if allowed. */
  reason: string | null;
}

const WriteAccessContext = createContext<WriteAccess>({ canWrite: true, reason: null });

interface WriteAccessProviderProps {
  reason: string | null;
  /** Ignores the outer provider's reason. */
  replace?: boolean;
  children: ReactNode;
}

/** Sets whether the person may change things here. Demo accounts and archived products are read-only. */
export function WriteAccessProvider({ reason, replace, children }: WriteAccessProviderProps) {
  const outer = useContext(WriteAccessContext);
  const effective = replace ? reason : (outer.reason ?? reason);
  const access = useMemo(() => ({ canWrite: effective === null, reason: effective }), [effective]);
  return <WriteAccessContext.Provider value={access}>{children}</WriteAccessContext.Provider>;
}

export const useWriteAccess = (): WriteAccess => useContext(WriteAccessContext);

type WriteFieldsProps = { children: ReactNode; quiet?: boolean; className?: string };

/** Disables everything inside and says why, for people with read-only access. */
export function WriteFields({ children, quiet = false, className }: WriteFieldsProps) {
  const { canWrite, reason } = useWriteAccess();
  return (
    <fieldset disabled={!canWrite} title={reason ?? undefined} className={className ?? "contents"}>
      {!canWrite && !quiet ? <p className="text-sm text-muted">{reason}</p> : null}
      {children}
    </fieldset>
  );
}

/** One line at the top of a page that explains why its buttons are disabled. */
export function WriteAccessNotice() {
  const { canWrite, reason } = useWriteAccess();
  if (canWrite) return null;
  return (
    <div className="mb-4">
      <Alert title={reason} />
    </div>
  );
}

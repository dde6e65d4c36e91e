import { Kbd } from "~/ui/badge";
import { useWriteAccess } from "~/ui/write-access";

export function KeyHints() {
  const { canWrite } = useWriteAccess();
  return (
    <p className="mt-3 hidden text-xs text-muted keyboard:block">
      <Kbd>j</Kbd> <Kbd>k</Kbd> to go through rows, <Kbd>Space</Kbd> to peek, <Kbd>x</Kbd> to select
      {canWrite ? (
        <>
          ; <Kbd>s</Kbd> <Kbd>p</Kbd> <Kbd>a</Kbd> <Kbd>i</Kbd> <Kbd>e</Kbd> <Kbd>m</Kbd> to edit
          the row or selection, <Kbd>c</Kbd> to create
        </>
      ) : null}
      , <Kbd>f</Kbd> to filter, <Kbd>?</Kbd> for all keys.
    </p>
  );
}

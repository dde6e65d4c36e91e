import { Kbd } from "~/components/badge";
import { useWriteAccess } from "~/components/write-access";

export function KeyHints() {
  const { canWrite } = useWriteAccess();
  return (
    <p className="mt-3 hidden text-xs text-muted keyboard:block">
      <Kbd>j</Kbd> <Kbd>k</Kbd> walk through the lines, <Kbd>Space</Kbd> peeks, <Kbd>x</Kbd> selects
      {canWrite ? (
        <>
          ; <Kbd>s</Kbd> <Kbd>p</Kbd> <Kbd>a</Kbd> <Kbd>i</Kbd> <Kbd>e</Kbd> <Kbd>m</Kbd> change the
          line or the selection, <Kbd>c</Kbd> creates
        </>
      ) : null}
      , <Kbd>f</Kbd> filters, <Kbd>?</Kbd> says more.
    </p>
  );
}

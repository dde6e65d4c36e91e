import { Button } from "./button";

/** In place of rows that would push others away: how many there are, and the button that lets them in. */
export function FreshRows({ count, show }: { count: number; show: () => void }) {
  return (
    <p role="status" className={count > 0 ? "mb-3 text-center" : "sr-only"}>
      {count > 0 ? (
        <Button size="sm" onClick={show}>
          {count} new
        </Button>
      ) : null}
    </p>
  );
}

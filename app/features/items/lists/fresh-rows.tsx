import { Button } from "~/ui/button";

/**
 * In place of rows that would push others away: how many there are, and the button that lets them in. It lies over
 * the list, so that it pushes nothing either.
 */
export function FreshRows({ count, show }: { count: number | null; show: () => void }) {
  return (
    <div role="status" className="sticky top-16 z-10 h-0 text-center">
      {count === null ? null : (
        <Button size="sm" onClick={show} className="-translate-y-1/2 shadow-pop">
          {count === 0 ? "Show the new order" : `${count} new`}
        </Button>
      )}
    </div>
  );
}

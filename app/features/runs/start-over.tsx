import type { Beginning } from "~/contract/beginning";
import { ActionForm } from "~/ui/action-form";
import { Confirm } from "~/ui/confirm";
import { WriteFields } from "~/ui/write-access";

/** From what the next run begins, a line a branch. */
export function BeginsFrom({ from }: { from: readonly Beginning[] }) {
  return (
    <ul className="grid gap-1" aria-label="Starts from">
      {from.map(({ story_id, branch, message }) => (
        <li key={`${story_id}${branch}`} className="break-words">
          {message}
        </li>
      ))}
    </ul>
  );
}

/** Throws away, for the next run, what was done and is not on main; asked once more, and kept in the history. */
export function StartOver({ whose }: { whose: string }) {
  return (
    <WriteFields quiet>
      <Confirm
        trigger="Start over from main"
        size="sm"
        question={`Start ${whose} over from main?`}
        consequence="The next run leaves this work out. The branches stay, and the history says who decided it."
        confirmLabel="Start over"
      >
        {(buttons) => (
          <ActionForm>
            <input type="hidden" name="intent" value="start-over" />
            {buttons}
          </ActionForm>
        )}
      </Confirm>
    </WriteFields>
  );
}

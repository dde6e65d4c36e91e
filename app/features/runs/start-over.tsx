import type { Beginning } from "~/nouns/agent-jobs/beginning";
import { Confirm } from "~/ui/confirm";
import { WriteFields } from "~/ui/write-access";

/** What the next run starts from, one line per branch. */
export function BeginsFrom({ from }: { from: readonly Beginning[] }) {
  return (
    <ul className="grid gap-1" aria-label="Starts from">
      {from.map(({ story_id, branch, message }) => (
        <li key={`${story_id}${branch}`} className="break-words">
          {message} <MergeLine branch={branch} />
        </li>
      ))}
    </ul>
  );
}

/** Discards unmerged work for the next run, after confirmation. The history records it. */
export function StartOver({ whose }: { whose: string }) {
  return (
    <WriteFields quiet>
      <Confirm
        trigger="Start over from main"
        size="sm"
        question={`Start ${whose} over from main?`}
        consequence="The next run leaves this work out. The branches stay, and the history says who decided it."
        confirmLabel="Start over"
        fields={{ intent: "start-over" }}
      />
    </WriteFields>
  );
}

/** Says that no merge of a branch is known, and how to make one by hand. */
export function MergeLine({ branch }: { branch: string }) {
  return (
    <span className="break-words">
      No merge of this branch is known:{" "}
      <code className="font-mono text-xs">git merge {branch}</code>
    </span>
  );
}

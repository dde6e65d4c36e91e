/** Says that no merge of a branch is known, and how to make one by hand. */
export function MergeLine({ branch }: { branch: string }) {
  return (
    <span className="break-words">
      No merge of this branch is known:{" "}
      <code className="font-mono text-xs">git merge {branch}</code>
    </span>
  );
}

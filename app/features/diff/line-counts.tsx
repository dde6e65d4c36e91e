/** "+120 −8": added and deleted lines. */
export function LineCounts({ additions, deletions }: { additions: number; deletions: number }) {
  return (
    <span className="text-xs whitespace-nowrap tabular-nums in-data-key:text-[1em]">
      <span className="text-done">{`+${additions}`}</span> <span className="text-failed">{`−${deletions}`}</span>
    </span>
  );
}

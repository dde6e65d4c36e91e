import { CodeChip } from "~/ui/badge";
import { LiveText } from "~/ui/live-text";
import { SidePanel } from "~/ui/side-panel";
import { StatusPill } from "~/ui/status";
import { codeOf, rowOf, titleOf } from "./active-row";

/** Shows what the row has about its item while the rest loads. */
export default function KnownPanel({
  item,
  onClose,
  inList = false,
}: {
  item: string;
  onClose: () => void;
  inList?: boolean;
}) {
  const row = rowOf(item);
  const status =
    row?.querySelector<HTMLElement>("[data-status]")?.dataset.status ??
    row?.closest<HTMLElement>("[data-column]")?.dataset.column;
  const lines = [...(row?.querySelectorAll("p") ?? [])].map(({ textContent }) => textContent);
  return (
    <SidePanel
      title={
        <span className="flex items-baseline gap-2">
          <CodeChip>{codeOf(row)}</CodeChip>
          <LiveText>{titleOf(row)}</LiveText>
        </span>
      }
      closeTo="."
      onClose={onClose}
      inList={inList}
    >
      {status ? (
        <p>
          <StatusPill status={status} />
        </p>
      ) : null}
      {lines.length > 0 ? (
        <ul className="grid gap-1 text-sm text-muted">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
      <p role="status" className="text-sm text-muted">
        Loading…
      </p>
    </SidePanel>
  );
}

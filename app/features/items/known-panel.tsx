import { useNavigation } from "@remix-run/react";
import { CodeChip } from "~/ui/badge";
import { LiveText } from "~/ui/live-text";
import { SidePanel } from "~/ui/side-panel";
import { StatusPill } from "~/ui/status";
import { codeOf, rowOf, titleOf } from "./active-row";

type KnownPanelProps = { item: string; onClose: () => void; inList?: boolean };

/** Shows what the row has about its item while the rest loads. */
export default function KnownPanel({ item, onClose, inList = false }: KnownPanelProps) {
  const row = rowOf(item);
  const status = statusOf(row);
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

const statusOf = (row: HTMLElement | null) =>
  row?.querySelector<HTMLElement>("[data-status]")?.dataset.status ??
  row?.closest<HTMLElement>("[data-column]")?.dataset.column;

/** The same where the page of a row's item loads. It has its title where that page will have it. */
export function ComingPage() {
  const { location, formMethod } = useNavigation();
  const [, kind, id] = /^\/(task|stor)(?:s|ies)\/([0-9a-f-]{36})$/.exec(location?.pathname ?? "") ?? [];
  const row = id && !formMethod ? rowOf(`${kind === "task" ? "task" : "story"}:${id}`) : null;
  if (!row) return null;
  const status = statusOf(row);
  return (
    <div
      aria-hidden="true"
      data-coming
      className="fixed inset-x-0 top-13 bottom-15 z-30 bg-paper px-4 pt-5 lg:bottom-0 lg:left-52 lg:px-6"
    >
      <p className="text-sm text-muted">Loading…</p>
      <p className="mt-1 flex flex-wrap items-center gap-2.5 text-xl font-semibold tracking-tight sm:text-2xl">
        <span className="font-mono text-base text-muted">{codeOf(row)}</span>
        <LiveText>{titleOf(row)}</LiveText>
        {status ? <StatusPill status={status} /> : null}
      </p>
    </div>
  );
}

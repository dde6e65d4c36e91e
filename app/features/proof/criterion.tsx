import type { ReactNode } from "react";
import { Badge, CodeChip } from "~/ui/badge";
import { RelativeTime } from "~/ui/relative-time";
import { StatusIcon } from "~/ui/status";
import type { Evidence, ProvenCriterion } from "~/wire/proof/contract";
import { seen, standing } from "./proof-labels";
import { visible } from "./visible";

/** A criterion's text and state, its waiver, and what the page adds below. */
export function CriterionHead({ criterion, children }: { criterion: ProvenCriterion; children?: ReactNode }) {
  const { text, kind, waiver } = criterion;
  const { label, tone } = standing(criterion);
  return (
    <div className="flex items-start gap-2.5">
      <StatusIcon tone={tone} className="mt-0.5 size-4 shrink-0" />
      <div className="grid min-w-0 grow gap-0.5">
        <p className="break-words text-sm">
          <CriterionText text={text} />
        </p>
        <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          {waiver ? (
            <span className="wrap-anywhere">
              <span className="font-semibold">{label}</span> by {waiver.waived_by}{" "}
              <RelativeTime at={waiver.created_at} />: <bdi>{visible(waiver.reason)}</bdi>
            </span>
          ) : (
            <span className="font-semibold">{label}</span>
          )}
          {kind === "definition_of_done" ? <Badge>Definition of done</Badge> : null}
        </p>
        {children}
      </div>
    </div>
  );
}

/** A criterion's text. Text between backticks is code; all else is plain text. */
export function CriterionText({ text }: { text: string }) {
  return piecesOf(visible(text)).map(({ at, piece, isCode }) =>
    isCode ? (
      <code key={at} className="rounded bg-sunken px-1 font-mono text-xs">
        {piece}
      </code>
    ) : (
      <span key={at}>{piece}</span>
    ),
  );
}

type Piece = { at: number; piece: string; isCode: boolean };

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(/`([^`\n]+)`/g)) {
    if (match.index > at) pieces.push({ at, piece: text.slice(at, match.index), isCode: false });
    pieces.push({ at: match.index, piece: match[1] ?? "", isCode: true });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ at, piece: text.slice(at), isCode: false });
  return pieces;
}

/** Evidence of a criterion, newest first. It is untrusted, so it is rendered as text, never as markup. */
export function EvidenceList({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return null;
  return (
    <ol className="mt-1.5 grid gap-2.5">
      {evidence.map((each) => (
        <li key={each.id} className="grid gap-1 border-l-2 border-line pl-3 text-xs">
          <p className="flex flex-wrap items-center gap-x-1.5 text-muted">
            <span className="font-semibold text-ink">{seen(each)}</span>
            {each.grade === "person" ? null : <span>· {each.observed_by}</span>}
            <RelativeTime at={each.created_at} />
            {each.head_sha ? <CodeChip>{each.head_sha.slice(0, 10)}</CodeChip> : null}
            {each.stale ? <span>· earlier commit</span> : null}
            {each.voided_by === null ? null : <span>· does not count: {each.voided_by} requested changes</span>}
            {each.passed_before ? <span>· does not count: it did not fail before the work</span> : null}
          </p>
          {each.command ? (
            <p className="wrap-anywhere font-mono">
              $ {visible(each.command)}
              {each.exit_code === null ? null : <span className="text-muted"> · exit code {each.exit_code}</span>}
              {each.base_exit_code === null ? null : (
                <span className="text-muted"> (before the work: {each.base_exit_code})</span>
              )}
            </p>
          ) : null}
          {each.excerpt ? (
            <pre className="max-h-64 overflow-auto whitespace-pre-wrap break-words rounded bg-sunken p-2 font-mono">
              {visible(each.excerpt)}
            </pre>
          ) : null}
          {[each.base_file, each.file].map((file) =>
            file ? (
              <a key={file.id} href={file.url} className="w-fit text-accent underline wrap-anywhere">
                {visible(file.name)}
                {file === each.base_file ? " before the work" : null}
              </a>
            ) : null,
          )}
          {each.url ? (
            <a href={each.url} rel="noreferrer nofollow" className="text-accent underline">
              {each.url}
            </a>
          ) : null}
        </li>
      ))}
    </ol>
  );
}

import type { Evidence } from "~/contract/proof";
import { CodeChip } from "~/ui/badge";
import { RelativeTime } from "~/ui/relative-time";
import { grades } from "./proof-words";
import { visible } from "./visible";

const verdicts = { pass: "holds", fail: "fails", unverifiable: "unknown" } as const;

/** What was seen of a criterion, the newest first. All of it is data of others: shown as text, never as markup. */
export function EvidenceList({ evidence }: { evidence: readonly Evidence[] }) {
  return (
    <ol className="mt-1.5 grid gap-2.5">
      {evidence.map((each) => (
        <li key={each.id} className="grid gap-1 border-l-2 border-line pl-3 text-xs">
          <p className="flex flex-wrap items-center gap-x-1.5 text-muted">
            <span className="font-semibold text-ink">{verdicts[each.verdict]}</span>
            <span>
              · {grades[each.grade]} ({each.observed_by})
            </span>
            <RelativeTime at={each.created_at} />
            {each.head_sha ? <CodeChip>{each.head_sha.slice(0, 10)}</CodeChip> : null}
            {each.stale ? <span>· earlier commit</span> : null}
          </p>
          {each.command ? (
            <p className="break-all font-mono">
              $ {visible(each.command)}
              {each.exit_code === null ? null : (
                <span className="text-muted"> · exit code {each.exit_code}</span>
              )}
            </p>
          ) : null}
          {each.excerpt ? (
            <pre className="max-h-64 overflow-auto whitespace-pre-wrap break-words rounded bg-sunken p-2 font-mono">
              {visible(each.excerpt)}
            </pre>
          ) : null}
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

import { Link } from "@remix-run/react";
import { CodeChip } from "~/components/badge";
import { RelativeTime } from "~/components/relative-time";
import { StatusPill } from "~/components/status-pill";
import type { Idea } from "~/contract/idea";

export function IdeaCard({ idea, product }: { idea: Idea; product: string | undefined }) {
  return (
    <li className="grid gap-2 rounded-lg border border-line bg-surface p-4">
      <div className="flex items-center gap-2">
        <CodeChip>{idea.code}</CodeChip>
        <StatusPill status={idea.status} />
      </div>
      <Link to={`/ideas/${idea.id}`} data-row className="font-semibold hover:underline">
        {idea.title}
      </Link>
      {idea.description ? (
        <p className="line-clamp-3 text-sm text-muted">{excerptOf(idea.description)}</p>
      ) : null}
      <p className="mt-auto text-xs text-faint">
        {product} · <RelativeTime at={idea.created_at} />
      </p>
    </li>
  );
}

/** The words of a Markdown text, for a few lines of preview. */
function excerptOf(markdown: string): string {
  return markdown
    .slice(0, 400)
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^[#>\s]+|^[-*+] |[*`~]+|\b_|_\b/gm, "");
}

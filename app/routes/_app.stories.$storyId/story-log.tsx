import { Section } from "~/components/card";
import { Icon } from "~/components/icon";
import type { IconName } from "~/components/icon-name";
import { Prose, type SafeHtml } from "~/components/prose";
import { RelativeTime } from "~/components/relative-time";
import { StatusPill } from "~/components/status-pill";
import type { PageStoryLog } from "~/contract/page-data";
import { LogForm } from "./log-form";

const looks: Record<string, { label: string; icon: IconName }> = {
  IMPLEMENTATION_PLAN: { label: "Plan", icon: "clipboard-list" },
  TEST_RESULT: { label: "Tests", icon: "flask-conical" },
  COMMIT: { label: "Commit", icon: "git-commit-horizontal" },
};

/** What happened to the story, newest first, as agents and people noted it. */
export function StoryLog({
  storyId,
  logs,
  texts,
}: {
  storyId: string;
  logs: readonly PageStoryLog[];
  texts: readonly (SafeHtml | null)[];
}) {
  return (
    <Section title="Log">
      {logs.length === 0 ? (
        <p className="text-sm text-muted">
          Empty. Agents and people note plans, commits and test results here.
        </p>
      ) : (
        <ol className="grid gap-4">
          {logs.map((log, index) => {
            const look = looks[log.type] ?? { label: log.type, icon: "clipboard-list" };
            const text = texts[index];
            return (
              <li key={log.id} className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2.5">
                <Icon name={look.icon} className="mt-0.5 text-muted" />
                <div className="grid gap-1">
                  <p className="flex flex-wrap items-center gap-2 text-xs text-muted">
                    <span className="font-semibold text-ink">{look.label}</span>
                    {log.status ? <StatusPill status={log.status} /> : null}
                    <span>{log.username}</span>
                    <RelativeTime at={log.created_at} />
                  </p>
                  {log.commit_hash ? (
                    <p className="text-sm">
                      <code className="mr-2 rounded bg-sunken px-1 font-mono text-xs">
                        {log.commit_hash.slice(0, 10)}
                      </code>
                      {log.commit_message}
                    </p>
                  ) : null}
                  {text ? <Prose content={text} /> : null}
                </div>
              </li>
            );
          })}
        </ol>
      )}
      <LogForm storyId={storyId} count={logs.length} />
    </Section>
  );
}

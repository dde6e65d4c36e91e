import { Prose, type SafeHtml } from "~/features/markdown/prose";
import { WovenProgress } from "~/features/runs/woven-progress";
import { Alert } from "~/ui/alert";
import { Avatar } from "~/ui/avatar";
import { Badge, CodeChip, CountBadge, Kbd } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Fact, Facts, Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { Elapsed, RelativeTime } from "~/ui/relative-time";
import { StatusDot, StatusPill } from "~/ui/status-pill";
import { Cell, Table } from "~/ui/table";

const statuses = [
  "TO_DO",
  "IN_PROGRESS",
  "REVIEW",
  "DONE",
  "FAILED",
  "WAITING",
  "CANCELLED",
] as const;
const weave = [
  "DONE",
  "DONE",
  "DONE",
  "REVIEW",
  "FAILED",
  "RUNNING",
  "PAUSED",
  "QUEUED",
  "QUEUED",
  "CANCELLED",
];
export function DisplaySamples({ sample }: { sample: SafeHtml | null }) {
  return (
    <>
      <Section title="Status">
        <div className="flex flex-wrap gap-2">
          {statuses.map((status) => (
            <StatusPill key={status} status={status} />
          ))}
          {statuses.map((status) => (
            <StatusDot key={status} status={status} />
          ))}
        </div>
        <div className="mt-4 max-w-lg">
          <WovenProgress statuses={weave} />
        </div>
      </Section>
      <Section title="Small parts">
        <div className="flex flex-wrap items-center gap-3">
          <Badge>plain</Badge>
          <Badge tone="accent">accent</Badge>
          <CountBadge count={3} meaning="open questions" />
          <CodeChip>ST-1004</CodeChip>
          <Kbd>C</Kbd>
          <Avatar name="ada" size="sm" />
          <Avatar name="bela" />
          <Avatar name="chandra" size="lg" />
          <RelativeTime at="2026-11-20T08:00:00Z" />
          <Elapsed from="2026-11-20T08:00:00Z" to="2026-11-20T10:05:00Z" />
        </div>
      </Section>
      <Section title="Notices">
        <div className="grid gap-2">
          <Alert
            tone="waiting"
            title="A worker waits for your answer"
            actions={<Button size="sm">Answer</Button>}
          >
            Which of the two tables should keep the history?
          </Alert>
          <Alert tone="failed" title="T-12 failed its verification" />
          <Alert tone="done" title="The run is done" />
          <Alert title="This product is archived">Restore it to change something.</Alert>
        </div>
      </Section>
      <Section title="Facts and table" flush>
        <div className="p-4">
          <Facts>
            <Fact term="Workers">3 active</Fact>
            <Fact term="Cost today">$4.12</Fact>
          </Facts>
        </div>
        <Table caption="Jobs" head={["Job", "Status", "Tokens"]}>
          <tr>
            <Cell>T-1</Cell>
            <Cell>
              <StatusPill status="RUNNING" />
            </Cell>
            <Cell numeric>12.4K tokens</Cell>
          </tr>
        </Table>
      </Section>
      <Section title="Markdown">{sample ? <Prose content={sample} /> : null}</Section>
      <Section title="Empty">
        <EmptyState title="No stories yet" action={<Button tone="primary">New story</Button>}>
          A story is one thing a person gets. Press <Kbd>C</Kbd> to write the first one.
        </EmptyState>
      </Section>
    </>
  );
}

import { LiveText } from "~/ui/live-text";
import { Elapsed } from "~/ui/relative-time";
import type { OutputKind } from "~/wire/agent-jobs/job-output";
import type { Doing } from "~/wire/events";

const verbs = {
  text: "said",
  thought: "thought",
  plan: "planned",
  command: "ran",
  tool: "used",
  edit: "changed",
  test: "tested",
  note: "noted",
  error: "error",
} satisfies Record<OutputKind, string>;
const runningVerbs = { command: "running", tool: "using", edit: "changing", test: "testing" } satisfies Partial<
  Record<OutputKind, string>
>;

/** What an agent is doing now, in one line: "running npm test, 12 s ago". */
export function DoingLine({ read, live }: { read?: Doing | null; live?: Doing | undefined }) {
  const doing = newest(read ?? undefined, live);
  if (!doing) return null;
  const { kind, title, status, at } = doing;
  const verb = (status === "running" ? verbFor(runningVerbs, kind) : undefined) ?? verbFor(verbs, kind);
  return (
    <span className="min-w-0 break-words text-muted" data-doing>
      <LiveText>{verb}</LiveText> <code className="font-mono">{title}</code>, <Elapsed from={at} /> ago
    </span>
  );
}

/** Newer workers may report kinds this page does not know. */
const verbFor = (known: Record<string, string>, kind: string): string | undefined => known[kind];

function newest(read: Doing | undefined, live: Doing | undefined): Doing | undefined {
  if (!read || !live) return read ?? live;
  return Date.parse(live.at) >= Date.parse(read.at) ? live : read;
}

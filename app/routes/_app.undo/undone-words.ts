import type { Undone } from "~/contract/change";

const fieldWords: Record<string, string> = {
  status: "status",
  is_blocked: "block",
  priority: "priority",
  title: "title",
  description: "description",
  acceptance_criteria: "acceptance criteria",
  implementation_plan: "plan",
  assignee_id: "who has it",
  sprint_id: "sprint",
  story_id: "story",
  pbi_id: "PBI",
  sort_order: "place",
  code: "code",
  merged_at: "arrival on the main branch",
};

/** What was taken back, in one sentence. */
export function undoneWords({ changes }: Undone): string {
  const back = changes.filter(({ is_back }) => is_back).map(({ code }) => code);
  if (back.length > 0) return `${named(back)} ${back.length === 1 ? "is" : "are"} back`;
  const codes = [...new Set(changes.map(({ code }) => code))];
  const fields = [...new Set(changes.flatMap((change) => change.fields))].map(
    (field) => fieldWords[field] ?? "settings",
  );
  return `Taken back: ${[...new Set(fields)].join(", ")} of ${named(codes)}`;
}

function named(codes: readonly string[]): string {
  const [first = "", second] = codes;
  if (codes.length === 2) return `${first} and ${second}`;
  return codes.length > 1 ? `${first} and ${codes.length - 1} more` : first;
}

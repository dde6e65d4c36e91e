import type { ExportDocumentInput } from "./export-document";

const greeting = `#!/bin/sh
# Greets by name where the name is known.
if [ -n "$1" ]; then echo "Hello, $1"; else echo "Hello"; fi
`;

const check = `#!/bin/sh
set -e
[ "$(sh greet.sh Ada)" = "Hello, Ada" ]
[ "$(sh greet.sh)" = "Hello" ]
echo "Both greetings are right."
`;

/** A plan that contains its file, so that the demo agent can follow it too. */
function planOf(what: string, file: string, text: string): string {
  return `1. ${what}:\n\n\`\`\`sh ${file}\n${text}\`\`\`\n\n2. Commit it with a message that names the task.`;
}

/** The product of the first start: small, fully planned, ready for a worker. */
export const sampleDocument: Omit<ExportDocumentInput, "format" | "version"> = {
  product: {
    code: "SAMPLE",
    name: "Sample product",
    description: "A small product to look around in and to let a first agent work on.",
    definition_of_done: "- The change is committed\n- The check passes: `sh check.sh`",
    pr_strategy: "SPRINT",
    done_requires: "person",
    agent_items: "triage",
    on_failure: "ask",
  },
  sprints: [{ code: "SP-1", sprint_goal: "A greeting that everyone can read", status: "ACTIVE" }],
  pbis: [
    {
      code: "PBI-1",
      title: "Greet visitors",
      description: "Everyone who opens the page gets a friendly greeting.",
      stories: [
        {
          code: "ST-001",
          title: "As a visitor I am greeted by name",
          description: "The greeting names the visitor when the name is known.",
          acceptance_criteria: '- `sh greet.sh Ada` prints "Hello, Ada"\n- `sh greet.sh` prints "Hello"',
          status: "IN_SPRINT",
          sprint: "SP-1",
          tasks: [
            {
              code: "T-1",
              title: "Write the greeting",
              description: "One function that makes the greeting from a name.",
              implementation_plan: planOf("Add greet.sh", "greet.sh", greeting),
              estimated_minutes: 10,
            },
            {
              code: "T-2",
              title: "Check the greeting",
              description: "A check that the greeting holds for known and unknown names.",
              implementation_plan: planOf("Add check.sh", "check.sh", check),
              estimated_minutes: 10,
            },
          ],
        },
      ],
    },
  ],
  counters: { pbi: 1, story: 1, task: 2, sprint: 1 },
};

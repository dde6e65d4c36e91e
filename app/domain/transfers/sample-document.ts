import type { ExportDocumentInput } from "~/contract/export-document";

/** The product of the first start: small, planned to the end, ready for a worker. */
export const sampleDocument: Omit<ExportDocumentInput, "format" | "version"> = {
  product: {
    code: "SAMPLE",
    name: "Sample product",
    description: "A small product to look around in and to let a first agent work on.",
    definition_of_done: "- The change is committed\n- Its test passes",
    pr_strategy: "SPRINT",
  },
  sprints: [{ code: "SP-1", sprint_goal: "A greeting that everybody can read", status: "ACTIVE" }],
  pbis: [
    {
      code: "PBI-1",
      title: "Greet visitors",
      description: "Whoever opens the page is greeted in a friendly way.",
      stories: [
        {
          code: "ST-001",
          title: "As a visitor I am greeted by name",
          description: "The greeting names the visitor when the name is known.",
          acceptance_criteria: '- "Hello, Ada" for a known name\n- "Hello" without one',
          status: "IN_SPRINT",
          sprint: "SP-1",
          tasks: [
            {
              code: "T-1",
              title: "Write the greeting",
              description: "One function that makes the greeting from a name.",
              implementation_plan:
                "1. Add greeting.txt with the text of the greeting.\n2. Commit it with a message that names the task.",
              estimated_minutes: 10,
            },
            {
              code: "T-2",
              title: "Check the greeting",
              description: "A check that the greeting holds for known and unknown names.",
              implementation_plan:
                "1. Add a check for both cases of the acceptance criteria.\n2. Run it, log the result, commit.",
              estimated_minutes: 10,
            },
          ],
        },
      ],
    },
  ],
  counters: { pbi: 1, story: 1, task: 2, sprint: 1 },
};

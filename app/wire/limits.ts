/** Longest texts, in characters (specification: Limits; it does not define all of them). */
export const lengths = {
  code: 30,
  productName: 200,
  title: 300,
  text: 100_000,
  url: 2_000,
  sprintGoal: 10_000,
  commitHash: 200,
  searchQuery: 200,
} as const;

/** GET /api/sprints/:id/tasks (specification: Limits). */
export const sprintTasksLimit = { default: 10, max: 50 } as const;

/** GET /api/products/:id/ready. */
export const readyLimit = { default: 50, max: 200 } as const;

/** `metadata` of a story log entry: bytes of JSON and nesting depth. */
export const storyLogMetadata = { bytes: 65_536, depth: 32 } as const;

/** Characters of a lesson, and how many a job proposes. */
export const lessonLimits = { text: 300, perJob: 3 } as const;

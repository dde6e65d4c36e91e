import type { GetInboxInput } from "~/wire/inbox/contract";

/** What each tab asks of the inbox. */
export const filters = {
  all: {},
  // Listed by their own operation, with those that are closed.
  questions: { kinds: [] },
  reviews: { kinds: ["review"] },
  failures: { kinds: ["run", "job"] },
  mentions: { kinds: ["mention"] },
  invitations: { kinds: ["invitation", "added", "triage", "lesson"] },
  later: { state: "later" },
  done: { state: "done" },
} as const satisfies Record<string, GetInboxInput>;
export type Filter = keyof typeof filters;

export function isFilter(name: string): name is Filter {
  return Object.hasOwn(filters, name);
}

export const questionStates = [
  ["open", "Open"],
  ["answered", "Answered"],
  ["expired", "Expired"],
  ["cancelled", "Closed"],
] as const;

import { expect, it } from "vitest";

/** Turns of phrase that readers stumble over, and how often each is still there. The numbers only fall. */
const patterns: readonly [name: string, pattern: RegExp, most: Record<Place, number>][] = [
  ["somebody", /\b(some|no|any|every)body\b/gi, { docs: 0, code: 0, sql: 6 }],
  [
    "whoever",
    /\b(whoever|whatever|wherever|however (?:many|often))\b/gi,
    { docs: 33, code: 31, sql: 50 },
  ],
  ["a clause as subject", /(?:^|[.:;] )What [a-z]+ [^?\n]*/gm, { docs: 31, code: 7, sql: 21 }],
  [
    "of its own",
    /\bof (?:its|their|your|our) own\b|\bof yours\b/gi,
    { docs: 25, code: 8, sql: 16 },
  ],
  ["is no", /\b(?:is|are|was) no [a-z]/gi, { docs: 8, code: 31, sql: 20 }],
  ["anew, meanwhile, beside", /\b(?:anew|meanwhile|beside)\b/gi, { docs: 30, code: 61, sql: 28 }],
];

type Place = "docs" | "code" | "sql";

const files: Record<Place, Record<string, string>> = {
  docs: import.meta.glob<string>(["../../docs/*.md", "../../*.md", "!../../CHANGELOG.md"], {
    query: "?raw",
    import: "default",
    eager: true,
  }),
  code: import.meta.glob<string>("../../app/**/*.{ts,tsx}", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
  sql: import.meta.glob<string>("../../supabase/schemas/**/*.sql", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
};

const comments: Record<Place, RegExp> = {
  docs: /^.*$/gm,
  code: /^\s*(?:\/\/|\/?\*\*? ).*$/gm,
  sql: /^\s*-- .*$/gm,
};

/** Prose of a place, without what is quoted from programs. */
function proseOf(place: Place): string {
  const lines = Object.values(files[place]).flatMap((text) => text.match(comments[place]) ?? []);
  return lines.join("\n").replace(/`[^`\n]*`|"[^"\n]*"/g, "");
}

const prose = { docs: proseOf("docs"), code: proseOf("code"), sql: proseOf("sql") };

it.each(patterns)("%s is written no more often than before", (_, pattern, most) => {
  for (const [place, text] of Object.entries(prose)) {
    const found = text.match(pattern) ?? [];
    const limit = Object.entries(most).find(([name]) => name === place)?.[1] ?? 0;
    expect(found.length, `${place}: ${found.slice(0, 40).join(", ")}`).toBeLessThanOrEqual(limit);
  }
});

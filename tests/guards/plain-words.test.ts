import { expect, it } from "vitest";

/** Turns of phrase that readers stumble over, and how often each is still there. The numbers only fall: lower them. */
const patterns: readonly [name: string, pattern: RegExp, most: Record<Place, number>][] = [
  ["someone", /\b(some|no|any|every)body\b/gi, { docs: 0, strings: 0, code: 0, sql: 0, tests: 1 }],
  [
    "whoever",
    /\b(whoever|whatever|wherever|however (?:many|often))\b/gi,
    { docs: 0, strings: 1, code: 6, sql: 10, tests: 17 },
  ],
  ["a clause as subject", /(?:^|[.:;] )What [a-z]+ [^?\n]*/gm, { docs: 1, strings: 1, code: 7, sql: 6, tests: 2 }],
  [
    "answer for a result",
    /\banswers? (?:with|the|a|is|has|to a|each|every|all)\b|\bis answered\b/gi,
    { docs: 8, strings: 5, code: 26, sql: 6, tests: 41 },
  ],
  [
    "of its own",
    /\bof (?:its|their|your|our) own\b|\bof yours\b/gi,
    { docs: 5, strings: 5, code: 7, sql: 12, tests: 44 },
  ],
  ["is no", /\b(?:is|are|was) no [a-z]/gi, { docs: 3, strings: 14, code: 24, sql: 9, tests: 17 }],
  ["a thing that tells", /\b(?:tells?|told)\b/gi, { docs: 0, strings: 6, code: 32, sql: 8, tests: 88 }],
  [
    "also when, anew, meanwhile, beside, else",
    /, also (?:when|if|while)\b|, else\b|\b(?:anew|meanwhile|beside)\b/gi,
    { docs: 1, strings: 4, code: 2, sql: 7, tests: 6 },
  ],
  [
    "stands, lies, holds",
    /\b(?:stands?|lies|goes back|comes back|goes on|puts? off|takes? [a-z]+ (?:back|away))\b/gi,
    { docs: 5, strings: 6, code: 16, sql: 8, tests: 36 },
  ],
  [
    "a rate without per",
    /\b\d[\d,]* (?:in |times )?an? (?:minute|second|hour|day|user|product)\b/gi,
    { docs: 1, strings: 0, code: 0, sql: 1, tests: 6 },
  ],
];

type Place = "docs" | "strings" | "code" | "sql" | "tests";

const files: Record<Exclude<Place, "strings">, Record<string, string>> = {
  docs: import.meta.glob<string>(["../../docs/*.md", "../../*.md", "!../../CHANGELOG.md"], {
    query: "?raw",
    import: "default",
    eager: true,
  }),
  code: import.meta.glob<string>("../../{app,worker}/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true }),
  sql: import.meta.glob<string>("../../supabase/schemas/**/*.sql", { query: "?raw", import: "default", eager: true }),
  tests: import.meta.glob<string>(["../**/*.ts", "!./plain-words.test.ts"], {
    query: "?raw",
    import: "default",
    eager: true,
  }),
};
const sources: Record<Place, Record<string, string>> = { ...files, strings: files.code };

const comments: Record<Place, RegExp> = {
  docs: /^.*$/gm,
  code: /^\s*(?:\/\/|\/?\*\*? ).*$/gm,
  strings: /"[^"\n]*"|`[^`]*`|^\s+[A-Z][^<>{}=;]{20,}$/gm,
  sql: /^\s*-- .*$|^comment on [^;]*;$/gm,
  tests: /^\s*(?:\/\/|\/?\*\*? ).*$|\b(?:it|describe|test)(?:\.\w+)?\("[^"\n]*"/gm,
};

/** Prose of a place, without what is quoted from programs. */
function proseOf(place: Place): string {
  const lines = Object.values(sources[place]).flatMap((text) => text.match(comments[place]) ?? []);
  // Of texts in quotes those that are prose.
  const text = lines.filter((line) => place !== "strings" || line.length > 21).join("\n");
  return place === "docs" || place === "code" ? text.replace(/`[^`\n]*`|"[^"\n]*"/g, "") : text;
}

const places = ["docs", "strings", "code", "sql", "tests"] as const;
const prose = places.map((place) => [place, proseOf(place)] as const);

it("words are spelled as in the United States", () => {
  const british =
    /colour|neighbour|behaviour|favour|\blabelled\b|\bgreys?\b|(?:normal|recogn|organ|initial|author|summar)is(?:e|ing|ation)/gi;
  for (const place of ["docs", "code", "sql", "tests"] as const) {
    const found = Object.values(sources[place]).flatMap((text) => text.match(british) ?? []);
    expect(found, place).toEqual([]);
  }
});

it.each(patterns)("The wording '%s' is written no more often than before", (_, pattern, most) => {
  for (const [place, text] of prose) {
    const found = text.match(pattern) ?? [];
    expect(found.length, `${place}: ${found.slice(-5).join(" · ")}`).toBeLessThanOrEqual(most[place]);
  }
});

it("No list or object is spread only to keep a line together", () => {
  const spread = /\.\.\.\{|\.\.\.\[[^[\]]*\]\s*[,)\]]/;
  const found = [...Object.entries(files.code), ...Object.entries(files.tests)].filter(([, text]) => spread.test(text));
  expect(found.map(([file]) => file)).toEqual([]);
});

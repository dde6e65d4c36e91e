import { expect, it } from "vitest";

const texts = import.meta.glob<string>(
  [
    "../../app/{routes,http,oauth,mcp,sse}/**/*.{ts,tsx}",
    "../../app/{features,nouns}/**/*.server.ts",
    "../../app/{features,nouns}/**/*-thread.ts",
  ],
  { query: "?raw", import: "default", eager: true },
);

/** What opens a text that was made earlier, and what stamps or seals one, so that only ours is opened. */
const opens = /JSON\.parse\(|\bg?unzipSync\(|\binflate\w*\(|\bbrotliDecompress\w*\(/;
const isOurs = /\b(readStamped|unseal|compactDecrypt)\(/;

/** Files that open a text without a stamp, and why no client can have changed what was checked. */
const others: Record<string, string> = {
  "features/diff/diff-thread.ts": "asked by this process",
  "features/diff/read-guide.server.ts": "answered by our thread",
  "features/diff/show-diff.server.ts": "answered by our thread",
  "features/diff/show-lines.server.ts": "answered by our thread",
  "features/review/judge.server.ts": "checked whole by its schema, and the operation by the database",
  "features/review/list-comments.server.ts": "answered by our thread",
  "features/review/read-review.server.ts": "answered by our thread",
  "http/endpoint.server.ts": "answered by the database",
  "mcp/tool.server.ts": "an argument that came as text, checked by its schema",
  "nouns/accounts/operations.server.ts": "answered by the database",
  "nouns/transfers/formats/folder.server.ts": "a file that is read for the first time",
  "nouns/transfers/import-document.server.ts": "a document of this process",
  "nouns/transfers/read-import.server.ts": "answered by our thread",
  "oauth/client.server.ts": "a document of the program, checked by its schema",
  "routes/api.jobs.$id.diff.ts": "answered by our thread",
  "routes/_app.jobs_.$jobId.file.ts": "answered by our thread",
  "routes/_app.stories_.$storyId.file.ts": "answered by our thread",
  "routes/_app/palette/recent.ts": "read in the browser",
  "routes/m.pair/kept-secret.ts": "read in the browser",
  "sse/open-streams.server.ts": "a key of this process",
};

it("what a client kept for the service is opened only where it is stamped or sealed", () => {
  const found = Object.entries(texts)
    .filter(([, text]) => opens.test(text) && !isOurs.test(text))
    .map(([file]) => file.replace("../../app/", ""));
  expect(found.sort()).toEqual(Object.keys(others).sort());
});

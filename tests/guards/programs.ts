const texts = import.meta.glob<string>("../../{app,worker}/**/*.{ts,tsx,mjs}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** What the service, its pages and the worker run, without comments. */
export const programs = Object.entries(texts).map(([file, text]) => ({
  file: file.replace("../../", ""),
  code: text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""),
}));

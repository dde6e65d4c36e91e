import { SkillsExtension, skillEntry } from "@modelcontextprotocol/server/ext/skills";

const files = import.meta.glob<string>("../../skills/*/SKILL.md", { query: "?raw", import: "default", eager: true });

/** The skills of this version by name, the same as `backloom skills install` writes. */
export const skills = new Map(Object.entries(files).map(([path, text]) => [path.split("/").at(-2) ?? "", text]));

const entry = async (name: string) => {
  const text = skills.get(name);
  return text === undefined ? undefined : await skillEntry(name, { "SKILL.md": text });
};

const nameIn = (uri: string) => /^skill:\/\/([a-z-]+)\/SKILL\.md$/.exec(uri)?.[1] ?? "";

/** Serves them over MCP (SEP-2640): `skills/list`, `skills/get` and `skill://<name>/SKILL.md`. */
export const skillsExtension = new SkillsExtension({
  source: {
    list: async () => ({
      skills: (await Promise.all([...skills.keys()].map(entry))).filter((one) => one !== undefined),
    }),
    get: (uri) => entry(nameIn(uri)),
    read: async (uri) => {
      const text = skills.get(nameIn(uri));
      return text === undefined ? undefined : { text, mimeType: "text/markdown" };
    },
  },
});

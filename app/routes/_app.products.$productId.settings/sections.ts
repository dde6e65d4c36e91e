/** Sections of the product settings; each has its own address. */
export const sections = [
  ["general", "General"],
  ["agents", "Agents"],
  ["code-host", "Git host"],
  ["automation", "Automation"],
  ["integrations", "Integrations"],
  ["danger", "Danger"],
] as const;
export type SectionName = (typeof sections)[number][0];

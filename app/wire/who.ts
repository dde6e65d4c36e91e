import { z } from "zod";

/** How hard an agent thinks; each driver has its own flag for it. */
export const efforts = ["low", "medium", "high"] as const;
export type Effort = (typeof efforts)[number];

/** Agent as workers announce it: a name the worker knows, or an id of the ACP registry. */
export const agentName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$/, "Name an agent, such as claude or codex.");

export const modelName = z
  .string()
  .regex(/^[A-Za-z0-9][\][A-Za-z0-9:./_@+-]{0,199}$/, "Name a model as the agent does.");

/** Who does the work; null leaves it to what is above: the story, then the product, then the worker. */
export const whoFields = {
  agent: agentName.nullable(),
  model: modelName.nullable(),
  effort: z.enum(efforts).nullable(),
};

/** Who does it, as set there and nowhere else. */
export const shownWho = {
  agent: z.string().nullable(),
  model: z.string().nullable(),
  effort: z.enum(efforts).nullable(),
};

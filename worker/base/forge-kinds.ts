import { z } from "zod";

/** Supported Git hosts. Where a name fits several, the last one counts. Gitea's API is the same as Forgejo's. */
export const forgeKinds = ["github", "gitlab", "forgejo"] as const;
export type ForgeKind = (typeof forgeKinds)[number];

/** `forge:` in `.backloom.yml`: the kind of a self-hosted Git host, and its URL if the remote does not tell. */
export const forgeSettingSchema = z.union([
  z.enum(forgeKinds),
  z.strictObject({ kind: z.enum(forgeKinds), url: z.url({ protocol: /^https?$/ }).optional() }),
]);
export type ForgeSetting = z.output<typeof forgeSettingSchema>;

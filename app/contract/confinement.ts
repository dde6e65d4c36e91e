import { z } from "zod";

/** What keeps the agents and commands of a worker apart from its machine; `none`: nothing does. */
export const confinements = ["bwrap", "docker", "command", "none"] as const;
export const confinementSchema = z.enum(confinements);
export type Confinement = z.infer<typeof confinementSchema>;

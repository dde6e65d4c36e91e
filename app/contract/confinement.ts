import { z } from "zod";

/** What confines a worker's agents and commands on its machine; `none`: nothing. */
export const confinements = ["bwrap", "docker", "command", "none"] as const;
export const confinementSchema = z.enum(confinements);
export type Confinement = z.infer<typeof confinementSchema>;
